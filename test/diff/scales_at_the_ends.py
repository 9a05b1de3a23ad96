# Scales of the smallest exponents, and one too large for fp16: what is multiplied is rounded to bf16 or fp16 first, and 0 is no power.
# run: difftest %s
# expect: success
# launch: 1 4 1 1 1 1
# buffer: p0 bf16 8192 3 -7 7
# buffer: p1 fp16 8192 4 -7 7
# buffer: s0 u8 256 5 0 2
# buffer: p2 u8 4096 6 48 60
# buffer: s2 u8 128 7 125 129
# buffer: s1 u8 256 8 140 150
# buffer: o0 fp32 8192 9 -100 100
# buffer: o1 fp32 8192 10 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p1, s0, p2, s2, s1, o0, o1):
    m, n, k, g = tl.arange(0, 128), tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 2)
    w = tl.load(p2 + k[:, None] * 64 + n[None, :])
    sw = tl.load(s2 + n[:, None] * 2 + g[None, :])
    x = tl.load(p0 + m[:, None] * 64 + k[None, :])
    a = tl.dot_scaled(x, tl.load(s0 + m[:, None] * 2 + g[None, :]), "bf16", w, sw, "e5m2")
    tl.store(o0 + m[:, None] * 64 + n[None, :], a)
    y = tl.load(p1 + m[:, None] * 64 + k[None, :])
    b = tl.dot_scaled(y, tl.load(s1 + m[:, None] * 2 + g[None, :]), "fp16", w, sw, "e5m2")
    tl.store(o1 + m[:, None] * 64 + n[None, :], b)
