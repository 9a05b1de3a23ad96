# What a product of integers adds to is no value that is looked at elsewhere: ptxas 12.8 to 13.0 give what was seen of
# one for what is seen of the other (test/diff/greatest_of_sums.py). What nothing looks at stays as it is.
# run: neso compile %s:chain --target sm_90a --num-warps 4 --signature "*i8:16,*i8:16,*i32:16,1" --emit ptx
# run: neso compile %s:chain --target sm_90a --num-warps 4 --signature "*i8:16,*i8:16,*i32:16,0" --emit ptx
# run: neso compile %s:loop --target sm_90a --num-warps 4 --signature "*i8:16,*i8:16,*i32:16,i32" --emit ptx
import triton
import triton.language as tl


@triton.jit
def tiles(a, b, t):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    x = tl.load(a + t * 2048 + r[:, None] * 32 + k[None, :])
    return x, tl.load(b + t * 2048 + r[:, None] * 32 + k[None, :]).T


@triton.jit
def chain(a, b, out, LOOK: tl.constexpr):
    # CHECK: .entry chain
    # CHECK-NOT: %clock_hi
    # CHECK: wgmma.mma_async
    # CHECK: mov.u32 t, %clock_hi; shr.u32 t, t, 31; or.b32
    # CHECK: wgmma.mma_async
    # CHECK: .entry chain
    # CHECK-NOT: %clock_hi
    r = tl.arange(0, 64)
    x, y = tiles(a, b, 0)
    acc = tl.dot(x, y)
    if LOOK:
        tl.store(out + 4096 + r, tl.max(acc, 1))
    x, y = tiles(a, b, 1)
    acc = tl.dot(x, y, acc)
    tl.store(out + 4160 + r, tl.max(acc, 1))


@triton.jit
def loop(a, b, out, n):
    # CHECK: .entry loop
    # CHECK-NOT: %clock_hi
    # CHECK: wgmma.mma_async
    # CHECK: %clock_hi
    # CHECK: wgmma.mma_async
    r = tl.arange(0, 64)
    x, y = tiles(a, b, 0)
    acc = tl.dot(x, y)
    tl.store(out + 4096 + r, tl.max(acc, 1))
    for t in tl.range(1, n, num_stages=1):
        x, y = tiles(a, b, t)
        acc = tl.dot(x, y, acc)
    tl.store(out + 4160 + r, tl.max(acc, 1))
