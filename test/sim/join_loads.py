# Halves that are turned round are loaded by masks that exclude each other, from selected addresses (pass join-loads), at borders that vectors
# keep and at others, with a mask of rows besides; parts of several arrays by loads of their own.
# run: neso run %s:halves --target sim:sm_90a --check -q -g 2 x=arange:2048:fp32 wrong=zeros:1:i32 half=64 --expect wrong=zeros:1:i32
# run: neso run %s:halves --target sim:sm_80 --check -q -g 2 x=arange:2048:fp32 wrong=zeros:1:i32 half=33 --expect wrong=zeros:1:i32
# run: neso run %s:halves --target interp -q -g 2 x=arange:2048:fp32 wrong=zeros:1:i32 half=16 --expect wrong=zeros:1:i32
# run: neso run %s:parts --target sim:sm_90a --check -q -g 1 x=arange:1024:fp32 y=arange:1024:fp32 z=arange:1024:fp32 wrong=zeros:1:i32 rows=7 first=32 second=96 --expect wrong=zeros:1:i32
# run: neso run %s:parts --target sim:sm_90a --check -q -g 1 x=arange:1024:fp32 y=arange:1024:fp32 z=arange:1024:fp32 wrong=zeros:1:i32 rows=8 first=30 second=99 --expect wrong=zeros:1:i32
# run: neso run %s:parts --target interp -q -g 1 x=arange:1024:fp32 y=arange:1024:fp32 z=arange:1024:fp32 wrong=zeros:1:i32 rows=5 first=4 second=8 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def halves(x, wrong, half: tl.constexpr):
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    size: tl.constexpr = half * 2
    column, row = i % size, i // size
    valid = (row + 1) * size <= 2048
    low, high = column < half, column >= half
    a = tl.load(x + row * size + column + half, low & valid, other=0.0)
    b = tl.load(x + row * size + column - half, high & valid, other=0.0)
    turned = tl.where(low, -a, tl.where(high, b, 0.0))
    wanted = tl.where(low, -(i + half), i - half).to(tl.float32)
    tl.atomic_add(wrong, tl.sum((valid & (turned != wanted)).to(tl.int32)))
    tl.atomic_add(wrong, tl.sum((~valid & (turned != 0)).to(tl.int32)))


@triton.jit
def parts(x, y, z, wrong, rows, first: tl.constexpr, second: tl.constexpr):
    row, column = tl.arange(0, 8)[:, None], tl.arange(0, 128)[None, :]
    inside = row < rows
    a = tl.load(x + row * first + column, (column < first) & inside, other=0.0)
    b = tl.load(y + row * (second - first) + column - first, (column >= first) & (column < second) & inside, other=0.0)
    c = tl.load(z + row * (128 - second) + column - second, (column >= second) & inside, other=0.0)
    whole = tl.where(column < first, a + 1, tl.where((column >= first) & (column < second), b * 2, c))
    wanted = tl.where(column < first, row * first + column + 1, tl.where(column < second, (row * (second - first) + column - first) * 2,
                                                                         row * (128 - second) + column - second))
    left_out = tl.where(column < first, 1, 0)
    differs = whole != tl.where(inside, wanted, left_out).to(tl.float32)
    tl.atomic_add(wrong, tl.sum(tl.sum(differs.to(tl.int32), 1)))
