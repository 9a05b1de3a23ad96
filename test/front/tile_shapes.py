# Shapes that do not go together: both are shown.
# options: --signature "*fp32,i32,64,32"
import triton
import triton.language as tl


@triton.jit
def kernel(p, i, B: tl.constexpr, C: tl.constexpr):
    x = tl.arange(0, B)
    y = tl.arange(0, C)
    tile = x[:, None] + y[None, :]
    a = tile + (y[:, None] + x[None, :])
    b = tl.broadcast_to(x, [C])
    c = tl.arange(0, 48)
    d = tl.arange(8, 8)
    e = tl.zeros([3, 4], tl.float32)
    f = tl.zeros([4096, 4096], tl.float32)
    g = tl.reshape(x, [C])
    h = tl.permute(tile, (0, 0))
    j = tl.trans(x)
    k = tl.join(x, x.to(tl.float32))
    m = tl.cat(tile, tile)
    n = tl.split(x)
    o = x[0]
    q = tl.sum(tile, axis=2)
    r = tl.expand_dims(x, 3)
    s = tile.item()
    t = tl.zeros([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], tl.float32)
    u = tl.arange(0, i)
