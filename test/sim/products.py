# Products of warp groups against sums of the threads' own products: all types, both orders of each operand, tiles and warps; masked tails.
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:6144:i8 b=rand:6144:i8 x=zeros:6144:fp16 y=zeros:6144:fp16 wrong=zeros:1:i32 K=96 BM=64 BN=64 BK=32 A_TURNED=False B_TURNED=False ACC=tl.float32 --num-warps 4 --num-stages 1 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:10240:i8 b=rand:20480:i8 x=zeros:10240:fp16 y=zeros:20480:fp16 wrong=zeros:1:i32 K=160 BM=64 BN=128 BK=32 A_TURNED=True B_TURNED=False ACC=tl.float32 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12288:i8 b=rand:3072:i8 x=zeros:12288:fp16 y=zeros:3072:fp16 wrong=zeros:1:i32 K=96 BM=128 BN=32 BK=32 A_TURNED=False B_TURNED=True ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:25600:i8 b=rand:3200:i8 x=zeros:25600:fp16 y=zeros:3200:fp16 wrong=zeros:1:i32 K=200 BM=128 BN=16 BK=64 A_TURNED=True B_TURNED=True ACC=tl.float32 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:6144:i8 b=rand:6144:i8 x=zeros:6144:bf16 y=zeros:6144:bf16 wrong=zeros:1:i32 K=96 BM=64 BN=64 BK=16 A_TURNED=False B_TURNED=False ACC=tl.float32 --num-warps 4 --num-stages 1 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:10240:i8 b=rand:20480:i8 x=zeros:10240:bf16 y=zeros:20480:bf16 wrong=zeros:1:i32 K=160 BM=64 BN=128 BK=16 A_TURNED=True B_TURNED=False ACC=tl.float32 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12288:i8 b=rand:3072:i8 x=zeros:12288:bf16 y=zeros:3072:bf16 wrong=zeros:1:i32 K=96 BM=128 BN=32 BK=16 A_TURNED=False B_TURNED=True ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:25600:i8 b=rand:3200:i8 x=zeros:25600:bf16 y=zeros:3200:bf16 wrong=zeros:1:i32 K=200 BM=128 BN=16 BK=64 A_TURNED=True B_TURNED=True ACC=tl.float32 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:25600:i8 b=rand:1600:i8 x=zeros:25600:fp16 y=zeros:1600:fp16 wrong=zeros:1:i32 K=100 BM=256 BN=16 BK=16 A_TURNED=False B_TURNED=False ACC=tl.float32 --num-warps 8 --num-stages 4 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:3072:i8 b=rand:12288:i8 x=zeros:3072:fp16 y=zeros:12288:fp16 wrong=zeros:1:i32 K=48 BM=64 BN=256 BK=16 A_TURNED=False B_TURNED=False ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:6144:i8 b=rand:6144:i8 x=zeros:6144:fp16 y=zeros:6144:fp16 wrong=zeros:1:i32 K=96 BM=64 BN=64 BK=32 A_TURNED=False B_TURNED=False ACC=tl.float16 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12288:i8 b=rand:6144:i8 x=zeros:12288:fp8e4nv y=zeros:6144:fp8e4nv wrong=zeros:1:i32 K=192 BM=64 BN=32 BK=64 A_TURNED=False B_TURNED=True ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12288:i8 b=rand:6144:i8 x=zeros:12288:fp8e4nv y=zeros:6144:fp8e4nv wrong=zeros:1:i32 K=96 BM=128 BN=64 BK=32 A_TURNED=False B_TURNED=False ACC=tl.float32 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12288:i8 b=rand:6144:i8 x=zeros:12288:fp8e5 y=zeros:6144:fp8e5 wrong=zeros:1:i32 K=192 BM=64 BN=32 BK=64 A_TURNED=False B_TURNED=True ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12288:i8 b=rand:6144:i8 x=zeros:12288:fp8e5 y=zeros:6144:fp8e5 wrong=zeros:1:i32 K=96 BM=128 BN=64 BK=32 A_TURNED=False B_TURNED=False ACC=tl.float32 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:16384:i8 b=rand:16384:i8 x=zeros:16384:i8 y=zeros:16384:i8 wrong=zeros:1:i32 K=256 BM=64 BN=64 BK=64 A_TURNED=False B_TURNED=True ACC=tl.int32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12288:i8 b=rand:3072:i8 x=zeros:12288:i8 y=zeros:3072:i8 wrong=zeros:1:i32 K=96 BM=128 BN=32 BK=32 A_TURNED=True B_TURNED=False ACC=tl.int32 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:6144:i8 b=rand:3072:i8 x=zeros:6144:fp32 y=zeros:3072:fp32 wrong=zeros:1:i32 K=96 BM=64 BN=32 BK=32 A_TURNED=False B_TURNED=True ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:8192:i8 b=rand:4096:i8 x=zeros:8192:fp32 y=zeros:4096:fp32 wrong=zeros:1:i32 K=64 BM=128 BN=64 BK=16 A_TURNED=False B_TURNED=False ACC=tl.float32 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:6144:i8 b=rand:6144:i8 x=zeros:6144:fp32 y=zeros:6144:fp32 wrong=zeros:1:i32 K=96 BM=64 BN=64 BK=32 A_TURNED=False B_TURNED=False ACC=tl.float32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:12288:i8 b=rand:6144:i8 x=zeros:12288:fp32 y=zeros:6144:fp32 wrong=zeros:1:i32 K=96 BM=128 BN=64 BK=16 A_TURNED=True B_TURNED=True ACC=tl.float32 --num-warps 8 --num-stages 4 --expect wrong=zeros:1:i32
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:6144:i8 b=rand:12288:i8 x=zeros:6144:fp32 y=zeros:12288:fp32 wrong=zeros:1:i32 K=96 BM=64 BN=128 BK=32 A_TURNED=False B_TURNED=False ACC=tl.float32 --num-warps 4 --num-stages 4 --expect wrong=zeros:1:i32
# run: neso run %s:chain --target sim:sm_90a --check -q -g 1 a=rand:4096:i8 b=rand:8192:i8 wrong=zeros:1:i32 BN=32 BD=64 h=zeros:8192:fp16 --num-stages 1 --expect wrong=zeros:1:i32
# run: neso run %s:chain --target sim:sm_90a --check -q -g 1 a=rand:4096:i8 b=rand:8192:i8 wrong=zeros:1:i32 BN=32 BD=64 h=zeros:8192:fp16 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:chain --target sim:sm_90a --schedules 3 -q -g 1 a=rand:8192:i8 b=rand:8192:i8 wrong=zeros:1:i32 BN=16 BD=64 h=zeros:8192:fp16 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:chain --target sim:sm_90a --check -q -g 1 a=rand:4096:i8 b=rand:8192:i8 wrong=zeros:1:i32 BN=32 BD=64 h=zeros:8192:fp16 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:unpacked --target sim:sm_90a --check -q -g 1 a=rand:8192:i8 b=rand:8192:fp16 wrong=zeros:1:i32 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:parts --target sim:sm_90a --check -q -g 1 a=rand:8192:i8 x=zeros:8192:fp8e4nv wrong=zeros:1:i32 --num-stages 3 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def small(p, o, n, ACC: tl.constexpr):
    """Integers from -3 to 3, in the type of o."""
    at = tl.arange(0, 8192)
    v = tl.load(p + at, mask=at < n, other=0) % 7 - 3
    tl.store(o + at, v.to(tl.float32).to(o.dtype.element_ty) if ACC != tl.int32 else v.to(o.dtype.element_ty), mask=at < n)


@triton.jit
def product(a, b, x, y, wrong, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, A_TURNED: tl.constexpr,
            B_TURNED: tl.constexpr, ACC: tl.constexpr):
    for start in range(0, K * BM, 8192):
        small(a + start, x + start, K * BM - start, ACC)
    for start in range(0, K * BN, 8192):
        small(b + start, y + start, K * BN - start, ACC)
    tl.debug_barrier()
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    sums = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        u = tl.load(x + (m[:, None] + (i + k)[None, :] * BM if A_TURNED else m[:, None] * K + (i + k)[None, :]), mask=(i + k)[None, :] < K, other=0)
        v = tl.load(y + ((i + k)[:, None] + n[None, :] * K if B_TURNED else (i + k)[:, None] * BN + n[None, :]), mask=(i + k)[:, None] < K, other=0)
        acc = tl.dot(u, v, acc, out_dtype=ACC)
        sums = tl.dot(u.to(tl.float32), v.to(tl.float32), sums, input_precision="ieee")
    bad = (acc.to(tl.float32) != sums).to(tl.int32)
    tl.store(wrong, tl.sum(tl.sum(bad, 1), 0))


@triton.jit
def chain(a, b, h, wrong, BN: tl.constexpr, BD: tl.constexpr):
    """As attention: the first product of an iteration ends in it, the second goes on; what it has added up is scaled in between."""
    small(b, h, 8192, tl.float32)
    tl.debug_barrier()
    m, n, d = tl.arange(0, 64), tl.arange(0, BN), tl.arange(0, BD)
    q = (tl.load(a + m[:, None] * BD + d[None, :]) % 3 - 1).to(tl.float16)
    acc = tl.zeros((64, BD), tl.float32)
    sums = tl.zeros((64, BD), tl.float32)
    for i in range(0, 4 * BN, BN):
        k = tl.load(h + (i + n)[None, :] * BD + d[:, None])
        v = tl.load(h + (i + n)[:, None] * BD + d[None, :])
        s = tl.dot(q, k)
        p = (s * 0.5).to(tl.float16)
        acc = tl.dot(p, v, acc * 0.5)
        t = tl.dot(q.to(tl.float32), k.to(tl.float32), input_precision="ieee")
        sums = tl.dot((t * 0.5).to(tl.float16).to(tl.float32), v.to(tl.float32), sums * 0.5, input_precision="ieee")
    tl.store(wrong, tl.sum(tl.sum((acc != sums).to(tl.int32), 1), 0))


@triton.jit
def unpacked(a, b, wrong):
    """A is computed in registers from what is loaded."""
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    sums = tl.zeros((64, 64), tl.float32)
    for i in range(0, 128, 32):
        u = (tl.load(a + m[:, None] * 128 + (i + k)[None, :]) % 16 - 8).to(tl.float16)
        v = (tl.load(b + (i + k)[:, None] * 64 + n[None, :]) * 16).to(tl.int32).to(tl.float16)
        acc = tl.dot(u, v, acc)
        sums = tl.dot(u.to(tl.float32), v.to(tl.float32), sums, input_precision="ieee")
    tl.store(wrong, tl.sum(tl.sum((acc != sums).to(tl.int32), 1), 0))


@triton.jit
def parts(a, x, wrong):
    """Sums along 32 of K are added by the threads."""
    small(a, x, 8192, tl.float32)
    tl.debug_barrier()
    m, k = tl.arange(0, 64), tl.arange(0, 128)
    u = tl.load(x + m[:, None] * 128 + k[None, :])
    v = tl.load(x + m[None, :] * 128 + k[:, None])
    acc = tl.dot(u, v, max_num_imprecise_acc=32)
    sums = tl.dot(u.to(tl.float32), v.to(tl.float32), input_precision="ieee")
    tl.store(wrong, tl.sum(tl.sum((acc != sums).to(tl.int32), 1), 0))
