# A constexpr that nobody gives: said at the kernel, with its name.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def kernel(p, BLOCK: tl.constexpr):  # error: 15: no value for constexpr parameter 'BLOCK'
    tl.store(p + tl.arange(0, BLOCK), 0.0)
