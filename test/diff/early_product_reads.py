# A product that starts early reads memory until it is waited for: what lies there is not overwritten before.
# run: difftest %s
# expect: success
# launch: 1 8 2 1 2 1
# buffer: a fp16 8192 1589319289085436800 -1 1
# buffer: b fp16 8192 274725498541036088 -1 1
# buffer: c fp16 4096 11494417743823844920 -1 1
# buffer: g fp32 4608 5749115850608419160 -1 1
# buffer: o fp32 4096 8333157134198557392 0 0
# buffer: m fp32 8192 2088282514229664784 0 0
# buffer: f fp32 10240 3041162462611421832 0 0
# buffer: e fp16 256 364907944058882096 0 1
# number: T i32 192
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, g, o, m, f, e, T):
    pid = tl.program_id(0)
    a += pid * 8192
    b += pid * 8192
    c += pid * 4096
    g += pid * 4608
    o += pid * 4096
    m += pid * 8192
    f += pid * 10240
    r = tl.arange(0, 64)
    h = tl.zeros((32, 16), tl.float32)
    h2 = tl.zeros((32, 16), tl.float32)
    for at in tl.range(0, T, 64, num_stages=3):
        q = tl.load(a + (at + r)[:, None] * 32 + tl.arange(0, 32)[None, :], mask=(at + r)[:, None] < T, other=0)
        k = tl.load(b + (at + r)[:, None] * 32 + tl.arange(0, 32)[None, :], mask=(at + r)[:, None] < T, other=0)
        v = tl.load(c + (at + r)[:, None] * 16 + tl.arange(0, 16)[None, :], mask=(at + r)[:, None] < T, other=0)
        u = tl.dot(q, h.to(tl.float16))
        u = tl.dot(q, h2.to(tl.float16), u)
        p = tl.dot(q, tl.permute(k, (1, 0)))
        p = tl.where((r[:, None] > r[None, :]) & ((at + r)[None, :] < T), p, 0)
        u += tl.dot(p.to(v.dtype), v)
        n = v.to(tl.float32) - tl.dot(k, h.to(tl.float16))
        n = tl.minimum(tl.maximum(n, -2), 2)
        v = n.to(tl.float16)
        h = h * tl.load(e + at // 64).to(tl.float32)
        h = tl.dot(k.T, v, h)
        h = tl.minimum(tl.maximum(h, -4), 4)
        h2 = h2 + tl.dot(tl.trans(q), v)
        h2 = tl.minimum(tl.maximum(h2, -3), 3)
        tl.store(o + (at + r)[:, None] * 16 + tl.arange(0, 16)[None, :], u.to(o.dtype.element_ty), mask=(at + r)[:, None] < T)
    tl.store(f + 1536 + tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :], h + h2)
