# What a product under way takes from registers stays in them: it is not read from memory again for the wait that holds it.
# run: difftest %s
# expect: success
# launch: 1 4 4 1 1 1
# buffer: a fp32 5120 793544178853856848 -1 1
# buffer: b fp32 5120 8939918665665401736 -1 1
# buffer: c fp32 10240 10899804459462335536 -1 1
# buffer: g fp32 12288 7963175830121410120 -1 1
# buffer: o fp32 10240 2365796987677015432 0 0
# buffer: m fp32 5120 17884202591891597784 0 0
# buffer: f fp32 11264 1345322640602314704 0 0
# buffer: e fp32 256 17779225029291967096 0 1
# number: T i32 96
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, g, o, m, f, e, T):
    pid = tl.program_id(0)
    a += pid * 5120
    b += pid * 5120
    c += pid * 10240
    g += pid * 12288
    o += pid * 10240
    m += pid * 5120
    f += pid * 11264
    r = tl.arange(0, 64)
    for at in tl.range(0, T, 64, num_stages=2, disallow_acc_multi_buffer=True):
        k = tl.load(b + (at + r)[:, None] * 32 + tl.arange(0, 32)[None, :], mask=(at + r)[:, None] < T, other=0)
        v = tl.load(c + (at + r)[:, None] * 64 + tl.arange(0, 64)[None, :], mask=(at + r)[:, None] < T, other=0)
        dk = tl.zeros((64, 32), tl.float32)
        dv = tl.zeros((64, 64), tl.float32)
        for to in tl.range(0, T, 64, num_stages=3, warp_specialize=True):
            q = tl.load(a + (to + r)[:, None] * 32 + tl.arange(0, 32)[None, :], mask=(to + r)[:, None] < T, other=0)
            do = tl.load(g + (to + r)[:, None] * 64 + tl.arange(0, 64)[None, :], mask=(to + r)[:, None] < T, other=0)
            do = do.to(tl.float32)
            w = tl.load(e + (to + r) % 64).to(tl.float32)
            p = tl.dot(q, tl.permute(k, (1, 0)))
            p = tl.where((p > w[:, None]) & ((to + r)[:, None] >= (at + r)[None, :]), 1.0, 0.0)
            dv += tl.dot(p.to(do.dtype).T, do)
            x = tl.dot(do, tl.trans(v))
            x = p * (x - w[:, None])
            x = tl.minimum(tl.maximum(x, -2), 2)
            x = x.to(tl.float32)
            dk = tl.dot(tl.permute(x, (1, 0)), q, dk)
            dq = tl.dot(x, k)
            tl.atomic_add(f + (to + r)[:, None] * 32 + tl.arange(0, 32)[None, :], dq, mask=(to + r)[:, None] < T)
        tl.store(o + (at + r)[:, None] * 64 + tl.arange(0, 64)[None, :], dv.to(o.dtype.element_ty), mask=(at + r)[:, None] < T)
        tl.store(m + (at + r)[:, None] * 32 + tl.arange(0, 32)[None, :], dk, mask=(at + r)[:, None] < T)
