# A call of a jit function with too few and with too many arguments.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def helper(a, b):
    return a + b


@triton.jit
def kernel(p):
    tl.store(p, helper(1.0))  # error: 17: 'b'
    tl.store(p, helper(1.0, 2.0, 3.0))  # error: 17: 3
