# not a test: kernels of test/check/aot.sh
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x * factor, mask=at < n)


@triton.jit
def kinds(out_ptr, a, b, c, d, e, f, g, new, LIMIT: tl.constexpr, NEGATE: tl.constexpr):
    total = a.to(tl.float64) + b + c + d + e + f.to(tl.float64) + g + new
    tl.store(out_ptr, -total if NEGATE else total + LIMIT)


@triton.jit
def copy(source, target, rows, WIDTH: tl.constexpr):
    row = tl.program_id(0) * 16
    target.store([row, 0], source.load([row, 0]))


@triton.jit
def copy_made(in_ptr, out_ptr, rows, stride, WIDTH: tl.constexpr):
    row = tl.program_id(0) * 16
    source = tl.make_tensor_descriptor(in_ptr, [rows, WIDTH], [stride, 1], [16, WIDTH])
    target = tl.make_tensor_descriptor(out_ptr, [rows, WIDTH], [stride, 1], [16, WIDTH])
    target.store([row, 0], source.load([row, 0]))


@triton.jit
def clustered(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 1.0)


@triton.jit
def sized(x_ptr, out_ptr, LENGTH: tl.constexpr, SCALE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < LENGTH)
    tl.store(out_ptr + at, x * SCALE, mask=at < LENGTH)


@triton.jit
def nothing():
    pass
