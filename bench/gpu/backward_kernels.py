"""Attention's backward, which bench/gpu/backward.py measures and test/gpu/compare.py runs. TILE_IMPL says which implementation of the
tile language compiles it. Rows of D contiguous numbers, heads one after the other, N a multiple of the tiles.

`lse` holds, of each row, the logarithm to base 2 of the sum of 2 ** (scale * log2(e) * q.k): the forward kernel here writes it. `delta` holds
the sums of o * do."""
import importlib
import os

triton = importlib.import_module(os.environ.get("TILE_IMPL", "neso"))
tl = importlib.import_module(triton.__name__ + ".language")


@triton.jit
def forward(q, k, v, o, lse, factor, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """What the backward starts from; factor is scale * log2(e)."""
    start = tl.program_id(0) * BM
    base = tl.program_id(1).to(tl.int64) * N
    om = start + tl.arange(0, BM)
    on = tl.arange(0, BN)
    od = tl.arange(0, D)
    rows = (base + om)[:, None] * D + od[None, :]
    x = tl.load(q + rows)
    top = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for n in range(0, start + BM if CAUSAL else N, BN):
        s = tl.dot(x, tl.load(k + (base + n + on)[None, :] * D + od[:, None])) * factor
        if CAUSAL:
            s = tl.where(om[:, None] >= (n + on)[None, :], s, -float("inf"))
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.math.exp2(s - higher[:, None])
        fade = tl.math.exp2(top - higher)
        total = total * fade + tl.sum(p, 1)
        y = tl.load(v + (base + n + on)[:, None] * D + od[None, :])
        acc = tl.dot(p.to(y.dtype), y, acc * fade[:, None])
        top = higher
    tl.store(o + rows, (acc / total[:, None]).to(o.dtype.element_ty))
    tl.store(lse + base + om, top + tl.math.log2(total))


@triton.jit
def prepare(o, do, delta, N, D: tl.constexpr, BM: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * N + tl.program_id(0) * BM + tl.arange(0, BM)
    at = row[:, None] * D + tl.arange(0, D)[None, :]
    x = tl.load(o + at).to(tl.float32)
    y = tl.load(do + at).to(tl.float32)
    tl.store(delta + row, tl.sum(x * y, 1))


# ---- a program has a block of keys, then a block of rows: nothing is added up in memory


@triton.jit
def over_rows(dk, dv, k, v, q, do, lse, delta, start, steps, on, D: tl.constexpr, BM: tl.constexpr, MASK: tl.constexpr):
    """Adds to dK and dV what `steps` blocks of BM rows from `start` on give; k is scaled to base 2."""
    om = start + tl.arange(0, BM)
    od = tl.arange(0, D)
    qt = q + om[None, :] * D + od[:, None]
    dop = do + om[:, None] * D + od[None, :]
    at = start
    for _ in range(steps):
        x = tl.load(qt)
        rows = at + tl.arange(0, BM)
        l = tl.load(lse + rows)
        pt = tl.math.exp2(tl.dot(k, x) - l[None, :])
        if MASK:
            pt = tl.where(rows[None, :] >= on[:, None], pt, 0.0)
        y = tl.load(dop)
        dv += tl.dot(pt.to(y.dtype), y)
        d = tl.load(delta + rows)
        dst = pt * (tl.dot(v, tl.trans(y)) - d[None, :])
        dk += tl.dot(dst.to(x.dtype), tl.trans(x))
        at += BM
        qt += BM * D
        dop += BM * D
    return dk, dv


@triton.jit
def over_keys(dq, q, do, l, d, k, v, start, steps, om, D: tl.constexpr, BN: tl.constexpr, MASK: tl.constexpr):
    """Adds to dQ what `steps` blocks of BN keys from `start` on give."""
    on = start + tl.arange(0, BN)
    od = tl.arange(0, D)
    kt = k + on[None, :] * D + od[:, None]
    vt = v + on[None, :] * D + od[:, None]
    at = start
    for _ in range(steps):
        x = tl.load(kt)
        y = tl.load(vt)
        p = tl.math.exp2(tl.dot(q, x) - l[:, None])
        if MASK:
            p = tl.where(om[:, None] >= (at + tl.arange(0, BN))[None, :], p, 0.0)
        ds = p * (tl.dot(do, y) - d[:, None])
        dq += tl.dot(ds.to(x.dtype), tl.trans(x))
        at += BN
        kt += BN * D
        vt += BN * D
    return dq


@triton.jit
def backward(q, k, v, do, dq, dk, dv, lse, delta, scale, N, D: tl.constexpr, BM1: tl.constexpr, BN1: tl.constexpr, BM2: tl.constexpr,
             BN2: tl.constexpr, SLICE: tl.constexpr, CAUSAL: tl.constexpr):
    """dK and dV of BN1 keys, then dQ of BM2 rows (as many). k is k * scale * log2(e), by which S is to base 2. Blocks on the
    diagonal are SLICE times narrower."""
    base = tl.program_id(1).to(tl.int64) * N
    q += base * D
    k += base * D
    v += base * D
    do += base * D
    dq += base * D
    dk += base * D
    dv += base * D
    lse += base
    delta += base
    od = tl.arange(0, D)

    first = tl.program_id(0) * BN1
    on = first + tl.arange(0, BN1)
    at = on[:, None] * D + od[None, :]
    x = tl.load(k + at)
    y = tl.load(v + at)
    gk = tl.zeros([BN1, D], dtype=tl.float32)
    gv = tl.zeros([BN1, D], dtype=tl.float32)
    if CAUSAL:
        gk, gv = over_rows(gk, gv, x, y, q, do, lse, delta, first, BN1 * SLICE // BM1, on, D, BM1 // SLICE, True)
        gk, gv = over_rows(gk, gv, x, y, q, do, lse, delta, first + BN1, (N - first - BN1) // BM1, on, D, BM1, False)
    else:
        gk, gv = over_rows(gk, gv, x, y, q, do, lse, delta, 0, N // BM1, on, D, BM1, False)
    tl.store(dv + at, gv.to(dv.dtype.element_ty))
    tl.store(dk + at, (gk * scale).to(dk.dtype.element_ty))

    first = tl.program_id(0) * BM2
    om = first + tl.arange(0, BM2)
    at = om[:, None] * D + od[None, :]
    x = tl.load(q + at)
    y = tl.load(do + at)
    l = tl.load(lse + om)
    d = tl.load(delta + om)
    gq = tl.zeros([BM2, D], dtype=tl.float32)
    if CAUSAL:
        gq = over_keys(gq, x, y, l, d, k, v, first, BM2 * SLICE // BN2, om, D, BN2 // SLICE, True)
        gq = over_keys(gq, x, y, l, d, k, v, 0, first // BN2, om, D, BN2, False)
    else:
        gq = over_keys(gq, x, y, l, d, k, v, 0, N // BN2, om, D, BN2, False)
    tl.store(dq + at, (gq * 0.6931471824645996).to(dq.dtype.element_ty))


# ---- a program has a block of keys; all add to dQ


@triton.jit
def backward_adding(q, k, v, do, dq, dk, dv, lse, delta, scale, factor, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                    CAUSAL: tl.constexpr):
    """Five products in one loop over blocks of rows; dq is fp32 and holds zeros at first."""
    base = tl.program_id(1).to(tl.int64) * N
    first = tl.program_id(0) * BN
    on = first + tl.arange(0, BN)
    od = tl.arange(0, D)
    keys = (base + on)[:, None] * D + od[None, :]
    x = tl.load(k + keys)
    y = tl.load(v + keys)
    gk = tl.zeros([BN, D], dtype=tl.float32)
    gv = tl.zeros([BN, D], dtype=tl.float32)
    for start in range(first // BM * BM if CAUSAL else 0, N, BM):
        om = start + tl.arange(0, BM)
        rows = (base + om)[:, None] * D + od[None, :]
        a = tl.load(q + rows)
        l = tl.load(lse + base + om)
        p = tl.math.exp2(tl.dot(a, tl.trans(x)) * factor - l[:, None])
        if CAUSAL:
            p = tl.where(om[:, None] >= on[None, :], p, 0.0)
        b = tl.load(do + rows)
        gv = tl.dot(tl.trans(p.to(b.dtype)), b, gv)
        d = tl.load(delta + base + om)
        ds = (p * (tl.dot(b, tl.trans(y)) - d[:, None])).to(a.dtype)
        gk = tl.dot(tl.trans(ds), a, gk)
        tl.atomic_add(dq + rows, tl.dot(ds, x) * scale, sem="relaxed")
    tl.store(dk + keys, (gk * scale).to(dk.dtype.element_ty))
    tl.store(dv + keys, gv.to(dv.dtype.element_ty))


# ---- a kernel for dK and dV, one for dQ


@triton.jit
def backward_keys(q, k, v, do, dk, dv, lse, delta, scale, factor, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  CAUSAL: tl.constexpr):
    """Four products over blocks of rows, P and dS by keys: what adds up is in registers."""
    base = tl.program_id(1).to(tl.int64) * N
    first = tl.program_id(0) * BN
    on = first + tl.arange(0, BN)
    od = tl.arange(0, D)
    keys = (base + on)[:, None] * D + od[None, :]
    x = tl.load(k + keys)
    y = tl.load(v + keys)
    gk = tl.zeros([BN, D], dtype=tl.float32)
    gv = tl.zeros([BN, D], dtype=tl.float32)
    for start in range(first // BM * BM if CAUSAL else 0, N, BM):
        om = start + tl.arange(0, BM)
        rows = (base + om)[:, None] * D + od[None, :]
        a = tl.load(q + rows)
        l = tl.load(lse + base + om)
        p = tl.math.exp2(tl.dot(x, tl.trans(a)) * factor - l[None, :])
        if CAUSAL:
            p = tl.where(om[None, :] >= on[:, None], p, 0.0)
        b = tl.load(do + rows)
        gv = tl.dot(p.to(b.dtype), b, gv)
        d = tl.load(delta + base + om)
        ds = p * (tl.dot(y, tl.trans(b)) - d[None, :])
        gk = tl.dot(ds.to(a.dtype), a, gk)
    tl.store(dk + keys, (gk * scale).to(dk.dtype.element_ty))
    tl.store(dv + keys, gv.to(dv.dtype.element_ty))


@triton.jit
def backward_rows(q, k, v, do, dq, lse, delta, scale, factor, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  CAUSAL: tl.constexpr):
    """Three products over blocks of keys."""
    base = tl.program_id(1).to(tl.int64) * N
    first = tl.program_id(0) * BM
    om = first + tl.arange(0, BM)
    od = tl.arange(0, D)
    rows = (base + om)[:, None] * D + od[None, :]
    x = tl.load(q + rows)
    y = tl.load(do + rows)
    l = tl.load(lse + base + om)
    d = tl.load(delta + base + om)
    gq = tl.zeros([BM, D], dtype=tl.float32)
    for start in range(0, first + BM if CAUSAL else N, BN):
        on = start + tl.arange(0, BN)
        keys = (base + on)[:, None] * D + od[None, :]
        a = tl.load(k + keys)
        p = tl.math.exp2(tl.dot(x, tl.trans(a)) * factor - l[:, None])
        if CAUSAL:
            p = tl.where(om[:, None] >= on[None, :], p, 0.0)
        b = tl.load(v + keys)
        ds = p * (tl.dot(y, tl.trans(b)) - d[:, None])
        gq = tl.dot(ds.to(a.dtype), a, gq)
    tl.store(dq + rows, (gq * scale).to(dq.dtype.element_ty))
