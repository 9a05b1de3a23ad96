# Operands of bytes and words that lie across K come from registers, read from the ring in parts beside the product, without conflicts
# between banks; where both lie so the other one is turned an iteration ahead.
import triton
import triton.language as tl


@triton.jit
def product(a, b, o, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * am + (i + k)[None, :] * ak)
        y = tl.load(b + (i + k)[:, None] * bk + n[None, :] * bn)
        acc = tl.dot(x, y, acc, out_dtype=ACC)
    tl.store(o + m[:, None] * BN + n[None, :], acc)
