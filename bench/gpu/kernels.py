"""Memory-bound kernels that bench/gpu/run.py measures. TILE_IMPL says which implementation of the tile language compiles them."""
import importlib
import os

triton = importlib.import_module(os.environ.get("TILE_IMPL", "neso"))
tl = importlib.import_module(triton.__name__ + ".language")


@triton.jit
def empty(p, n):
    pass


@triton.jit
def empty8(a, b, c, d, i, j, k, l):
    pass


@triton.jit
def copy(x, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + at, tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def add(x, y, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = at < n
    tl.store(o + at, tl.load(x + at, mask=m) + tl.load(y + at, mask=m), mask=m)


@triton.jit
def softmax(o, x, stride_o, stride_x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    m = cols < n
    v = tl.load(x + row * stride_x + cols, mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + row * stride_o + cols, e / tl.sum(e, axis=0), mask=m)


@triton.jit
def layernorm(x, o, w, b, mean, rstd, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    m = cols < n
    v = tl.load(x + row * stride + cols, mask=m, other=0.0).to(tl.float32)
    mu = tl.sum(v, axis=0) / n
    d = tl.where(m, v - mu, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)
    y = d * r * tl.load(w + cols, mask=m) + tl.load(b + cols, mask=m)
    tl.store(o + row * stride + cols, y, mask=m)


@triton.jit
def rmsnorm(x, o, w, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    m = cols < n
    v = tl.load(x + row * stride + cols, mask=m, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / n + eps)
    tl.store(o + row * stride + cols, (v * r * tl.load(w + cols, mask=m)).to(o.dtype.element_ty), mask=m)


@triton.jit
def sum_rows(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """o[i] = sum of row i: the reduced axis is contiguous."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N, BN):
        cols = k + tl.arange(0, BN)
        v = tl.load(x + rows[:, None] * N + cols[None, :], mask=(rows[:, None] < M) & (cols[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=1)
    tl.store(o + rows, acc, mask=rows < M)


@triton.jit
def sum_cols(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """o[j] += sum of a part of column j: the reduced axis is strided."""
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    v = tl.load(x + rows[:, None] * N + cols[None, :], mask=(rows[:, None] < M) & (cols[None, :] < N), other=0.0)
    tl.atomic_add(o + cols, tl.sum(v, axis=0), mask=cols < N)


@triton.jit
def argmax_rows(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + cols, mask=cols < N, other=-float("inf"))
    tl.store(o + row, tl.argmax(v, axis=0))


@triton.jit
def cumsum_rows(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + cols, mask=cols < N, other=0.0)
    tl.store(o + row * N + cols, tl.cumsum(v, axis=0), mask=cols < N)


@triton.jit
def sort_rows(x, o, N: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + at, tl.sort(tl.load(x + at), dim=1))


@triton.jit
def transpose(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(x + rows[:, None] * N + cols[None, :], mask=(rows[:, None] < M) & (cols[None, :] < N))
    tl.store(o + cols[:, None] * M + rows[None, :], tl.trans(v), mask=(cols[:, None] < N) & (rows[None, :] < M))


@triton.jit
def gather_rows(x, index, o, N, BLOCK: tl.constexpr):
    """o[i] = x[index[i]], whole rows: an embedding."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    at = tl.load(index + row)
    tl.store(o + row * N + cols, tl.load(x + at * N + cols, mask=cols < N), mask=cols < N)


@triton.jit
def gather_elements(x, index, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.load(index + at, mask=at < n, other=0)
    tl.store(o + at, tl.load(x + i, mask=at < n), mask=at < n)


@triton.jit
def cast(x, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + at, tl.load(x + at, mask=at < n).to(o.dtype.element_ty), mask=at < n)


@triton.jit
def dropout(x, o, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    keep = tl.rand(seed, at) > p
    tl.store(o + at, tl.where(keep, v / (1 - p), 0.0), mask=at < n)


@triton.jit
def histogram_atomics(x, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(o + v, 1, mask=at < n)


@triton.jit
def histogram_tile(x, o, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(o + tl.arange(0, BINS), tl.histogram(v, BINS))


@triton.jit
def cross_entropy(x, target, loss, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    t = tl.load(target + row)
    m = tl.full((BLOCK,), -float("inf"), tl.float32)
    s = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, N, BLOCK):
        v = tl.load(x + row * N + k + cols, mask=k + cols < N, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, v)
        s = s * tl.exp(m - new) + tl.exp(v - new)
        m = new
    top = tl.max(m, axis=0)
    total = tl.sum(s * tl.exp(m - top), axis=0)
    tl.store(loss + row, tl.log(total) + top - tl.load(x + row * N + t).to(tl.float32))


@triton.jit
def rotary(x, cos, sin, o, S, H, D: tl.constexpr):
    """x: (tokens, heads, D); halves are rotated by the token's angle."""
    token = tl.program_id(0)
    head = tl.program_id(1)
    half = tl.arange(0, D // 2)
    base = (token * H + head) * D
    a = tl.load(x + base + half)
    b = tl.load(x + base + D // 2 + half)
    c = tl.load(cos + (token % S) * (D // 2) + half)
    s = tl.load(sin + (token % S) * (D // 2) + half)
    tl.store(o + base + half, a * c - b * s)
    tl.store(o + base + D // 2 + half, b * c + a * s)


@triton.jit
def swiglu(a, b, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(a + at, mask=at < n).to(tl.float32)
    y = tl.load(b + at, mask=at < n).to(tl.float32)
    tl.store(o + at, (x * tl.sigmoid(x) * y).to(o.dtype.element_ty), mask=at < n)


@triton.jit
def ragged_mask(o, lens, stride, MAXLEN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    n = tl.load(lens + row)
    for s in range(0, MAXLEN, BLOCK):
        c = s + tl.arange(0, BLOCK)
        tl.store(o + row * stride + c, (c < n).to(tl.int8), mask=c < MAXLEN)
