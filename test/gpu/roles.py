"""Kernels for warps with roles: not a test, but what test/check/roles.sh and bench/gpu/roles.py run."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            ALONG_K: tl.constexpr, WS: tl.constexpr, S: tl.constexpr):
    """Operands by descriptors; B is [N, K] where it lies along K, else [K, N]."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    if ALONG_K:
        b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    else:
        b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), num_stages=S, warp_specialize=WS):
        a = a_desc.load([m, k * BK])
        if ALONG_K:
            b = b_desc.load([n, k * BK]).T
        else:
            b = b_desc.load([k * BK, n])
        acc = tl.dot(a, b, acc)
    i, j = m + tl.arange(0, BM), n + tl.arange(0, BN)
    tl.store(c_ptr + i[:, None] * N + j[None, :], acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def persistent(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
               WS: tl.constexpr, S: tl.constexpr):
    """Each program does tiles one after the other; copies of the next one start under the store of this one."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    across = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across, tl.num_programs(0), flatten=WS, warp_specialize=WS):
        m, n = tile // across * BM, tile % across * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in tl.range(0, tl.cdiv(K, BK), num_stages=S):
            acc = tl.dot(a_desc.load([m, k * BK]), b_desc.load([k * BK, n]), acc)
        c_desc.store([m, n], acc.to(tl.float16))


@triton.jit
def pointers(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
             WS: tl.constexpr, S: tl.constexpr):
    """The same through plain pointers, as tutorials write it."""
    i = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    j = (tl.program_id(1) * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a, b = a_ptr + i[:, None] * K + k[None, :], b_ptr + k[:, None] * N + j[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for step in tl.range(0, tl.cdiv(K, BK), num_stages=S, warp_specialize=WS):
        x = tl.load(a, mask=k[None, :] < K - step * BK, other=0.0)
        y = tl.load(b, mask=k[:, None] < K - step * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * N
    i, j = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(c_ptr + i[:, None] * N + j[None, :], acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
              WS: tl.constexpr, S: tl.constexpr):
    m, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    k_desc = tl.make_tensor_descriptor(k_ptr, [n, D], [D, 1], [BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, [n, D], [D, 1], [BN, D])
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    top = tl.full([BM], -1e30, tl.float32)
    sums = tl.zeros([BM], tl.float32)
    for i in tl.range(0, n, BN, num_stages=S, warp_specialize=WS):
        s = tl.dot(q, k_desc.load([i, 0]).T) * scale
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        f = tl.exp2(top - new)
        sums = sums * f + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v_desc.load([i, 0]), acc * f[:, None])
        top = new
    tl.store(o_ptr + m[:, None] * D + d[None, :], (acc / sums[:, None]).to(tl.float16))
