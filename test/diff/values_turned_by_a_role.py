# Attention's values of bytes lie across K: warps of their own turn each tile in the ring, in a loop of two products.
# run: difftest %s
# expect: success
# floats: new
# launch: 2 8 3 1 3
# buffer: q fp8e4nv 16384 5286180720235726098 -2 2
# buffer: k fp8e4nv 28672 9314125017250868152 -2 2
# buffer: v fp8e4nv 28672 9168672636289433736 -3 3
# buffer: o fp32 16384 5286180720235726945 -100 100
# number: N i32 448
import triton
import triton.language as tl


@triton.jit
def kernel(q, k, v, o, N):
    om, od, on = tl.program_id(0) * 128 + tl.arange(0, 128), tl.arange(0, 64), tl.arange(0, 64)
    x = tl.load(q + om[:, None] * 64 + od[None, :])
    acc = tl.zeros((128, 64), tl.float32)
    top = tl.zeros((128,), tl.float32)
    for n in range(0, N, 64):
        y = tl.load(k + (n + on)[None, :] * 64 + od[:, None])
        s = tl.dot(x, y)
        higher = tl.maximum(top, tl.max(s, 1) * 0.25)
        p = tl.where(s > higher[:, None], 2.0, 0.5)
        acc = acc * tl.where(higher > top, 0.5, 1.0)[:, None]
        z = tl.load(v + (n + on)[:, None] * 64 + od[None, :])
        acc = tl.dot(p.to(z.dtype), z, acc)
        top = higher
    tl.store(o + om[:, None] * 64 + od[None, :], acc)
