# aggregate_replace: what it takes.
# options: --signature "*fp32"
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class Pair:
    x: tl.tensor
    n: tl.constexpr


@triton.jit
def kernel(p):
    a = tl.aggregate_replace(Pair(p, 2), m=3)  # error: 9: class Pair declares no field 'm'
    b = tl.aggregate_replace(p, x=3)  # error: 9: tl.aggregate_replace expects an object of an aggregate, not
