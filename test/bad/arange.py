# A range whose length is no power of two, where Triton's rules hold.
# run: NESO_STRICT_TRITON=1 neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    i = tl.arange(0, 48)  # error: 9: tl.arange(0, 48) has 48 elements; their number must be a power of 2, of which the next is 64
    tl.store(p + i, 0.0)
