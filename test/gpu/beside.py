"""Loops in which threads take tiles beside those of products: test/check/beside.sh runs them."""
import triton
import triton.language as tl


@triton.jit
def biased(q_ptr, k_ptr, v_ptr, bias_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, KEEP: tl.constexpr):
    """Attention with a number for each row and key, which is added, or says by 0 that the key does not count."""
    m, c, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    top = tl.full([BM], -1e30, tl.float32)
    sums = tl.zeros([BM], tl.float32)
    for i in range(0, n, BN):
        k = tl.load(k_ptr + (i + c)[:, None] * D + d[None, :], mask=(i + c)[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k)) * 0.125
        bias = tl.load(bias_ptr + m[:, None] * n + (i + c)[None, :], mask=(i + c)[None, :] < n, other=0)
        if KEEP:
            s = tl.where(bias != 0, s, -1e30)
        else:
            s += tl.where((i + c)[None, :] < n, bias.to(tl.float32), -1e30)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        f = tl.exp2(top - new)
        sums = sums * f + tl.sum(p, 1)
        v = tl.load(v_ptr + (i + c)[:, None] * D + d[None, :], mask=(i + c)[:, None] < n, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * f[:, None])
        top = new
    tl.store(o_ptr + m[:, None] * D + d[None, :], (acc / sums[:, None]).to(tl.float16))


@triton.jit
def scaled(a_ptr, w_ptr, c_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """fp16 rows by int8 weights."""
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.float32)
    for i in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (i + k)[None, :])
        w = tl.load(w_ptr + (i + k)[:, None] * N + n[None, :])
        acc = tl.dot(a, w.to(tl.float16), acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def masked(q_ptr, k_ptr, v_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """Causal attention whose masks are added: of keys that are not there, of those that come later."""
    m, c, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    top = tl.full([BM], -1e30, tl.float32)
    sums = tl.zeros([BM], tl.float32)
    for i in range(0, tl.minimum(n, (tl.program_id(0) + 1) * BM), BN):
        k = tl.load(k_ptr + (i + c)[:, None] * D + d[None, :], mask=(i + c)[:, None] < n, other=0.0)
        s = tl.zeros([BM, BN], tl.float32)
        s += tl.dot(q, tl.trans(k))
        s += tl.where((i + c)[None, :] < n, 0, float("-inf"))
        s += tl.where(m[:, None] >= (i + c)[None, :], 0, float("-inf"))
        new = tl.maximum(top, tl.max(s, 1) * 0.125)
        p = tl.exp2(s * 0.125 - new[:, None])
        f = tl.exp2(top - new)
        sums = sums * f + tl.sum(p, 1)
        v = tl.load(v_ptr + (i + c)[:, None] * D + d[None, :], mask=(i + c)[:, None] < n, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * f[:, None])
        top = new
    tl.store(o_ptr + m[:, None] * D + d[None, :], (acc / sums[:, None]).to(tl.float16))
