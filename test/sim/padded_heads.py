# Attention over heads that are no power of two wide, by masks and by tiles of their own size, agrees with sums of the threads' own products,
# to the bit. What lies behind a row of a head is NaN, so nothing of it is multiplied.
# run: neso run %s:heads --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 o=zeros:65536:fp32 wrong=zeros:1:i32 N=256 D=96 DP=128 BM=128 BN=64 W=128 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:heads --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 o=zeros:65536:fp32 wrong=zeros:1:i32 N=256 D=96 DP=96 BM=128 BN=64 W=128 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:heads --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 o=zeros:65536:fp32 wrong=zeros:1:i32 N=256 D=80 DP=128 BM=64 BN=64 W=128 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: NESO_PERSIST=1 neso run %s:heads --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 o=zeros:65536:fp32 wrong=zeros:1:i32 N=192 D=80 DP=128 BM=128 BN=64 W=128 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:heads --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 o=zeros:65536:fp32 wrong=zeros:1:i32 N=128 D=96 DP=128 BM=16 BN=32 W=128 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:heads --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 o=zeros:65536:fp32 wrong=zeros:1:i32 N=128 D=160 DP=256 BM=128 BN=32 W=256 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: NESO_PERSIST=1 neso run %s:heads --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 o=zeros:65536:fp32 wrong=zeros:1:i32 N=128 D=192 DP=192 BM=128 BN=32 W=256 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:heads --target sim:sm_80 --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 o=zeros:65536:fp32 wrong=zeros:1:i32 N=128 D=80 DP=128 BM=64 BN=32 W=128 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def part(s):
    """What stands between the products; whole numbers from -2 to 2."""
    return tl.maximum(tl.minimum(s, 2.0), -2.0)


@triton.jit
def fetch(p, d, D: tl.constexpr, DP: tl.constexpr):
    if D == DP:
        return tl.load(p)
    else:
        return tl.load(p, mask=d < D, other=0.0)


@triton.jit
def heads(x, h, o, wrong, N, D: tl.constexpr, DP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
          W: tl.constexpr):
    for start in range(0, 65536, 8192):
        at = start + tl.arange(0, 8192)
        value = (tl.load(x + at) % 3 - 1).to(tl.float16)
        tl.store(h + at, tl.where(at % W < D, value, float("nan")))
    tl.debug_barrier()
    m, n, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, DP)
    q = fetch(h + 32768 + m[:, None] * W + d[None, :], d[None, :], D, DP)
    acc = tl.zeros((BM, DP), tl.float32)
    for i in range(0, N, BN):
        s = tl.dot(q, fetch(h + (i + n)[None, :] * W + d[:, None], d[:, None], D, DP))
        sign = tl.where(tl.sum(s, 1) > 0, -1.0, 1.0)
        v = fetch(h + (i + n)[:, None] * W + d[None, :], d[None, :], D, DP)
        acc = acc * sign[:, None]
        acc = tl.dot(part(s).to(tl.float16), v, acc)
    if D == DP:
        tl.store(o + m[:, None] * W + d[None, :], acc)
    else:
        tl.store(o + m[:, None] * W + d[None, :], acc, mask=d[None, :] < D)
    tl.debug_barrier()
    w = tl.arange(0, W)
    q = tl.load(h + 32768 + m[:, None] * W + w[None, :], mask=w[None, :] < D, other=0.0).to(tl.float32)
    sums = tl.zeros((BM, W), tl.float32)
    for i in range(0, N, BN):
        k = tl.load(h + (i + n)[None, :] * W + w[:, None], mask=w[:, None] < D, other=0.0).to(tl.float32)
        s = tl.dot(q, k, input_precision="ieee")
        sign = tl.where(tl.sum(s, 1) > 0, -1.0, 1.0)
        v = tl.load(h + (i + n)[:, None] * W + w[None, :], mask=w[None, :] < D, other=0.0).to(tl.float32)
        sums = sums * sign[:, None] + tl.dot(part(s), v, input_precision="ieee")
    got = tl.load(o + m[:, None] * W + w[None, :], mask=w[None, :] < D, other=0.0)
    tl.atomic_add(wrong, tl.sum((got != sums).to(tl.int32)))
