# Products by the threads' own multiply-adds in pipelined loops: operands are taken from their slots round by round, in each order of
# both, where nothing else reads them; else they are put into memory of the dot's own.
# run: neso run %s:product --target sim:sm_80 --check -q -g 1 a=rand:1600:i8 b=rand:3200:i8 x=zeros:1600:fp32 y=zeros:3200:fp32 wrong=zeros:2:i32 M=16 N=32 K=100 BM=16 BN=32 BK=16 ORDER=0 --num-warps 4 --num-stages 2 --expect wrong=zeros:2:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:6144:i8 b=rand:6144:i8 x=zeros:6144:fp32 y=zeros:6144:fp32 wrong=zeros:2:i32 M=64 N=64 K=96 BM=64 BN=64 BK=32 ORDER=0 --num-warps 4 --num-stages 2 --expect wrong=zeros:2:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:6144:i8 b=rand:6144:i8 x=zeros:6144:fp32 y=zeros:6144:fp32 wrong=zeros:2:i32 M=64 N=64 K=96 BM=64 BN=64 BK=32 ORDER=1 --num-warps 4 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:6144:i8 b=rand:6144:i8 x=zeros:6144:fp32 y=zeros:6144:fp32 wrong=zeros:2:i32 M=64 N=64 K=96 BM=64 BN=64 BK=32 ORDER=2 --num-warps 4 --num-stages 4 --expect wrong=zeros:2:i32
# run: neso run %s:product --target sim:sm_80 --check -q -g 1 a=rand:6144:i8 b=rand:6144:i8 x=zeros:6144:fp32 y=zeros:6144:fp32 wrong=zeros:2:i32 M=64 N=64 K=96 BM=64 BN=64 BK=32 ORDER=3 --num-warps 4 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:product --target sim:sm_80 --check -q -g 1 a=rand:3840:i8 b=rand:3840:i8 x=zeros:3840:fp32 y=zeros:3840:fp32 wrong=zeros:2:i32 M=64 N=64 K=60 BM=64 BN=64 BK=16 ORDER=0 --num-warps 8 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:product --target sim:sm_90a --schedules 3 -q -g 1 a=rand:6144:i8 b=rand:6144:i8 x=zeros:6144:fp32 y=zeros:6144:fp32 wrong=zeros:2:i32 M=64 N=64 K=96 BM=64 BN=64 BK=32 ORDER=0 --num-warps 8 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:shared --target sim:sm_90a --check -q -g 1 a=rand:2048:i8 x=zeros:2048:fp32 wrong=zeros:1:i32 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:meanwhile --target sim:sm_90a --check -q -g 1 a=rand:2048:i8 b=rand:2048:i8 x=zeros:2048:fp32 y=zeros:2048:fp32 kept=zeros:1024:fp32 wrong=zeros:1:i32 --num-stages 3 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def small(p, o, n):
    """Integers from -3 to 3 as floats: their products add up exactly."""
    at = tl.arange(0, 8192)
    v = tl.load(p + at, mask=at < n, other=0) % 7 - 3
    tl.store(o + at, v.to(tl.float32), mask=at < n)
    tl.debug_barrier()


@triton.jit
def by_k(x, y, rows, cols, xm, xk, yk, yn, K, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.zeros((BM, BN), tl.float32)
    for k in range(K):
        r += tl.load(x + rows * xm + k * xk)[:, None] * tl.load(y + k * yk + cols * yn)[None, :]
    return r


@triton.jit
def product(a, b, x, y, wrong, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ORDER: tl.constexpr):
    """x @ y; bit 0 of ORDER: x lies by columns; bit 1: y does."""
    small(a, x, M * K)
    small(b, y, N * K)
    xm, xk = (1, M) if ORDER % 2 else (K, 1)
    yk, yn = (1, K) if ORDER // 2 else (N, 1)
    pid = tl.program_id(0)
    rows, cols, ks = pid * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        u = tl.load(x + rows[:, None] * xm + (k + ks)[None, :] * xk, mask=(k + ks)[None, :] < K, other=0.0)
        v = tl.load(y + (k + ks)[:, None] * yk + cols[None, :] * yn, mask=(k + ks)[:, None] < K, other=0.0)
        acc = tl.dot(u, v, acc, input_precision="ieee")
    r = by_k(x, y, rows, cols, xm, xk, yk, yn, K, BM, BN)
    tl.store(wrong + pid, tl.sum((acc != r).to(tl.int32)))


@triton.jit
def shared(a, x, wrong):
    """Something else reads one operand as well, and both are of one array."""
    small(a, x, 2048)
    i = tl.arange(0, 32)
    acc, total = tl.zeros((32, 32), tl.float32), tl.zeros((32,), tl.float32)
    for k in range(0, 64, 32):
        u = tl.load(x + i[:, None] * 64 + (k + i)[None, :])
        acc = tl.dot(u, tl.load(x + (k + i)[:, None] * 32 + i[None, :]), acc, input_precision="ieee")
        total += tl.sum(u, 1)
    r = by_k(x, x, i, i, 64, 1, 32, 1, 64, 32, 32)
    sums = tl.zeros((32,), tl.float32)
    for k in range(64):
        sums += tl.load(x + i * 64 + k)
    tl.store(wrong, tl.sum((acc != r).to(tl.int32)) + tl.sum((total != sums).to(tl.int32)))


@triton.jit
def meanwhile(a, b, x, y, kept, wrong):
    """Memory is written between the loads and the dot."""
    small(a, x, 2048)
    small(b, y, 2048)
    i = tl.arange(0, 32)
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(0, 64, 32):
        u = tl.load(x + i[:, None] * 64 + (k + i)[None, :])
        v = tl.load(y + (k + i)[:, None] * 32 + i[None, :])
        tl.store(kept + i[:, None] * 32 + i[None, :], acc)
        acc = tl.dot(u, v, acc, input_precision="ieee")
    r = by_k(x, y, i, i, 64, 1, 32, 1, 64, 32, 32)
    tl.store(wrong, tl.sum((acc != r).to(tl.int32)))
