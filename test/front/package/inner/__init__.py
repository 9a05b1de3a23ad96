# not a test: a package inside a package that imports.py uses
from triton import jit
import triton.language as tl

from ..shared import SCALE as OUTER_SCALE

PLAIN_TOO = tl.constexpr(7)


@jit
def again(x):
    return x * OUTER_SCALE
