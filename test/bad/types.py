# Types that do not go together: both are shown.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    x = tl.load(p)
    y = x << 1  # error: 9: fp32
    z = p * 2.0  # error: 9: pointer
    tl.store(p, y)
