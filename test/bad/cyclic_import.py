# Two modules that import each other, and a constant that needs itself. The cycle alone is fine, as in Python.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
# error: @cyclic_helper.py:9:9: 'A'
import triton
import triton.language as tl
from cyclic_helper import B

A = B + 1


@triton.jit
def kernel(p):
    tl.store(p, A)
