# Bytes that lie across K are turned round in shared memory for products of warp groups, an iteration before these take them: A, B or
# both, with one iteration or many, by slots of three iterations ahead or more.
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:36864:i8 b=rand:9216:i8 x=zeros:36864:fp8e4nv y=zeros:9216:fp8e4nv wrong=zeros:1:i32 M=128 N=32 K=288 BK=32 ORDER=0 ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12800:i8 b=rand:12800:i8 x=zeros:12800:fp8e5 y=zeros:12800:fp8e5 wrong=zeros:1:i32 M=64 N=64 K=200 BK=32 ORDER=3 ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:10240:i8 b=rand:10240:i8 x=zeros:10240:fp8e4nv y=zeros:10240:fp8e4nv wrong=zeros:1:i32 M=64 N=64 K=160 BK=32 ORDER=1 ACC=tl.float32 --num-warps 4 --num-stages 4 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --schedules 3 -q -g 1 a=rand:20480:i8 b=rand:10240:i8 x=zeros:20480:fp8e4nv y=zeros:10240:fp8e4nv wrong=zeros:1:i32 M=128 N=64 K=160 BK=32 ORDER=1 ACC=tl.float32 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12288:i8 b=rand:12288:i8 x=zeros:12288:i8 y=zeros:12288:i8 wrong=zeros:1:i32 M=64 N=64 K=192 BK=32 ORDER=0 ACC=tl.int32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:2048:i8 b=rand:2048:i8 x=zeros:2048:fp8e4nv y=zeros:2048:fp8e4nv wrong=zeros:1:i32 M=64 N=64 K=32 BK=32 ORDER=0 ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def small(p, o, n):
    """Integers from -3 to 3, in the type of o."""
    for first in range(0, n, 4096):
        at = first + tl.arange(0, 4096)
        v = tl.load(p + at, mask=at < n, other=0) % 7 - 3
        tl.store(o + at, v.to(tl.float32).to(o.dtype.element_ty), mask=at < n)
    tl.debug_barrier()


@triton.jit
def product(a, b, x, y, wrong, M: tl.constexpr, N: tl.constexpr, K, BK: tl.constexpr, ORDER: tl.constexpr, ACC: tl.constexpr):
    """x @ y; bit 0 of ORDER: x lies by columns; bit 1: y does."""
    small(a, x, M * K)
    small(b, y, N * K)
    xm, xk = (1, M) if ORDER % 2 else (K, 1)
    yk, yn = (1, K) if ORDER // 2 else (N, 1)
    rows, cols, ks = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    acc = tl.zeros((M, N), ACC)
    for k in range(0, K, BK):
        u = tl.load(x + rows[:, None] * xm + (k + ks)[None, :] * xk, mask=(k + ks)[None, :] < K, other=0)
        v = tl.load(y + (k + ks)[:, None] * yk + cols[None, :] * yn, mask=(k + ks)[:, None] < K, other=0)
        acc = tl.dot(u, v, acc, out_dtype=ACC)
    r = tl.zeros((M, N), tl.float32)
    for k in range(K):
        r += tl.load(x + rows * xm + k * xk).to(tl.float32)[:, None] * tl.load(y + k * yk + cols * yn).to(tl.float32)[None, :]
    tl.store(wrong, tl.sum((acc.to(tl.float32) != r).to(tl.int32)))
