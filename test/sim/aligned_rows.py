# Rows that begin at multiples of 4 bytes, as arguments tell where the kernel runs, and rows that do not: both loops give what sums of
# columns times rows give, on either side of each bound, wherever masks end.
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9000:fp16 y=zeros:9000:fp16 wrong=zeros:1:i32 N=66 K=70 SX=74 SY=66 BM=64 BN=64 BK=32 ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9000:fp16 y=zeros:9000:fp16 wrong=zeros:1:i32 N=66 K=71 SX=74 SY=66 BM=64 BN=64 BK=32 ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9000:fp16 y=zeros:9000:fp16 wrong=zeros:1:i32 N=66 K=70 SX=75 SY=66 BM=64 BN=64 BK=32 ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9000:bf16 y=zeros:9000:bf16 wrong=zeros:1:i32 N=67 K=70 SX=74 SY=68 BM=64 BN=64 BK=32 ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:20000:fp16 y=zeros:20000:fp16 wrong=zeros:1:i32 N=98 K=100 SX=102 SY=102 BM=128 BN=128 BK=64 ACC=tl.float32 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_80 --check -q -g 1 x=zeros:9000:fp16 y=zeros:9000:fp16 wrong=zeros:1:i32 N=66 K=70 SX=74 SY=66 BM=64 BN=64 BK=32 ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9000:i8 y=zeros:9000:i8 wrong=zeros:1:i32 N=68 K=70 SX=76 SY=68 BM=64 BN=64 BK=32 ACC=tl.int32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9000:i8 y=zeros:9000:i8 wrong=zeros:1:i32 N=68 K=70 SX=74 SY=68 BM=64 BN=64 BK=32 ACC=tl.int32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9000:fp16 y=zeros:9000:fp16 wrong=zeros:1:i32 N=66 K=0 SX=74 SY=66 BM=64 BN=64 BK=32 ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def fill(p, n):
    for at in range(0, n, 1024):
        i = at + tl.arange(0, 1024)
        tl.store(p + i, (i * 5 % 7 - 3).to(tl.float32).to(p.dtype.element_ty), mask=i < n)


@triton.jit
def product(x, y, wrong, N, K, SX, SY, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr):
    fill(x, BM * SX)
    fill(y, K * SY)
    tl.debug_barrier()
    m, n, k = tl.arange(0, BM), tl.arange(0, BN) % N, tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    a = x + m[:, None] * SX + k[None, :]
    b = y + k[:, None] * SY + n[None, :]
    for i in range(0, tl.cdiv(K, BK)):
        u = tl.load(a, mask=k[None, :] < K - i * BK, other=0)
        v = tl.load(b, mask=k[:, None] < K - i * BK, other=0)
        acc = tl.dot(u, v, acc, out_dtype=ACC)
        a += BK
        b += BK * SY
    sums = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K):
        column, row = tl.load(x + m * SX + i), tl.load(y + i * SY + n)
        sums += column.to(tl.float32)[:, None] * row.to(tl.float32)[None, :]
    bad = (acc.to(tl.float32) != sums).to(tl.int32)
    tl.store(wrong, tl.sum(tl.sum(bad, 1), 0))
