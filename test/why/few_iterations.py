# A loop of few iterations, which its bounds say, has a slot for each of them, and begins all copies in front of it; with more of them
# than slots it is as any other.
# run: neso compile %s:few --target sim:sm_90a --why --num-warps 4 --num-stages 3 --signature "*fp16:16,*fp16:16,*fp32:16,128,64"
# run: neso compile %s:few --target sim:sm_90a --why --num-warps 4 --num-stages 3 --signature "*fp16:16,*fp16:16,*fp32:16,512,64"
# run: neso compile %s:halves --target sim:sm_90a --why --num-warps 4 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp32:16,*fp16:16,i32"
import triton
import triton.language as tl


@triton.jit
def few(a, b, o, K: tl.constexpr, BK: tl.constexpr):
    m, k = tl.arange(0, 32), tl.arange(0, BK)
    acc = tl.zeros([32, 32], tl.float32)
    for i in range(0, K, BK):
        acc = tl.dot(tl.load(a + m[:, None] * K + (i + k)[None, :]), tl.load(b + m[None, :] * K + (i + k)[:, None]), acc)
    tl.store(o + m[:, None] * 32 + m[None, :], acc)


@triton.jit
def halves(a, b, o, h, n):
    m, k = tl.arange(0, 32), tl.arange(0, 64)
    acc = tl.zeros([32, 32], tl.float32)
    for i in range(n):
        if i % 2 == 0:
            tl.store(h + (i // 2) * 1024 + m[:, None] * 32 + m[None, :], acc.to(tl.float16))
        at = i * 64 + k
        acc = tl.dot(tl.load(a + m[:, None] * 4096 + at[None, :]), tl.load(b + m[None, :] * 4096 + at[:, None]), acc)
    tl.store(o + m[:, None] * 32 + m[None, :], acc)

# CHECK: + loop pipelined: 2 stages, 1 groups pending, 16384 bytes, all copies in front of the loop
# CHECK: + load copied: copied 2 ahead, 16 bytes at once, 2 slots of 4096 bytes
# CHECK: + loop pipelined: 3 stages, 1 groups pending, 24576 bytes
# CHECK: + load copied: copied 2 ahead, 16 bytes at once, 3 slots of 4096 bytes
# CHECK: loop versioned: as it is: runs where what is stored may be what is loaded
# CHECK: + loop pipelined: 2 stages, 0 groups pending
