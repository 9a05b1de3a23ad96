# Shapes that do not go together: both are shown.
# options: --signature "*fp32,i32,64,32"
import triton
import triton.language as tl


@triton.jit
def kernel(p, i, B: tl.constexpr, C: tl.constexpr):
    x = tl.arange(0, B)
    y = tl.arange(0, C)
    tile = x[:, None] + y[None, :]
    a = tile + (y[:, None] + x[None, :])  # error: 9: Cannot make_shape_compatible: incompatible dimensions at index 0: 64 and 32, of tile shapes [64, 32] and [32, 64]
    b = tl.broadcast_to(x, [C])  # error: 9: tl.broadcast_to: Cannot broadcast, only dimensions of size 1 are repeated: tile shape [64] to [32]
    d = tl.arange(8, 8)  # error: 9: tl.arange(8, 8): arange's end argument must be greater than the start argument, and an arange must fit in int32
    e = tl.full([0, 4], 0, tl.float32)  # error: 9: tl.full: dimension 0 of the tile is 0; it must be a power of 2
    f = tl.full([4096, 4096], 0, tl.float32)  # error: 9: a tile of shape [4096, 4096]: numel (16777216) exceeds triton maximum tensor numel (1048576)
    g = tl.reshape(x, [C])  # error: 9: tl.reshape: reshape() cannot change total number of elements in tensor: tile shape [64] has 64, [32] has 32
    h = tl.permute(tile, (0, 0))  # error: 9: tl.permute: [0, 0] is no permutation of the 2 dimensions
    j = tl.trans(x)  # error: 9: tl.trans needs two dimensions, found int32[64]
    k = tl.join(x, x.to(tl.float32))  # error: 9: tl.join: operands int32[64] and fp32[64] do not go together
    m = tl.cat(tile, tl.trans(tile))  # error: 9: tl.cat: operands int32[64, 32] and int32[32, 64] do not go together
    n = tl.split(x)  # error: 9: tl.split needs a last dimension of size 2, found int32[64]
    o = x[1.5]  # error: 9: unsupported tensor index: int32[64] cannot be indexed by 1.5; a tile takes ':', None,
    q = tl.sum(tile, axis=2)  # error: 9: tl.reduce: invalid axis 2 for 2 dimensions
    r = tl.expand_dims(x, 3)  # error: 9: tl.expand_dims: invalid axis 3 for 2 dimensions
    r2 = tl.expand_dims(x, (0, -3))  # error: 10: tl.expand_dims: duplicate axes, normalized axes = [0, 0]
    s = tile.item()  # error: 9: .item: expected a scalar, found int32[64, 32]
    t = tl.full([1] * 17, 0, tl.float32)  # error: 9: a tile has at most 16 dimensions
    u = tl.arange(0, i)  # error: 9: tl.arange: 'end' must be an integer known when compiling, not int32
