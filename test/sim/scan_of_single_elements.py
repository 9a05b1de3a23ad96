# Scans whose loads and stores take single elements give sums whose differences are the elements,
# forwards and backwards, where the mask ends within a run of a thread.
# run: neso run %s:running --target sim:sm_90a --check -q -g 1 wrong=zeros:1:i32 n=1024 N=1024 R=False --num-warps 4 --expect wrong=zeros:1:i32 x=zeros:1024:i32
# run: neso run %s:running --target sim:sm_90a --check -q -g 1 wrong=zeros:1:i32 n=701 N=1024 R=False --num-warps 4 --expect wrong=zeros:1:i32 x=zeros:1024:i32
# run: neso run %s:running --target sim:sm_90a --check -q -g 1 wrong=zeros:1:i32 n=1021 N=1024 R=True --num-warps 2 --expect wrong=zeros:1:i32 x=zeros:1024:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def running(x, wrong, n, N: tl.constexpr, R: tl.constexpr):
    i = tl.arange(0, N)
    mask = i < n
    tl.store(x + i, i * 7 % 11, mask=mask)
    tl.debug_barrier()
    got = tl.cumsum(tl.load(x + i, mask=mask, other=0), 0, reverse=R)
    tl.debug_barrier()
    tl.store(x + i, got, mask=mask)
    tl.debug_barrier()
    here = tl.load(x + i, mask=mask, other=0)
    beside = tl.load(x + i + (1 if R else -1), mask=mask & (i < n - 1 if R else i > 0), other=0)
    bad = mask & (here - beside != i * 7 % 11)
    tl.atomic_add(wrong, tl.sum(bad.to(tl.int32)))
    tl.store(x + i, 0, mask=mask)
