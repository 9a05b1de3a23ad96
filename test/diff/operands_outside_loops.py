# Products outside of loops whose operands copies bring, each awaited by the first that reads it; rows that masks leave out are zero.
# run: difftest %s
# expect: success
# launch: 2 4 1 1 1 1
# buffer: a fp16 6400 1 -1 1
# buffer: b fp16 32768 2 -1 1
# buffer: c fp16 32768 3 -1 1
# buffer: d fp16 6400 4 -1 1
# buffer: o fp32 49152 5 -1 1
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, o):
    pid = tl.program_id(0)
    i, j = tl.arange(0, 64), tl.arange(0, 128)
    at = i[:, None] * 128 + j[None, :]
    rows = i[:, None] < 25
    x = tl.load(a + pid * 3200 + at, mask=rows, other=0.0)
    y = tl.load(b + pid * 16384 + j[:, None] * 128 + j[None, :])
    z = tl.load(c + pid * 16384 + j[:, None] * 128 + j[None, :])
    w = tl.load(d + pid * 3200 + at, mask=rows, other=0.0)
    p = tl.dot(x, y)
    q = tl.dot(x, z)
    r = tl.dot(w, z)
    s = tl.dot(p.to(tl.float16), z)
    tl.store(o + pid * 24576 + at, p * 0.125 + r)
    tl.store(o + pid * 24576 + 8192 + at, q + r * 0.5 + s * 0.0625)
    tl.store(o + pid * 24576 + 16384 + at, p - q)
