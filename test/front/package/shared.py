# not a test: a module that imports.py uses
import triton
import triton.language as tl

from . import inner

SCALE = tl.constexpr(3)
PLAIN = 4


@triton.jit
def twice(x):
    return inner.again(x) + PLAIN_TOO


from .inner import PLAIN_TOO
