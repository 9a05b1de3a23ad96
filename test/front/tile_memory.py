# Loads, stores and atomics: pointers, masks and options that do not fit.
# options: --signature "*fp32,*ki32,i32,*fp16,64"
import triton
import triton.language as tl


@triton.jit
def kernel(p, c, i, h, B: tl.constexpr):
    x = tl.arange(0, B)
    a = tl.load(x)
    tl.store(c + x, x)
    tl.store(p, x)
    b = tl.load(p + x, mask=x)
    d = tl.load(p + x, other=0.0)
    e = tl.load(p + x, boundary_check=(0,))
    f = tl.load(p + x, mask=x[:, None] < 3)
    g = tl.load(p, mask=x < 3)
    tl.store(p + x, 0.0, mask=x[:, None] < 3)
    j = tl.load(p + x, cache_modifier=".xx")
    block = tl.make_block_ptr(p, (B, B), (B, 1), (0, 0), (16, 16), (1, 0))
    k = tl.load(block, mask=x < 3)
    m = tl.load(block, boundary_check=(2,))
    tl.store(block, x)
    ints = tl.make_block_ptr(c, (B,), (1,), (0,), (16,), (0,))
    n = tl.load(ints, boundary_check=(0,), padding_option="nan")
    o = tl.advance(p, (0, 0))
    q = tl.advance(block, (0,))
    r = tl.advance(block, (0, 1.5))
    s = tl.make_block_ptr(p, (B, B), (B, 1), (0, 0), (16, 16), (0, 0))
    tl.atomic_max(h, 1.0)
    t = tl.atomic_add(c, 1)
    u = tl.atomic_add(p, 1.0, sem="later")
