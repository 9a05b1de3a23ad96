# A syntax error in a kernel: place and text; the errors of other kernels are not hidden.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    x = = 1  # error: 9: expected
    tl.store(p, x))  # error: 19: unmatched ')'
