# What loops hand on to products of warp groups begins with a number that the assembler does not know: ptxas
# 12.8 takes such sums for the constant else (test/diff/sums_that_begin_with_zero.py).
# run: neso compile %s:kernel --target sm_90a --num-warps 4 --signature "*fp16:16,*fp16:16,*fp32:16,*i32:16,i32" --emit ptx
# run: neso compile %s:ones --target sm_90a --num-warps 4 --signature "*fp16:16,*fp16:16,*fp32:16" --emit ptx
# run: neso compile %s:once --target sm_90a --num-warps 4 --signature "*fp16:16,*fp16:16,*fp32:16" --emit ptx
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, out, e, n):
    # CHECK: .entry kernel
    # CHECK: mov.u32 t, %clock_hi; shr.u32 t, t, 31; or.b32
    # CHECK-NOT: %clock_hi
    # CHECK: wgmma.mma_async
    r, s = tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for t in range(n):
        x = tl.load(a + t * 4096 + r[:, None] * 64 + s[None, :])
        acc = tl.dot(x, tl.load(b + t * 4096 + r[:, None] * 64 + s[None, :]), acc)
        if tl.load(e + t) > 2:
            break
    tl.store(out + r[:, None] * 64 + s[None, :], acc)


@triton.jit
def ones(a, b, out):
    # CHECK: .entry ones
    # CHECK: %clock_hi
    # CHECK: wgmma.mma_async
    r, s = tl.arange(0, 64), tl.arange(0, 64)
    x, y = tl.load(a + r[:, None] * 64 + s[None, :]), tl.load(b + r[:, None] * 64 + s[None, :])
    tl.store(out + r[:, None] * 64 + s[None, :], tl.dot(x, y, tl.full((64, 64), 1.0, tl.float32)))


@triton.jit
def once(a, b, out):
    # CHECK: .entry once
    # CHECK-NOT: %clock_hi
    # CHECK: wgmma.mma_async
    # CHECK-NOT: %clock_hi
    r, s = tl.arange(0, 64), tl.arange(0, 64)
    x, y = tl.load(a + r[:, None] * 64 + s[None, :]), tl.load(b + r[:, None] * 64 + s[None, :])
    tl.store(out + r[:, None] * 64 + s[None, :], tl.dot(x, y))
