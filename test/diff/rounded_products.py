# Products of halves in fp32 that are rounded again, and f32 rounded to halves and back, alone and in sums.
# run: difftest %s
# expect: success
# launch: 1 1 1 0 4
# buffer: a fp16 1024 2878765784226899608 -2 2
# buffer: b bf16 1024 2878765784226899609 -2 2
# buffer: f fp32 1024 2878765784226899610 -2 2
# buffer: o fp16 2048 2878765784226899611 -1 1
# buffer: q bf16 3072 2878765784226899612 -1 1
# buffer: r fp32 3072 2878765784226899613 -1 1
# buffer: u fp16 5120 2878765784226899614 -1 1
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, f, o, q, r, u):
    i = tl.arange(0, 1024)
    x, y, z = tl.load(a + i), tl.load(b + i), tl.load(f + i)
    hx, hz = x.to(tl.float32), z.to(tl.float16).to(tl.float32)
    by, bz = y.to(tl.float32), z.to(tl.bfloat16).to(tl.float32)
    tl.store(o + i, (hx * hz).to(tl.float16))
    tl.store(o + 1024 + i, (hx * hz).to(tl.float16) + x)
    tl.store(q + i, (by * bz).to(tl.bfloat16))
    tl.store(q + 1024 + i, (by * bz).to(tl.bfloat16) + y)
    tl.store(q + 2048 + i, by * 1e-30 * bz * 1e-8)
    tl.store(r + i, (by * bz).to(tl.bfloat16).to(tl.float32) + z)
    tl.store(r + 1024 + i, bz * z)
    tl.store(r + 2048 + i, bz + hz)
    j, k = tl.arange(0, 32)[:, None], tl.arange(0, 32)[None, :]
    s = tl.load(a + 7).to(tl.float32)
    row = tl.load(a + tl.arange(0, 32)).to(tl.float32)
    wide = tl.load(a + 32 * j + k).to(tl.float32)
    tl.store(u + 2048 + i, (hx * hz).to(tl.float16).to(tl.float32) + (hx * hx).to(tl.float16).to(tl.float32))
    tl.store(u + 3072 + i, (hx * hz).to(tl.float16) - (hz * hz).to(tl.float16))
    tl.store(u + 4096 + j, tl.sum((wide * row[None, :]).to(tl.float16), 1)[:, None])
    tl.store(u + 32 * j + k, (wide * row[None, :]).to(tl.float16))
    tl.store(u + 1024 + 32 * j + k, (wide * s).to(tl.float16))
