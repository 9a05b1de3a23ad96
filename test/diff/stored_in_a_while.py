# What is loaded is what other threads stored, at addresses that a branch chooses and a while moves.
# run: difftest %s
# expect: success
# launch: 1 1 1 0 4
# buffer: a fp16 8192 2878765784226899608 -1 1
# buffer: b fp16 8192 2878765784226900301 -1 1
# buffer: t fp32 2048 2878765784226900302 -1 1
# buffer: o fp32 8192 2878765784226900303 -1 1
# number: n i32 3
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, t, o, n):
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    tile = i[:, None] * 64 + j[None, :]
    x = tl.load(a + tile)
    total = tl.zeros((128, 64), tl.float32)
    if n > 2:
        q = t + i
    else:
        q = t + 128 + (127 - i)
    k = 0
    while k < n:
        p = tl.dot(x, tl.trans(tl.load(b + tile)))
        tl.store(q, tl.max(p, 1) * 0.01)
        total += tl.load(q)[:, None]
        q += 128
        k += 1
    q = t + 1024 + i
    k = 0
    while k < n:
        p = tl.dot(x, tl.trans(tl.load(b + tile)))
        tl.store(q, tl.max(p, 1) * 0.01)
        total += tl.load(1024 + t + i)[:, None]
        q += 128
        k += 1
    tl.store(o + tile, total)
