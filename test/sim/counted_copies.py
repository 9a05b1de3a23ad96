# Loops of two warp groups that copy by threads and never meet agree with sums of the threads' own products, to the bit: any number of
# iterations, one and two stages, a window of rows that memory names, a loop behind another one in the same memory.
# run: neso run %s:window --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 at=zeros:16:i32 wrong=zeros:1:i32 N=0 BM=128 BN=128 BD=128 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:window --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 at=zeros:16:i32 wrong=zeros:1:i32 N=20 BM=128 BN=128 BD=128 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:window --target sim:sm_90a --check -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 at=zeros:16:i32 wrong=zeros:1:i32 N=150 BM=128 BN=128 BD=128 --num-warps 8 --num-stages 1 --expect wrong=zeros:1:i32
# run: neso run %s:window --target sim:sm_90a --schedules 3 -q -g 1 x=rand:65536:i8 h=zeros:65536:fp16 at=zeros:16:i32 wrong=zeros:1:i32 N=150 BM=128 BN=128 BD=128 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def part(s, live):
    """What stands between the products; whole numbers from -2 to 2."""
    return tl.where(live[None, :], tl.maximum(tl.minimum(s, 2.0), -2.0), 0.0)


@triton.jit
def window(x, h, at, wrong, N, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    for start in range(0, 65536, 8192):
        i = start + tl.arange(0, 8192)
        tl.store(h + i, (tl.load(x + i) % 3 - 1).to(tl.float16))
    tl.debug_barrier()
    first = tl.load(at) + 3
    m, n, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BD)
    q = tl.load(h + m[:, None] * BD + d[None, :])
    acc = tl.zeros((BM, BD), tl.float32)
    for again in tl.static_range(2):
        base = h + 16384 * (1 + again)
        for i in range(0, N, BN):
            live = i + n < N
            k = tl.load(base + (first + i + n)[None, :] * BD + d[:, None], mask=live[None, :], other=0.0)
            s = tl.dot(q, k)
            sign = tl.where(tl.sum(s, 1) > 0, -1.0, 1.0)
            v = tl.load(base + 8192 + (first + i + n)[:, None] * BD + d[None, :], mask=live[:, None], other=0.0)
            acc = tl.dot(part(s, live).to(tl.float16), v, acc * sign[:, None])
    sums = tl.zeros((BM, BD), tl.float32)
    for again in tl.static_range(2):
        base = h + 16384 * (1 + again)
        for i in range(0, N, BN):
            live = i + n < N
            k = tl.load(base + (first + i + n)[None, :] * BD + d[:, None], mask=live[None, :], other=0.0)
            s = tl.dot(q.to(tl.float32), k.to(tl.float32), input_precision="ieee")
            sign = tl.where(tl.sum(s, 1) > 0, -1.0, 1.0)
            v = tl.load(base + 8192 + (first + i + n)[:, None] * BD + d[None, :], mask=live[:, None], other=0.0)
            sums = tl.dot(part(s, live), v.to(tl.float32), sums * sign[:, None], input_precision="ieee")
    tl.atomic_add(wrong, tl.sum((acc != sums).to(tl.int32)))
