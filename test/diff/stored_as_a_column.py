# A row that is stored, and loaded as a column at once: what is loaded is what other threads stored.
# run: difftest %s
# expect: success
# launch: 1 1 1 0 4
# buffer: a fp16 8192 2878765784226899608 -1 1
# buffer: b fp16 8192 2878765784226900301 -1 1
# buffer: t fp32 128 2878765784226900302 -1 1
# buffer: o fp32 8192 2878765784226900303 -1 1
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, t, o):
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    tile = i[:, None] * 64 + j[None, :]
    x = tl.load(a + tile)
    total = tl.zeros((128, 64), tl.float32)
    for k in range(4):
        p = tl.dot(x, tl.trans(tl.load(b + tile)))
        tl.store(t + i, tl.max(p, 1) * 0.01)
        total = total * tl.load(t + i[:, None])
        total += tl.dot((p * 0.01).to(tl.float16), tl.load(b + tile))
    tl.store(o + tile, total)
