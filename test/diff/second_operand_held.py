# A product that takes its second operand from registers: they are held until it has ended, as those of a first operand are.
# run: difftest %s
# expect: success
# launch: 2 4 3 1 1 4
# buffer: a fp32 57344 17218345815050907000 -1 1
# buffer: b fp32 57344 17594204391405368712 -1 1
# buffer: c fp32 57344 2309062831205033184 -1 1
# buffer: g fp32 90112 4177257160129158720 -1 1
# buffer: o fp32 57344 1062431618020071592 0 0
# buffer: m fp32 57344 11740712690466471768 0 0
# buffer: f fp32 188416 6923871389080351584 0 0
# buffer: e fp32 256 7846708874704751312 0 1
# number: T i32 160
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, g, o, m, f, e, T):
    pid = tl.program_id(0).to(tl.int64)
    a += pid * 28672
    b += pid * 28672
    c += pid * 28672
    g += pid * 45056
    o += pid * 28672
    m += pid * 28672
    f += pid * 94208
    r = tl.arange(0, 64)
    for at in tl.range(0, T, 64, num_stages=1, warp_specialize=True):
        k = tl.load(b + (at + r)[:, None] * 128 + tl.arange(0, 128)[None, :], mask=(at + r)[:, None] < T, other=0)
        v = tl.load(c + (at + r)[:, None] * 128 + tl.arange(0, 128)[None, :], mask=(at + r)[:, None] < T, other=0)
        dk = tl.zeros((64, 128), tl.float32)
        dv = tl.zeros((64, 128), tl.float32)
        for to in tl.range(at, T, 64, num_stages=3):
            q = tl.load(a + (to + r)[:, None] * 128 + tl.arange(0, 128)[None, :], mask=(to + r)[:, None] < T, other=0)
            do = tl.load(g + (to + r)[:, None] * 128 + tl.arange(0, 128)[None, :], mask=(to + r)[:, None] < T, other=0)
            do = do.to(tl.float32)
            w = tl.load(e + (to + r) % 64).to(tl.float32)
            p = tl.dot(q, k.T)
            p = tl.where((p > w[:, None]) & ((to + r)[:, None] >= (at + r)[None, :]), 1.0, 0.0)
            dv += tl.dot(tl.permute(p.to(do.dtype), (1, 0)), do)
            x = tl.dot(do, tl.trans(v))
            x = p * (x - w[:, None])
            x = tl.minimum(tl.maximum(x, -2), 2)
            x = x.to(tl.float32)
            dk = tl.dot(tl.permute(x, (1, 0)), q, dk)
        tl.store(o + (at + r)[:, None] * 128 + tl.arange(0, 128)[None, :], dv.to(o.dtype.element_ty), mask=(at + r)[:, None] < T)
        tl.store(m + (at + r)[:, None] * 128 + tl.arange(0, 128)[None, :], dk, mask=(at + r)[:, None] < T)
