# Products of a loop that add to each other's results, and that end with the iteration: operands split by threads, into memory and
# registers, are what each product multiplies until it has ended, and no part is left out.
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9216:fp32 y=zeros:9216:fp32 wrong=zeros:1:i32 K=96 PRECISION="'tf32x3'" BM=64 BN=64 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:12288:fp32 y=zeros:12288:fp32 wrong=zeros:1:i32 K=96 PRECISION="'tf32x3'" BM=128 BN=128 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9216:fp32 y=zeros:9216:fp32 wrong=zeros:1:i32 K=96 PRECISION="'bf16x3'" BM=64 BN=64 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 x=zeros:9216:fp32 y=zeros:9216:fp32 wrong=zeros:1:i32 K=96 PRECISION="'bf16x6'" BM=64 BN=64 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:parts --target sim:sm_90a --check -q -g 1 x=zeros:9216:fp32 y=zeros:9216:fp32 wrong=zeros:1:i32 K=96 BM=64 BN=64 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:parts --target sim:sm_90a --check -q -g 1 x=zeros:12288:fp32 y=zeros:12288:fp32 wrong=zeros:1:i32 K=96 BM=128 BN=128 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:parts --target sim:sm_90a --check -q -g 1 x=zeros:9216:fp32 y=zeros:9216:fp32 wrong=zeros:1:i32 K=0 BM=64 BN=64 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def fill(p, n, by):
    """1 to 3, and 2**-12 or a half more, which bf16 and tf32 round off."""
    for at in range(0, n, 1024):
        i = at + tl.arange(0, 1024)
        tl.store(p + i, (i * by % 3 + 1).to(tl.float32) + (i * by % 2 + 2).to(tl.float32) / 8192, mask=i < n)


@triton.jit
def count_wrong(x, y, acc, wrong, K, BM: tl.constexpr, BN: tl.constexpr):
    """Without the product of a part each sum lacks 2**-12 or more of each term: 0.023 of 96."""
    m, n = tl.arange(0, BM), tl.arange(0, BN)
    sums = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K):
        sums += tl.load(x + m * K + i)[:, None] * tl.load(y + i * BN + n)[None, :]
    tl.store(wrong, tl.sum(tl.sum((tl.abs(acc - sums) > 0.005).to(tl.int32), axis=1), axis=0))


@triton.jit
def product(x, y, wrong, K, PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    fill(x, BM * K, 5)
    fill(y, K * BN, 7)
    tl.debug_barrier()
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, 32)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, 32):
        a = tl.load(x + m[:, None] * K + (i + k)[None, :])
        b = tl.load(y + (i + k)[:, None] * BN + n[None, :])
        acc = tl.dot(a, b, acc, input_precision=PRECISION)
    count_wrong(x, y, acc, wrong, K, BM, BN)


@triton.jit
def parts(x, y, wrong, K, BM: tl.constexpr, BN: tl.constexpr):
    """Split by hand, with sums for the small parts of their own."""
    fill(x, BM * K, 5)
    fill(y, K * BN, 7)
    tl.debug_barrier()
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, 32)
    large, small = tl.zeros((BM, BN), tl.float32), tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, 32):
        a = tl.load(x + m[:, None] * K + (i + k)[None, :])
        b = tl.load(y + (i + k)[:, None] * BN + n[None, :])
        a_high, b_high = a.to(tl.bfloat16), b.to(tl.bfloat16)
        a_low, b_low = (a - a_high.to(tl.float32)).to(tl.bfloat16), (b - b_high.to(tl.float32)).to(tl.bfloat16)
        large = tl.dot(a_high, b_high, large)
        small = tl.dot(a_high, b_low, small)
        small = tl.dot(a_low, b_high, small)
    count_wrong(x, y, large + small, wrong, K, BM, BN)
