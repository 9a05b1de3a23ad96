# A product that reads registers goes on into the next iteration where a thread holds them beside the results of both products: 128 + 64 +
# 32 words, and not 64 + 128 + 64, which ptxas would serialise (C7511).
# run: neso compile %s:attention --target sim:sm_90a --why --num-warps 4 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,128,64"
# run: neso compile %s:attention --target sim:sm_90a --why --num-warps 4 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,64,128"
import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, o, N, D: tl.constexpr, BN: tl.constexpr):
    om, on, od = tl.program_id(0) * 128 + tl.arange(0, 128), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(q + om[:, None] * D + od[None, :])
    top, acc = tl.full((128,), -float("inf"), tl.float32), tl.zeros((128, D), tl.float32)
    for n in range(0, N, BN):
        s = tl.dot(x, tl.load(k + (n + on)[None, :] * D + od[:, None]))
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - higher[:, None])
        acc = acc * tl.exp2(top - higher)[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(v + (n + on)[:, None] * D + od[None, :]), acc)
        top = higher
    tl.store(o + om[:, None] * D + od[None, :], acc.to(tl.float16))

# CHECK: + dot wgmma: wgmma.m64n64k16.f32.f16.f16, 16 times a warp group, A from shared memory; it is waited for
# CHECK: + dot wgmma: wgmma.m64n128k16.f32.f16.f16, 8 times a warp group, A from registers; it goes on into the next iteration
# CHECK: + dot wgmma: wgmma.m64n128k16.f32.f16.f16, 8 times a warp group, A from shared memory; it is waited for
# CHECK: + dot wgmma: wgmma.m64n64k16.f32.f16.f16, 16 times a warp group, A from registers; it is waited for
