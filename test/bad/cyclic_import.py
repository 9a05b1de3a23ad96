# Two modules that import each other, and a constant of one that needs itself through the other.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl
from cyclic_helper import B

A = tl.constexpr(B + 1)


@triton.jit
def kernel(p):
    tl.store(p, A)  # error: 17: its value depends on itself
