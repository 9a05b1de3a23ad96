# A function that calls itself with a new constant each time.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def again(x, N: tl.constexpr):
    return again(x, N + 1)  # error: 12: deep


@triton.jit
def kernel(p):
    tl.store(p, again(1.0, 0))
