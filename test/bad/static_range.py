# A loop of 10^9 iterations unrolled at compile time.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    for i in tl.static_range(10**9):  # error: 14: 1000000000
        tl.store(p + i, 0.0)
