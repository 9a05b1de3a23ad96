# Sums and products in fp32 of bf16 and fp16 that are rounded to fp16: what is bf16 has no place in fp16 before.
# run: difftest %s
# expect: success
# launch: 1 4 3 1 1
# buffer: a fp16 1024 3
# buffer: c bf16 1024 4
# buffer: o fp16 1024 5 0 0
import triton
import triton.language as tl


@triton.jit
def kernel(a, c, o):
    i = tl.arange(0, 128)
    q, w = tl.load(a + i).to(tl.float32), tl.load(c + i).to(tl.float32)
    tl.store(o + i, (q + w).to(tl.float16))
    tl.store(o + 128 + i, (q * w).to(tl.float16))
    tl.store(o + 256 + i, (q - w).to(tl.float16))
    tl.store(o + 384 + i, (w * w).to(tl.float16))
    tl.store(o + 512 + i, (w.to(tl.float64) + q.to(tl.float64)).to(tl.float16))
    tl.store(o + 640 + i, ((w.to(tl.float64) * q.to(tl.float64)) - w).to(tl.float16))
