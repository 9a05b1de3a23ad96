# Turns of warp groups: loops whose threads compute exponentials beside products; not without them, not with warps of one group, nor where
# CTAs share an SM.
# run: NESO_TURNS=auto neso compile %s:chain --target sim:sm_90a --why --num-warps 8 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,128,128,True"
# run: NESO_TURNS=auto neso compile %s:chain --target sim:sm_90a --why --num-warps 8 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,128,128,False"
# run: NESO_TURNS=auto neso compile %s:chain --target sim:sm_90a --why --num-warps 8 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,128,64,True"
# run: NESO_TURNS=auto neso compile %s:chain --target sim:sm_90a --why --num-warps 8 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,64,32,True"
# run: NESO_TURNS=auto neso compile %s:chain --target sim:sm_90a --why --num-warps 4 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,64,64,32,True"
# A tile that two products read, one of them turned round, keeps no warps in step either.
# run: NESO_TURNS=auto neso compile %s:twice --target sim:sm_90a --why --num-warps 8 --num-stages 3 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,64,128"
import triton
import triton.language as tl


@triton.jit
def chain(a, b, c, o, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, SPECIAL: tl.constexpr):
    m, k, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(a + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    for i in range(0, n):
        s = tl.dot(x, tl.load(b + (i * BN + k)[None, :] * D + d[:, None]))
        s = tl.exp2(s) if SPECIAL else s * 0.5
        acc = tl.dot(s.to(tl.float16), tl.load(c + (i * BN + k)[:, None] * D + d[None, :]), acc)
    tl.store(o + m[:, None] * D + d[None, :], acc)


@triton.jit
def twice(a, b, c, o, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m, k, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(a + m[:, None] * D + d[None, :])
    z = tl.load(c + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    for i in range(0, n):
        y = tl.load(b + (i * BN + k)[None, :] * D + d[:, None])
        s = tl.exp2(tl.dot(x, y)) * tl.dot(z, y)
        acc += tl.dot(s.to(tl.float16), tl.trans(y))
    tl.store(o + m[:, None] * D + d[None, :], acc)

# CHECK: + loop rotated
# CHECK: + loop turns: 2 warp groups issue products in turns, 2 of an iteration at a time
# CHECK: + loop rotated
# CHECK-NOT: loop turns
# CHECK: loop rotation-ctas
# CHECK: + loop turns: 2 warp groups issue products in turns, 2 of an iteration at a time
# CHECK-NOT: loop turns
# CHECK: + loop turns: 2 warp groups issue products in turns, 3 of an iteration at a time
