# Shapes that do not go together: both are shown.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    a = tl.arange(0, 64)
    b = tl.arange(0, 32)
    c = a + b  # error: 9: 64
    tl.store(p + c, 0.0)
