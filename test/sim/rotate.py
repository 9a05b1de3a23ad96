# Loops whose second product is done an iteration late agree with sums of the threads' own products, to the bit: any number of
# iterations, one and two late products, rings that copies and that TMA fill, warps that meet in each iteration and warps that do not.
# run: neso run %s:rotated --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=0 SN=64 BM=64 BN=32 BD=64 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:rotated --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=32 SN=64 BM=64 BN=32 BD=64 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:rotated --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=64 SN=64 BM=64 BN=32 BD=64 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:rotated --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=224 SN=64 BM=64 BN=32 BD=64 --num-warps 4 --num-stages 4 --expect wrong=zeros:1:i32
# run: neso run %s:rotated --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=224 SN=64 BM=128 BN=32 BD=64 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:rotated --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=224 SN=72 BM=128 BN=32 BD=64 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:rotated --target sim:sm_90a --schedules 3 -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=160 SN=64 BM=128 BN=16 BD=64 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:rotated --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=224 SN=60 BM=64 BN=32 BD=32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:two --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=128 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:two --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 wrong=zeros:1:i32 N=32 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:apart --target sim:sm_90a --check -q -g 1 h=rand:65536:fp16 wrong=zeros:1:i32 N=0 BM=128 BN=32 BD=64 PLAIN=True --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:apart --target sim:sm_90a --check -q -g 1 h=rand:65536:fp16 wrong=zeros:1:i32 N=32 BM=128 BN=32 BD=64 PLAIN=False --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:apart --target sim:sm_90a --check -q -g 1 h=rand:65536:fp16 wrong=zeros:1:i32 N=256 BM=128 BN=32 BD=64 PLAIN=False --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:apart --target sim:sm_90a --check -q -g 1 h=rand:65536:fp16 wrong=zeros:1:i32 N=256 BM=128 BN=64 BD=64 PLAIN=True --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:apart --target sim:sm_90a --check -q -g 1 h=rand:65536:fp16 wrong=zeros:1:i32 N=128 BM=256 BN=16 BD=32 PLAIN=False --num-warps 16 --num-stages 4 --expect wrong=zeros:1:i32
# run: neso run %s:apart --target sim:sm_90a --schedules 3 -q -g 1 h=rand:65536:fp16 wrong=zeros:1:i32 N=160 BM=128 BN=16 BD=64 PLAIN=False --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def small(x, h, n):
    for start in range(0, n, 8192):
        at = start + tl.arange(0, 8192)
        tl.store(h + at, (tl.load(x + at) % 3 - 1).to(tl.float16))


@triton.jit
def part(s):
    """What stands between the products; whole numbers from -2 to 2."""
    return tl.maximum(tl.minimum(s, 2.0), -2.0)


@triton.jit
def rotated(x, h, wrong, N, SN, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    small(x, h, 65536)
    tl.debug_barrier()
    m, n, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BD)
    q = tl.load(h + m[:, None] * BD + d[None, :])
    acc = tl.zeros((BM, BD), tl.float32)
    most = tl.zeros((BM,), tl.float32)
    for i in range(0, N, BN):
        k = tl.load(h + 8192 + (i + n)[None, :] * SN + d[:, None])
        s = tl.dot(q, k)
        most = tl.maximum(most, tl.max(s, 1))
        sign = tl.where(tl.sum(s, 1) > 0, -1.0, 1.0)
        v = tl.load(h + 32768 + (i + n)[:, None] * SN + d[None, :])
        acc = tl.dot(part(s).to(tl.float16), v, acc * sign[:, None])
    sums = tl.zeros((BM, BD), tl.float32)
    top = tl.zeros((BM,), tl.float32)
    for i in range(0, N, BN):
        k = tl.load(h + 8192 + (i + n)[None, :] * SN + d[:, None])
        s = tl.dot(q.to(tl.float32), k.to(tl.float32), input_precision="ieee")
        top = tl.maximum(top, tl.max(s, 1))
        sign = tl.where(tl.sum(s, 1) > 0, -1.0, 1.0)
        v = tl.load(h + 32768 + (i + n)[:, None] * SN + d[None, :])
        sums = tl.dot(part(s), v.to(tl.float32), sums * sign[:, None], input_precision="ieee")
    bad = tl.sum(tl.sum((acc != sums).to(tl.int32), 1), 0) + tl.sum((most != top).to(tl.int32), 0)
    tl.store(wrong, bad)


@triton.jit
def two(x, h, wrong, N):
    """As attention's backward: two products, and two that take what threads make of them."""
    small(x, h, 65536)
    tl.debug_barrier()
    m, n = tl.arange(0, 64), tl.arange(0, 32)
    k = tl.load(h + m[:, None] * 64 + m[None, :])
    v = tl.load(h + 4096 + m[:, None] * 64 + m[None, :])
    dk = tl.zeros((64, 64), tl.float32)
    dv = tl.zeros((64, 64), tl.float32)
    for i in range(0, N, 32):
        q = tl.load(h + 8192 + (i + n)[:, None] * 64 + m[None, :])
        do = tl.load(h + 32768 + (i + n)[:, None] * 64 + m[None, :])
        p = part(tl.dot(k, tl.trans(q)))
        dv = tl.dot(p.to(tl.float16), do, dv)
        ds = part(tl.dot(v, tl.trans(do)) - p)
        dk = tl.dot(ds.to(tl.float16), q, dk)
    sk = tl.zeros((64, 64), tl.float32)
    sv = tl.zeros((64, 64), tl.float32)
    for i in range(0, N, 32):
        q = tl.load(h + 8192 + (i + n)[:, None] * 64 + m[None, :]).to(tl.float32)
        do = tl.load(h + 32768 + (i + n)[:, None] * 64 + m[None, :]).to(tl.float32)
        p = part(tl.dot(k.to(tl.float32), tl.trans(q), input_precision="ieee"))
        sv = tl.dot(p, do, sv, input_precision="ieee")
        ds = part(tl.dot(v.to(tl.float32), tl.trans(do), input_precision="ieee") - p)
        sk = tl.dot(ds, q, sk, input_precision="ieee")
    tl.store(wrong, tl.sum(tl.sum((dk != sk).to(tl.int32) + (dv != sv).to(tl.int32), 1), 0))


@triton.jit
def apart(h, wrong, N, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, PLAIN: tl.constexpr):
    """Nothing but products reads what the loop loads, and nobody writes there: TMA brings it, and warp groups do not meet."""
    m, n, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BD)
    q = tl.load(h + m[:, None] * BD + d[None, :])
    acc = tl.zeros((BM, BD), tl.float32)
    for i in range(0, N, BN):
        s = tl.dot(q, tl.load(h + 8192 + (i + n)[None, :] * BD + d[:, None]))
        p = s.to(tl.float16) if PLAIN else tl.exp2(s - tl.max(s, 1)[:, None]).to(tl.float16)
        acc = tl.dot(p, tl.load(h + 32768 + (i + n)[:, None] * BD + d[None, :]), acc if PLAIN else acc * 0.5)
    sums = tl.zeros((BM, BD), tl.float32)
    for i in range(0, N, BN):
        s = tl.dot(q.to(tl.float32), tl.load(h + 8192 + (i + n)[None, :] * BD + d[:, None]).to(tl.float32), input_precision="ieee")
        p = s.to(tl.float16) if PLAIN else tl.exp2(s - tl.max(s, 1)[:, None]).to(tl.float16)
        v = tl.load(h + 32768 + (i + n)[:, None] * BD + d[None, :])
        sums = tl.dot(p.to(tl.float32), v.to(tl.float32), sums if PLAIN else sums * 0.5, input_precision="ieee")
    near = tl.abs(acc - sums) <= 0.02 + 0.01 * tl.abs(sums)
    tl.store(wrong, tl.sum(tl.sum((near == 0).to(tl.int32), 1), 0))
