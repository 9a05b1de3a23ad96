# What is loaded is what other threads stored, at addresses that were summed in another order, by quotients, and from loop to loop.
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
    for k in range(4):
        p = tl.dot(x, tl.trans(tl.load(b + tile)))
        most = tl.max(p, 1) * 0.01
        tl.store(t + (i + n), most)
        total = total * tl.load(t + n + i)[:, None]
        tl.store(t + 512 + (i % 32 * 4 + i // 32), most)
        total += tl.load(t + 512 + (i % 32 * 4 + i // 32))[:, None]
        total += tl.dot((p * 0.01).to(tl.float16), tl.load(b + tile))
    for k in range(0, n):
        p = tl.dot(x, tl.trans(tl.load(b + tile)))
        tl.store(t + 1024 + k * 128 + i, tl.max(p, 1) * 0.01)
    for k in range(0, n):
        total += tl.load(t + 1024 + k * 128 + i)[:, None]
    tl.store(o + tile, total)
