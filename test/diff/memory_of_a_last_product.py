# A product that is waited for at the end of its iteration takes memory that threads have filled: what stands between goes through other memory.
# run: difftest %s
# expect: success
# launch: 1 4 3 1 2 1
# buffer: a fp16 16384 8 -2 3
# buffer: b fp16 16384 16 -2 3
# buffer: d i8 16384 32 -2 3
# buffer: c fp32 4096 24 -2 3
# buffer: s fp32 4096 40 -2 3
# number: K i32 256
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, d, c, s, K):
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    acc2 = tl.zeros((64, 64), tl.float32)
    for at in range(0, K, 64):
        x = tl.load(a + i[:, None] * K + (at + k)[None, :])
        y = tl.load(b + (at + k)[:, None] * 64 + j[None, :])
        z = tl.load(d + (at + k)[:, None] * 64 + j[None, :]).to(tl.float16)
        t = tl.dot(x, y)
        acc2 = tl.dot(x, z, acc2)
        u = tl.cumsum(t, 0)
        acc += tl.trans(u)
    at = i[:, None] * 64 + j[None, :]
    tl.store(c + at, acc)
    tl.store(s + at, acc2)
