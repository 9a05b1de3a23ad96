"""Kernels with dots that bench/gpu/matmul.py measures. TILE_IMPL says which implementation of the tile language compiles them."""
import importlib
import os

triton = importlib.import_module(os.environ.get("TILE_IMPL", "neso"))
tl = importlib.import_module(triton.__name__ + ".language")


@triton.jit
def tile_of(pid, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Tiles in groups of GROUP rows, column by column: neighbours share what they read."""
    rows = tl.cdiv(M, BM)
    per_group = GROUP * tl.cdiv(N, BN)
    first = pid // per_group * GROUP
    size = min(rows - first, GROUP)
    return first + pid % per_group % size, pid % per_group // size


@triton.jit
def matmul(a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr):
    pm, pn = tile_of(tl.program_id(0), M, N, BM, BN, GROUP)
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = (pn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    a += rm[:, None] * sam + rk[None, :] * sak
    b += rk[:, None] * sbk + rn[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=ACC)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=rk[None, :] < K - k * BK, other=0.0)
        y = tl.load(b, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=ACC)
        a += BK * sak
        b += BK * sbk
    cm = pm * BM + tl.arange(0, BM)
    cn = pn * BN + tl.arange(0, BN)
    tl.store(c + cm[:, None] * scm + cn[None, :] * scn, acc.to(c.dtype.element_ty), mask=(cm[:, None] < M) & (cn[None, :] < N))


@triton.jit
def batched(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """A product of each batch; all contiguous."""
    pm, pn = tile_of(tl.program_id(0), M, N, BM, BN, GROUP)
    batch = tl.program_id(1).to(tl.int64)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a += batch * M * K + rm[:, None] * K + rk[None, :]
    b += batch * K * N + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a, mask=(rm[:, None] < M) & (rk[None, :] < K - k), other=0.0)
        y = tl.load(b, mask=(rk[:, None] < K - k) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * N
    tl.store(c + batch * M * N + rm[:, None] * N + rn[None, :], acc.to(c.dtype.element_ty),
             mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def batched3d(a, b, c, M, N, K, BB: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Small products of several batches as one dot of rank 3; all contiguous, sizes multiples of the tiles."""
    rb = tl.program_id(2) * BB + tl.arange(0, BB)[:, None, None]
    rm = tl.program_id(0) * BM + tl.arange(0, BM)[None, :, None]
    rn = tl.program_id(1) * BN + tl.arange(0, BN)[None, None, :]
    acc = tl.zeros((BB, BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rb * M * K + rm * K + k + tl.arange(0, BK)[None, None, :])
        y = tl.load(b + rb * K * N + (k + tl.arange(0, BK))[None, :, None] * N + rn)
        acc = tl.dot(x, y, acc)
    tl.store(c + rb * M * N + rm * N + rn, acc.to(c.dtype.element_ty))


@triton.jit
def dequant8(a, w, scale, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """fp16 rows by int8 weights [K, N] with a scale for each column; all contiguous."""
    pm, pn = tile_of(tl.program_id(0), M, N, BM, BN, GROUP)
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = (pn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    a += rm[:, None] * K + rk[None, :]
    w += rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=rk[None, :] < K - k * BK, other=0.0)
        y = tl.load(w, mask=rk[:, None] < K - k * BK, other=0)
        acc = tl.dot(x, y.to(tl.float16), acc)
        a += BK
        w += BK * N
    acc = acc * tl.load(scale + rn)[None, :]
    cm = pm * BM + tl.arange(0, BM)
    cn = pn * BN + tl.arange(0, BN)
    tl.store(c + cm[:, None] * N + cn[None, :], acc.to(tl.float16), mask=(cm[:, None] < M) & (cn[None, :] < N))


@triton.jit
def dequant4(a, w, scale, zero, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PER: tl.constexpr,
             GROUP: tl.constexpr):
    """fp16 rows by 4-bit weights, eight to an int32 along K [K / 8, N]; a scale and a zero [K / PER, N] for PER rows. All contiguous,
    K and PER multiples of BK."""
    pm, pn = tile_of(tl.program_id(0), M, N, BM, BN, GROUP)
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = (pn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    a += rm[:, None] * K + rk[None, :]
    w += (rk[:, None] // 8) * N + rn[None, :]
    shift = (rk[:, None] % 8) * 4
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K // BK):
        x = tl.load(a)
        y = tl.load(w)
        group = k * BK // PER
        s = tl.load(scale + group * N + rn)
        z = tl.load(zero + group * N + rn)
        v = ((y >> shift) & 15).to(tl.float16)
        acc = tl.dot(x, (v - z[None, :]) * s[None, :], acc)
        a += BK
        w += BK // 8 * N
    cm = pm * BM + tl.arange(0, BM)
    cn = pn * BN + tl.arange(0, BN)
    tl.store(c + cm[:, None] * N + cn[None, :], acc.to(tl.float16), mask=(cm[:, None] < M) & (cn[None, :] < N))


@triton.jit
def attention(Q, K, V, O, scale, N, H, sz, sh, sn, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Attention forward in one loop; rows of D contiguous numbers, N a multiple of the tiles."""
    start = tl.program_id(0)
    hz = tl.program_id(1)
    base = (hz // H).to(tl.int64) * sz + (hz % H).to(tl.int64) * sh
    om = start * BM + tl.arange(0, BM)
    on = tl.arange(0, BN)
    od = tl.arange(0, D)
    q = tl.load(Q + base + om[:, None] * sn + od[None, :])
    top = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    factor = scale * 1.44269504
    end = (start + 1) * BM if CAUSAL else N
    for n in range(0, end, BN):
        n = tl.multiple_of(n, BN)
        k = tl.load(K + base + (n + on)[None, :] * sn + od[:, None])
        s = tl.dot(q, k) * factor
        if CAUSAL:
            s = tl.where(om[:, None] >= (n + on)[None, :], s, -float("inf"))
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.math.exp2(s - higher[:, None])
        fade = tl.math.exp2(top - higher)
        total = total * fade + tl.sum(p, 1)
        acc = acc * fade[:, None]
        v = tl.load(V + base + (n + on)[:, None] * sn + od[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc)
        top = higher
    acc = acc / total[:, None]
    tl.store(O + base + om[:, None] * sn + od[None, :], acc.to(O.dtype.element_ty))


@triton.jit
def attention_padded(Q, K, V, O, scale, N, H, sz, sh, sn, D: tl.constexpr, HEAD: tl.constexpr, BM: tl.constexpr,
                     BN: tl.constexpr, CAUSAL: tl.constexpr):
    """The same for heads of HEAD numbers, which is no power of two; D is the next one."""
    start = tl.program_id(0)
    hz = tl.program_id(1)
    base = (hz // H).to(tl.int64) * sz + (hz % H).to(tl.int64) * sh
    om = start * BM + tl.arange(0, BM)
    on = tl.arange(0, BN)
    od = tl.arange(0, D)
    q = tl.load(Q + base + om[:, None] * sn + od[None, :], mask=od[None, :] < HEAD, other=0.0)
    top = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    factor = scale * 1.44269504
    end = (start + 1) * BM if CAUSAL else N
    for n in range(0, end, BN):
        n = tl.multiple_of(n, BN)
        k = tl.load(K + base + (n + on)[None, :] * sn + od[:, None], mask=od[:, None] < HEAD, other=0.0)
        s = tl.dot(q, k) * factor
        if CAUSAL:
            s = tl.where(om[:, None] >= (n + on)[None, :], s, -float("inf"))
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.math.exp2(s - higher[:, None])
        fade = tl.math.exp2(top - higher)
        total = total * fade + tl.sum(p, 1)
        acc = acc * fade[:, None]
        v = tl.load(V + base + (n + on)[:, None] * sn + od[None, :], mask=od[None, :] < HEAD, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc)
        top = higher
    acc = acc / total[:, None]
    tl.store(O + base + om[:, None] * sn + od[None, :], acc.to(O.dtype.element_ty), mask=od[None, :] < HEAD)


@triton.jit
def attention_blocks(q, k, v, acc, top, total, lo, hi, om, on, sn, D: tl.constexpr, BN: tl.constexpr, MASK: tl.constexpr,
                     factor):
    k += lo * sn
    v += lo * sn
    for n in range(lo, hi, BN):
        n = tl.multiple_of(n, BN)
        s = tl.dot(q, tl.load(k))
        if MASK:
            s = s * factor + tl.where(om[:, None] >= (n + on)[None, :], 0, -1.0e6)
            higher = tl.maximum(top, tl.max(s, 1))
            s -= higher[:, None]
        else:
            higher = tl.maximum(top, tl.max(s, 1) * factor)
            s = s * factor - higher[:, None]
        p = tl.math.exp2(s)
        fade = tl.math.exp2(top - higher)
        part = tl.sum(p, 1)
        acc = acc * fade[:, None]
        y = tl.load(v)
        acc = tl.dot(p.to(y.dtype), y, acc)
        total = total * fade + part
        top = higher
        k += BN * sn
        v += BN * sn
    return acc, top, total


@triton.jit
def attention_staged(Q, K, V, O, scale, N, H, sz, sh, sn, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """The same with a loop for what no mask touches and one for the diagonal."""
    start = tl.program_id(0)
    hz = tl.program_id(1)
    base = (hz // H).to(tl.int64) * sz + (hz % H).to(tl.int64) * sh
    om = start * BM + tl.arange(0, BM)
    on = tl.arange(0, BN)
    od = tl.arange(0, D)
    q = tl.load(Q + base + om[:, None] * sn + od[None, :])
    k = K + base + on[None, :] * sn + od[:, None]
    v = V + base + on[:, None] * sn + od[None, :]
    top = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    factor = scale * 1.44269504
    if CAUSAL:
        acc, top, total = attention_blocks(q, k, v, acc, top, total, 0, start * BM, om, on, sn, D, BN, False, factor)
        acc, top, total = attention_blocks(q, k, v, acc, top, total, start * BM, (start + 1) * BM, om, on, sn, D, BN, True, factor)
    else:
        acc, top, total = attention_blocks(q, k, v, acc, top, total, 0, N, om, on, sn, D, BN, False, factor)
    acc = acc / total[:, None]
    tl.store(O + base + om[:, None] * sn + od[None, :], acc.to(O.dtype.element_ty))
