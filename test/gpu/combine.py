"""not a test: reductions, scans, sorts, gathers and products whose results the interpreter and a GPU must agree on."""
import triton
import triton.language as tl


@triton.jit
def axes(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    """Every axis of a tile of rank 3, and all of them; exact in any order."""
    a = tl.arange(0, A)
    b = tl.arange(0, B)
    c = tl.arange(0, C)
    x = tl.load(x_ptr + a[:, None, None] * B * C + b[None, :, None] * C + c[None, None, :])
    at = out_ptr
    tl.store(at + b[:, None] * C + c[None, :], tl.sum(x, axis=0))
    at += B * C
    tl.store(at + a[:, None] * C + c[None, :], tl.max(x, axis=1))
    at += A * C
    tl.store(at + a[:, None] * B + b[None, :], tl.min(x, axis=2))
    at += A * B
    tl.store(at, tl.sum(x))
    tl.store(at + 1, tl.xor_sum(tl.xor_sum(tl.xor_sum(x, 2), 0), 0))
    tl.store(at + 2, tl.max(tl.max(x, 0)))
    tl.store(at + 3, tl.reduce_or(tl.ravel(x), 0))
    tl.store(at + 4, tl.sum(x.to(tl.int64) * 65537) % 1000003)
    tl.store(at + 5, tl.sum((x % 3 == 0).to(tl.int8)))
    tl.store(at + 6, tl.max((x & 127).to(tl.int8)).to(tl.int32))


@triton.jit
def row(x_ptr, out_ptr, N: tl.constexpr):
    """One row over all warps."""
    n = tl.arange(0, N)
    x = tl.load(x_ptr + n)
    tl.store(out_ptr, tl.max(x, 0))
    tl.store(out_ptr + 1, tl.min(x, 0))
    tl.store(out_ptr + 2, tl.argmax(x, 0).to(tl.float32))
    tl.store(out_ptr + 3, tl.argmin(x, 0).to(tl.float32))
    tl.store(out_ptr + 4, tl.max(x.to(tl.float16), 0).to(tl.float32))
    tl.store(out_ptr + 5, tl.min(x.to(tl.bfloat16), 0).to(tl.float32))
    tl.store(out_ptr + 6, tl.max(tl.abs(x).to(tl.float64), 0).to(tl.float32))


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def both(a, b):
    return a & b


@triton.jit
def odd(a, b):
    return a ^ b


@triton.jit
def types(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Booleans, bytes, 16 and 64 bits; signed and unsigned; along a row that one warp holds, and over all."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    flag = x % 7 == 0
    tl.store(out_ptr + m, tl.reduce(flag, 1, either).to(tl.int32))
    out_ptr += M
    tl.store(out_ptr + m, tl.reduce(x > -900, 1, both).to(tl.int32))
    out_ptr += M
    tl.store(out_ptr + n, tl.reduce(flag, 0, odd).to(tl.int32))
    out_ptr += N
    tl.store(out_ptr + m, tl.min(x.to(tl.int8), 1).to(tl.int32))
    out_ptr += M
    tl.store(out_ptr + m, tl.max(x.to(tl.uint8), 1).to(tl.int32))
    out_ptr += M
    tl.store(out_ptr + n, tl.max(x.to(tl.uint16), 0).to(tl.int32))
    out_ptr += N
    tl.store(out_ptr + n, tl.reduce(x.to(tl.int16), 0, odd).to(tl.int32))
    out_ptr += N
    wide = x.to(tl.int64) * 4294967297
    tl.store(out_ptr + m, (tl.max(wide, 1) >> 32).to(tl.int32))
    out_ptr += M
    tl.store(out_ptr + m, tl.argmin(wide, 1))
    out_ptr += M
    tl.store(out_ptr + n, tl.argmax(x.to(tl.float16), 0))
    out_ptr += N
    flat = tl.ravel(x)
    tl.store(out_ptr, tl.reduce(flat % 1999 == 0, 0, either).to(tl.int32))
    tl.store(out_ptr + 1, tl.min(flat.to(tl.int8), 0).to(tl.int32))
    tl.store(out_ptr + 2, tl.reduce(flat.to(tl.uint8), 0, both).to(tl.int32))
    tl.store(out_ptr + 3, tl.max(flat.to(tl.float16), 0).to(tl.int32))
    tl.store(out_ptr + 4, tl.argmax(flat, 0, tie_break_left=False) * 0 + tl.argmax(flat, 0))


@triton.jit
def combine_moments(n1, mean1, m1, n2, mean2, m2):
    n = n1 + n2
    delta = mean2 - mean1
    part = tl.where(n == 0, 0.0, n2 / n)
    return n, mean1 + delta * part, m1 + m2 + delta * delta * n1 * part


@triton.jit
def moments(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Three operands whose combining function is no single operation (Welford's), and softmax of rows and columns."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    x = tl.load(x_ptr + at)
    ones = tl.full((M, N), 1.0, tl.float32)
    count, mean, m2 = tl.reduce((ones, x, tl.zeros((M, N), tl.float32)), 1, combine_moments)
    tl.store(out_ptr + m, mean)
    tl.store(out_ptr + M + m, m2 / count)
    count, mean, m2 = tl.reduce((ones, x, tl.zeros((M, N), tl.float32)), 0, combine_moments)
    tl.store(out_ptr + 2 * M + n, mean)
    tl.store(out_ptr + 2 * M + N + n, m2 / count)
    base = out_ptr + 2 * M + 2 * N
    tl.store(base + at, tl.softmax(x, dim=1, keep_dims=True))
    e = tl.exp(x - tl.max(x, axis=0)[None, :])
    tl.store(base + M * N + at, e / tl.sum(e, axis=0)[None, :])


@triton.jit
def then(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scans(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Along both axes, both ways, and a combining function that does not commute; exact."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    x = tl.load(x_ptr + at)
    size = M * N
    tl.store(out_ptr + at, tl.cumsum(x, axis=0))
    tl.store(out_ptr + size + at, tl.cumsum(x, axis=1, reverse=True))
    tl.store(out_ptr + 2 * size + at, tl.cumprod(x | 1, axis=1))
    a, b = tl.associative_scan((x | 1, x), 1, then)
    tl.store(out_ptr + 3 * size + at, a ^ b)
    a, b = tl.associative_scan((x | 1, x), 0, then, reverse=True)
    tl.store(out_ptr + 4 * size + at, a ^ b)
    flat = tl.ravel(x)
    a, b = tl.associative_scan((flat | 1, flat), 0, then)
    tl.store(out_ptr + 5 * size + tl.arange(0, size), a ^ b)
    tl.store(out_ptr + 6 * size + at, (tl.cumsum(x.to(tl.int64), axis=0) % 1000003).to(tl.int32))
    tl.store(out_ptr + 7 * size + at, tl.cumsum(x.to(tl.int16), axis=1).to(tl.int32))


@triton.jit
def sorts(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    x = tl.load(x_ptr + at)
    size = M * N
    tl.store(out_ptr + at, tl.sort(x, dim=1))
    tl.store(out_ptr + size + at, tl.sort(x, dim=1, descending=True))
    tl.store(out_ptr + 2 * size + tl.arange(0, size), tl.sort(tl.ravel(x)))
    tl.store(out_ptr + 3 * size + at, tl.flip(tl.sort((x & 0x7FFF).to(tl.int16), dim=1), 1).to(tl.int32))
    k = tl.arange(0, 8)
    tl.store(out_ptr + 4 * size + m[:, None] * 8 + k[None, :], tl.topk(x, 8, dim=1))


@triton.jit
def gathers(x_ptr, i_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Along both axes, with other numbers of indices, of several widths; a histogram with a mask and values outside."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    x = tl.load(x_ptr + at)
    i = tl.load(i_ptr + at)
    size = M * N
    tl.store(out_ptr + at, tl.gather(x, i & (N - 1), 1))
    tl.store(out_ptr + size + at, tl.gather(x, i & (M - 1), 0))
    tl.store(out_ptr + 2 * size + at, tl.gather(x.to(tl.int64) * 65537, i & (N - 1), 1).to(tl.int32))
    tl.store(out_ptr + 3 * size + at, tl.gather(x.to(tl.int8), i & (M - 1), 0).to(tl.int32))
    flat = tl.ravel(x)
    few = tl.arange(0, 32)
    tl.store(out_ptr + 4 * size + few, tl.gather(flat, (few * 37) & (size - 1), 0))
    short = tl.load(x_ptr + few)
    tl.store(out_ptr + 4 * size + 32 + few, tl.gather(short, 31 - few, 0))
    v = tl.ravel(i)
    tl.store(out_ptr + 4 * size + 64 + few, tl.histogram(v & 63, 32, mask=(v & 1) == 0))
    tl.store(out_ptr + 4 * size + 96 + n, tl.histogram(v & (N - 1), N))


@triton.jit
def reorder(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Shapes: joined, split, concatenated, transposed, permuted."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    x = tl.load(x_ptr + at)
    size = M * N
    tl.store(out_ptr + n[:, None] * M + m[None, :], tl.trans(x))
    cube = tl.reshape(x, (M // 2, 2, N))
    tl.store(out_ptr + size + tl.arange(0, size), tl.ravel(tl.permute(cube, (2, 0, 1))))
    a, b = tl.split(tl.permute(cube, (0, 2, 1)))
    half = tl.arange(0, M // 2)[:, None] * N + n[None, :]
    tl.store(out_ptr + 2 * size + half, a - b)
    j = tl.join(a, b)
    tl.store(out_ptr + 3 * size + half[:, :, None] * 2 + tl.arange(0, 2)[None, None, :], j)
    both = tl.cat(tl.ravel(a), tl.ravel(b), can_reorder=True)
    tl.store(out_ptr + 4 * size, tl.sum(both * both))
    tl.store(out_ptr + 4 * size + 1, tl.max(tl.ravel(x, can_reorder=True)))


@triton.jit
def products(a_ptr, b_ptr, c_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, T: tl.constexpr,
             OUT: tl.constexpr, PRECISION: tl.constexpr):
    """c + a * b from one operand type to one accumulator type; b also transposed."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :]).to(T)
    b = tl.load(b_ptr + k[:, None] * N + n[None, :]).to(T)
    c = tl.load(c_ptr + m[:, None] * N + n[None, :]).to(OUT)
    r = tl.dot(a, b, c, input_precision=PRECISION, out_dtype=OUT)
    r = tl.dot(a, b, r, input_precision=PRECISION, out_dtype=OUT)
    tl.store(out_ptr + m[:, None] * N + n[None, :], r)


@triton.jit
def rounds(a_ptr, b_ptr, out_ptr, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    """A product in rounds along K; b is transposed, and each round uses what the one before made."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, STEP)
    r = tl.zeros((M, N), tl.float32)
    for first in range(0, K, STEP):
        a = tl.load(a_ptr + m[:, None] * K + first + k[None, :])
        b = tl.load(b_ptr + n[:, None] * K + first + k[None, :])
        r = tl.dot(a, tl.trans(b), r, input_precision="ieee")
        r = tl.dot(a * 0.5, tl.trans(b) + 1, r, input_precision="ieee")
    tl.store(out_ptr + m[:, None] * N + n[None, :], r)


@triton.jit
def batches(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
            PRECISION: tl.constexpr):
    i = tl.arange(0, B)[:, None, None]
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + i * M * K + m[None, :, None] * K + k[None, None, :])
    b = tl.load(b_ptr + i * K * N + k[None, :, None] * N + n[None, None, :])
    tl.store(out_ptr + i * M * N + m[None, :, None] * N + n[None, None, :], tl.dot(a, b, input_precision=PRECISION))
