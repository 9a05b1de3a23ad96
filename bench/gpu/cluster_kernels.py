"""Products that bench/gpu/clusters.py measures. TILE_IMPL says which implementation of the tile language compiles them."""
import importlib
import os

triton = importlib.import_module(os.environ.get("TILE_IMPL", "neso"))
tl = importlib.import_module(triton.__name__ + ".language")


@triton.jit
def tile_of(pid, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Programs in groups of eight rows of tiles."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (8 * columns)
    first = group * 8
    size = min(rows - first, 8)
    return first + pid % (8 * columns) % size, pid % (8 * columns) // size


@triton.jit
def pointers(a_ptr, b_ptr, c_ptr, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm, pn = tile_of(tl.program_id(0), M, N, BM, BN)
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = (pn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * sa + rk[None, :]
    b = b_ptr + rk[:, None] * sb + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=rk[None, :] < K - k * BK, other=0.0)
        y = tl.load(b, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * sb
    cm = pm * BM + tl.arange(0, BM)
    cn = pn * BN + tl.arange(0, BN)
    tl.store(c_ptr + cm[:, None] * sc + cn[None, :], acc.to(tl.float16), mask=(cm[:, None] < M) & (cn[None, :] < N))


@triton.jit
def descriptors(a_ptr, b_ptr, c_ptr, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    A = tl.make_tensor_descriptor(a_ptr, [M, K], [sa, 1], [BM, BK])
    B = tl.make_tensor_descriptor(b_ptr, [K, N], [sb, 1], [BK, BN])
    C = tl.make_tensor_descriptor(c_ptr, [M, N], [sc, 1], [BM, BN])
    pm, pn = tile_of(tl.program_id(0), M, N, BM, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(A.load([pm * BM, k * BK]), B.load([k * BK, pn * BN]), acc)
    C.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def persistent(a_ptr, b_ptr, c_ptr, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    A = tl.make_tensor_descriptor(a_ptr, [M, K], [sa, 1], [BM, BK])
    B = tl.make_tensor_descriptor(b_ptr, [K, N], [sb, 1], [BK, BN])
    C = tl.make_tensor_descriptor(c_ptr, [M, N], [sc, 1], [BM, BN])
    for t in range(tl.program_id(0), tl.cdiv(M, BM) * tl.cdiv(N, BN), tl.num_programs(0)):
        pm, pn = tile_of(t, M, N, BM, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            acc = tl.dot(A.load([pm * BM, k * BK]), B.load([k * BK, pn * BN]), acc)
        C.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, N, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn, rd = tl.arange(0, BN), tl.arange(0, D)
    head = tl.program_id(1) * N * D
    q = tl.load(q_ptr + head + rm[:, None] * D + rd[None, :])
    m = tl.full((BM,), -float("inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for s in range(0, N, BN):
        k = tl.load(k_ptr + head + (s + rn)[:, None] * D + rd[None, :])
        v = tl.load(v_ptr + head + (s + rn)[:, None] * D + rd[None, :])
        qk = tl.dot(q, tl.trans(k)) * scale
        mn = tl.maximum(m, tl.max(qk, 1))
        p = tl.exp2(qk - mn[:, None])
        f = tl.exp2(m - mn)
        l = l * f + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v, acc * f[:, None])
        m = mn
    tl.store(o_ptr + head + rm[:, None] * D + rd[None, :], (acc / l[:, None]).to(tl.float16))
