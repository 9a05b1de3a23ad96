# A block pointer is moved by assigning what tl.advance gives.
# options: --signature "*fp32"
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    b = tl.make_block_ptr(p, (64,), (1,), (0,), (64,), (0,))
    tl.advance(b, (3,))  # error: 5: The result of tl.advance is not being used. Note that tl.advance does not have any side effects. To move the block pointer, you need to assign the result of tl.advance to a variable.
    b.advance([0])  # error: 5: The result of b.advance is not being used.
    b = tl.advance(b, (3,))
    tl.store(b, tl.load(b))
