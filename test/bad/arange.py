# A range whose length is no power of two.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    i = tl.arange(0, 48)  # error: 9: 48 elements, not a power of two
    tl.store(p + i, 0.0)
