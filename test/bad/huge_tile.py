# A tile of 2^40 elements: the limit and the need are both said.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    x = tl.zeros((1048576, 1048576), tl.float32)  # error: 9: a tile of shape [1048576, 1048576]: numel (1099511627776) exceeds triton maximum tensor numel (1048576)
    tl.store(p, tl.sum(tl.sum(x, 0), 0))
