# Attention over rows that a table names, whose loads stand in branches as masked rows at an end have it, agrees with sums of the threads'
# own products, to the bit: loads begin in front of the product before theirs. Rows behind the last are NaN.
# run: neso run %s:paged --target sim:sm_90a --check -q -g 1 x=rand:32768:i8 h=zeros:32768:fp16 table=zeros:512:i32 wrong=zeros:1:i32 N=200 BM=128 BN=32 BD=64 --num-warps 4 --num-stages 1 --expect wrong=zeros:1:i32
# run: neso run %s:paged --target sim:sm_90a --check -q -g 1 x=rand:32768:i8 h=zeros:32768:fp16 table=zeros:512:i32 wrong=zeros:1:i32 N=96 BM=64 BN=32 BD=64 --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:paged --target sim:sm_90a --check -q -g 1 x=rand:32768:i8 h=zeros:32768:fp16 table=zeros:512:i32 wrong=zeros:1:i32 N=31 BM=64 BN=32 BD=64 --num-warps 4 --num-stages 1 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def part(s, keep):
    """What stands between the products; whole numbers from -2 to 2."""
    return tl.where(keep, tl.maximum(tl.minimum(s, 2.0), -2.0), 0.0)


@triton.jit
def paged(x, h, table, wrong, N, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    for start in range(0, 32768, 8192):
        at = start + tl.arange(0, 8192)
        tl.store(h + at, (tl.load(x + at) % 3 - 1).to(tl.float16))
    row = tl.arange(0, 256)
    tl.store(table + row, tl.where(row < N, row * 77 % 199, 200))
    gone = 200 * BD + tl.arange(0, 2048)
    tl.debug_barrier()
    tl.store(h + gone, tl.full((2048,), float("nan"), tl.float16), mask=gone < 201 * BD)
    tl.debug_barrier()
    m, n, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BD)
    q = tl.load(h + 16384 + m[:, None] * BD + d[None, :])
    acc = tl.zeros((BM, BD), tl.float32)
    for i in tl.range(0, N, BN, loop_unroll_factor=2):
        live = i + n < N
        at = tl.load(table + i + n)
        if i + BN > N:
            k = tl.load(h + at[None, :] * BD + d[:, None], mask=live[None, :], other=0.0)
        else:
            k = tl.load(h + at[None, :] * BD + d[:, None])
        s = tl.dot(q, k)
        sign = tl.where(tl.sum(s, 1) > 0, -1.0, 1.0)
        if i + BN > N:
            v = tl.load(h + at[:, None] * BD + d[None, :], mask=live[:, None], other=0.0)
        else:
            v = tl.load(h + at[:, None] * BD + d[None, :])
        acc = acc * sign[:, None] + tl.dot(part(s, live[None, :]).to(tl.float16), v)
    sums = tl.zeros((BM, BD), tl.float32)
    for i in range(0, N, BN):
        live = i + n < N
        at = tl.load(table + i + n, mask=live, other=200)
        k = tl.load(h + at[None, :] * BD + d[:, None], mask=live[None, :], other=0.0)
        s = tl.dot(q.to(tl.float32), k.to(tl.float32), input_precision="ieee")
        sign = tl.where(tl.sum(s, 1) > 0, -1.0, 1.0)
        v = tl.load(h + at[:, None] * BD + d[None, :], mask=live[:, None], other=0.0)
        sums = sums * sign[:, None] + tl.dot(part(s, live[None, :]), v.to(tl.float32), input_precision="ieee")
    tl.atomic_add(wrong, tl.sum((acc != sums).to(tl.int32)))
