# Tiles whose sizes are no powers of two, where nothing can hide what pads them.
# run: neso compile %s:kernel --signature "*i32,i32"
import triton
import triton.language as tl


@triton.jit
def same(x):
    return x


@triton.jit
def kernel(p, n):
    x = tl.arange(0, 6)
    tl.map_elementwise(same, x)  # error: 5: tl.map_elementwise takes no tile whose sizes are no powers of two
    b = tl.make_block_ptr(p, (48,), (1,), (0,), (48,), (0,))  # error: 9: tl.make_block_ptr: dimension 0 of the tile is 48
    d = tl.make_tensor_descriptor(p, [48], [1], [48])  # error: 9: dimension 0 of the tile is 48; it must be a power of 2
