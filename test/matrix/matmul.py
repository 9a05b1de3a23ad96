"""The matmul of the compile matrix (matrix.c): not a test by itself."""
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, m_ptr, k_ptr, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           MASKED: tl.constexpr, INDIRECT: tl.constexpr, PRECISION: tl.constexpr, OUT: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    rows = m
    if INDIRECT:
        rows = tl.load(m_ptr + m, mask=m < M, other=0)
    a_ptrs = a_ptr + rows[:, None] * sam + k[None, :] * sak
    b_ptrs = b_ptr + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), OUT)
    for i in range(tl.cdiv(K, BK)):
        if INDIRECT:
            at = tl.load(k_ptr + i * BK + k, mask=k < K - i * BK, other=0)
            b_ptrs = b_ptr + at[:, None] * sbk + n[None, :] * sbn
        if MASKED:
            a = tl.load(a_ptrs, mask=(m[:, None] < M) & (k[None, :] < K - i * BK), other=0)
            b = tl.load(b_ptrs, mask=(n[None, :] < N) & (k[:, None] < K - i * BK), other=0)
        else:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs)
        acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=OUT)
        a_ptrs += BK * sak
        if not INDIRECT:
            b_ptrs += BK * sbk
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
