# Kernels of one warpgroup give up slots of their rings, where a second CTA then fits on the SM: with one product copies stay two
# iterations ahead, with several one. Not with 8 warps, and not where a second CTA would not fit even so (256 columns). A variant for launches
# of no more programs than there are SMs has no second CTA: it takes what memory there is.
# run: neso compile %s:product --target sim:sm_90a --why --num-stages 4 --num-warps 4 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,128"
# run: NESO_PERSIST=0 neso compile %s:product --target sim:sm_90a --why --num-stages 4 --num-warps 4 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,128"
# run: NESO_PERSIST=0 neso compile %s:product --target sim:sm_90a --why --num-stages 4 --num-warps 8 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,128"
# run: neso compile %s:product --target sim:sm_90a --why --num-stages 4 --num-warps 4 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,256"
# run: neso compile %s:several --target sim:sm_90a --why --num-stages 3 --num-warps 4 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16"
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K, N: tl.constexpr):
    m, n, k = tl.program_id(0) * 128 + tl.arange(0, 128), tl.arange(0, N), tl.arange(0, 64)
    acc = tl.zeros((128, N), tl.float32)
    for i in range(0, K, 64):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


@triton.jit
def several(q, k, o, v, N):
    m, n, d = tl.program_id(0) * 64 + tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 128)
    x = tl.load(q + m[:, None] * 128 + d[None, :])
    u = tl.load(v + m[:, None] * 64 + tl.arange(0, 64)[None, :])
    acc = tl.zeros((64, 128), tl.float32)
    for i in range(0, N, 64):
        y = tl.load(k + (i + n)[:, None] * 128 + d[None, :])
        z = tl.load(o + (i + n)[:, None] * 128 + d[None, :])
        w = tl.load(v + (i + n)[:, None] * 64 + tl.arange(0, 64)[None, :])
        s = tl.dot(x, tl.trans(y)) * tl.dot(x, tl.trans(z)) + tl.dot(u, w)
        acc = tl.dot(s.to(tl.float16), y, acc)
    tl.store(q + m[:, None] * 128 + d[None, :], acc.to(tl.float16))

# CHECK: + loop pipelined: 6 stages, 4 groups pending, 229376 bytes
# CHECK: + loop pipelined: 3 stages, 1 groups pending, 98304 bytes
# CHECK: + loop pipelined: 4 stages, 2 groups pending, 163840 bytes
# CHECK: + loop pipelined: 3 stages, 1 groups pending, 196608 bytes
# CHECK: + loop pipelined: 2 stages, 0 groups pending, 81920 bytes
