"""Kernels whose constexprs are numbers that can be arguments: what compare.py --policies runs."""
import triton
import triton.language as tl


@triton.jit
def mixed(x_ptr, y_ptr, out_ptr, C: tl.constexpr, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < N - C, other=F)
    y = tl.load(y_ptr + i)
    small = y.to(tl.int8)
    tl.store(out_ptr + i, (small + C).to(tl.float32))
    tl.store(out_ptr + N + i, x * F + C)
    tl.store(out_ptr + 2 * N + i, (x.to(tl.float16) * F).to(tl.float32))
    tl.store(out_ptr + 3 * N + i, (x.to(tl.bfloat16) - C).to(tl.float32))
    tl.store(out_ptr + 4 * N + i, tl.where(small > C, F, x))
    tl.store(out_ptr + 5 * N + i, tl.maximum(x, F) + tl.full([N], C, tl.int8))
    tl.store(out_ptr + 6 * N + i, (tl.full([N], C, tl.float8e5).to(tl.float32) + F) / (C + x))
    tl.store(out_ptr + 7 * N + i, (small * F + (y // 3 * C) % 1000).to(tl.float32))


@triton.jit
def wide(x_ptr, out_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    wide_x = x.to(tl.int64)
    c = C
    tl.store(out_ptr + i, wide_x + C)
    tl.store(out_ptr + N + i, (wide_x * 3 + c).to(tl.int64))
    tl.store(out_ptr + 2 * N + i, (wide_x < C).to(tl.int64) + (wide_x.to(tl.float64) * C > 0.0))
    tl.store(out_ptr + 3 * N + i, tl.full([N], C, tl.int16).to(tl.int64) + tl.full([N], C, tl.uint8))


@triton.jit
def kinds(x_ptr, out_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x + C)
    tl.store(out_ptr + N + i, tl.where(x > C, x, C))
    if isinstance(C, bool):
        tl.store(out_ptr + 2 * N + i, x * 2)
    elif C is None:
        tl.store(out_ptr + 2 * N + i, x * 3)
    c = C
    tl.store(out_ptr + 3 * N + i, x * c)


@triton.jit
def floating(x_ptr, y_ptr, out_ptr, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    f = F
    tl.store(out_ptr + i, (x * F).to(tl.float64))
    tl.store(out_ptr + N + i, y * F)
    tl.store(out_ptr + 2 * N + i, (x + f).to(tl.float64))
    tl.store(out_ptr + 3 * N + i, (x.to(tl.float16) + F).to(tl.float64))
    tl.store(out_ptr + 4 * N + i, (i * F).to(tl.float64))
    tl.store(out_ptr + 5 * N + i, tl.full([N], F, tl.bfloat16).to(tl.float64) + tl.full([N], F, tl.float8e4b15).to(tl.float64))


@triton.jit
def bounds(x_ptr, out_ptr, START: tl.constexpr, STOP: tl.constexpr, BLOCK: tl.constexpr):
    for s in range(START - START, STOP, BLOCK):
        i = s + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < STOP, other=-1)
        total = x
        for k in tl.range(0, 3):
            total += k * STOP
        tl.store(out_ptr + i, total % 1000 - total // 7, mask=i < 1024)


@triton.jit
def ragged(out_ptr, lens_ptr, stride: tl.constexpr, MAXLEN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    n = tl.load(lens_ptr + row)
    for s in range(0, MAXLEN, BLOCK):
        c = s + tl.arange(0, BLOCK)
        tl.store(out_ptr + row * stride + c, (c < n).to(tl.int8), mask=c < MAXLEN)


@triton.jit
def structural(x_ptr, out_ptr, C: tl.constexpr, D: tl.constexpr, N: tl.constexpr):
    tl.static_assert(D > 0)
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    for k in tl.static_range(C):
        x += k * D
    if C // 2 * -3 > -9:
        x = x * C
    else:
        x = x - (C % -4) * (7 // -C)
    tl.store(out_ptr + i, x if D % 2 else x + D ** 2)


@triton.jit
def scaled(x, C: tl.constexpr, BIAS):
    return x * C + BIAS


@triton.jit
def twice(x, C: tl.constexpr, BIAS):
    return scaled(scaled(x, C, BIAS), C, 1) + C


@triton.jit(noinline=True)
def apart(x, C: tl.constexpr):
    return x + C


@triton.jit
def calls(x_ptr, out_ptr, C: tl.constexpr, D: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, twice(x, C, D))
    first = tl.load(x_ptr)
    tl.store(out_ptr + N + i, x + apart(first, D))
    pair = (C, x)
    tl.store(out_ptr + 2 * N + i, pair[1] * pair[0] + (lambda v: v - D)(x))


@triton.jit
def blocks(x_ptr, out_ptr, ROWS: tl.constexpr, COLS: tl.constexpr, SHIFT: tl.constexpr, B: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (ROWS, COLS), (COLS, 1), (SHIFT, 0), (B, B), (1, 0))
    target = tl.make_block_ptr(out_ptr, (ROWS, COLS), (COLS, 1), (0, 0), (B, B), (1, 0))
    for _ in range(0, COLS, B):
        tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=(0, 1))
        source = tl.advance(source, (0, B))
        target = tl.advance(target, (0, B))


@triton.jit
def clipped_sum(a, b):
    return a + b


@triton.jit
def combined(x_ptr, out_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i) % 1000
    tl.store(out_ptr + i, tl.associative_scan(x * C, 0, clipped_sum))
    tl.store(out_ptr + N + i, x + tl.reduce(x, 0, clipped_sum) * C + tl.cdiv(N, C))
