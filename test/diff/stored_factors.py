# Factors that a loop of products stores and loads again at once are what was stored; so nothing that is stored is loaded, and the
# products' operands are copied ahead.
# run: difftest %s
# expect: success
# launch: 2 4 3 1 1 1
# buffer: q fp16 8192 1 -1 1
# buffer: k fp16 24576 2 -1 1
# buffer: v fp16 24576 3 -1 1
# buffer: t fp32 128 4 -1 1
# buffer: o fp32 8192 5 -1 1
import triton
import triton.language as tl


@triton.jit
def kernel(q, k, v, t, o):
    pid = tl.program_id(0)
    i, j, d = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    x = tl.load(q + (pid * 64 + i[:, None]) * 64 + d[None, :])
    total = tl.zeros((64, 64), tl.float32)
    most = tl.full((64,), -100.0, tl.float32)
    for n in range(0, 192, 64):
        at = (pid * 192 + n + j[:, None]) * 64 + d[None, :]
        p = tl.dot(x, tl.trans(tl.load(k + at))) * 0.125
        new = tl.maximum(most, tl.max(p, 1))
        tl.store(t + pid * 64 + i, tl.exp2(most - new))
        total = total * tl.load(t + pid * 64 + i)[:, None]
        total += tl.dot(tl.exp2(p - new[:, None]).to(tl.float16), tl.load(v + at))
        most = new
    tl.store(o + (pid * 64 + i[:, None]) * 64 + d[None, :], total)
