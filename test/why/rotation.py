# Products an iteration late: which loops, and why not others. Warp groups that do not meet.
# run: neso compile %s:chain --target sim:sm_90a --why --num-warps 8 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,128,128"
# run: NESO_SKIP_PASSES=choose-warps neso compile %s:chain --target sim:sm_90a --why --num-warps 4 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,128,128"
# run: neso compile %s:chain --target sim:sm_90a --why --num-warps 8 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,64,32"
# run: neso compile %s:chain --target sim:sm_90a --why --num-warps 8 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,32,128"
# run: neso compile %s:chain --target sim:sm_90a --why --num-warps 16 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,256,128,128"
# run: NESO_SKIP_PASSES=map-loads neso compile %s:chain --target sim:sm_90a --why --num-warps 16 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,256,128,128"
import triton
import triton.language as tl


@triton.jit
def chain(a, b, c, o, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m, k, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(a + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    for i in range(0, n):
        s = tl.dot(x, tl.load(b + (i * BN + k)[None, :] * D + d[:, None]))
        acc = tl.dot(tl.exp2(s).to(tl.float16), tl.load(c + (i * BN + k)[:, None] * D + d[None, :]), acc)
    tl.store(o + m[:, None] * D + d[None, :], acc)

# CHECK: + loop pipelined: 3 stages, 1 groups pending, 196608 bytes
# CHECK-NEXT: + loop rotated: products an iteration late: 1, so that an iteration is to take 2611 cycles of an SM instead of 3072 (tensor cores 2048, special functions 1024, issue 320)
# CHECK-NEXT: {{^}}    loop cycles: an iteration of each of 1 CTAs on an SM is to take 2611 cycles (tensor cores 2048, shared memory 1792, special functions 1024, issue 192; bound by tensor cores)
# A slot holds what one iteration of the rotated loop reads: three are two iterations ahead, and two do.
# CHECK: load tensor-map: copied by TMA 2 ahead, 3 slots of 32768 bytes
# CHECK: load tensor-map: copied by TMA 2 ahead, 3 slots of 32768 bytes
# CHECK: - loop rotation-registers: products are waited for where they stand, which is to take 3072 cycles of an SM instead of 2611: with some of them an iteration late a thread would hold 376 registers
# CHECK-NEXT: more warps, or smaller tiles
# CHECK: loop rotation-threads: products are waited for where they stand, which is to take 652 cycles of an SM instead of 768: threads compute for longer than products take, and do so best by more warps (registers: 120)
# CHECK-NEXT: loop cycles: an iteration of each of 3 CTAs on an SM is to take 1958 cycles (tensor cores 768, shared memory 768, special functions 1536, issue 288; bound by special functions)
# CHECK: loop rotation-ctas: products are waited for where they stand, which is to take 896 cycles of an SM instead of 780: with some of them an iteration late fewer CTAs would share an SM (registers: 144)
# CHECK-NEXT: loop cycles: an iteration of each of 2 CTAs on an SM is to take 1561 cycles (tensor cores 1024, shared memory 1280, special functions 512, issue 96; bound by shared memory)
# CHECK: + loop rotated: products an iteration late: 1
# CHECK: load tensor-map: copied by TMA 1 ahead, 2 slots of 32768 bytes
# CHECK: - loop rotation-memory: products are waited for where they stand, which is to take 6144 cycles of an SM instead of 5222: with some of them an iteration late rings would not fit into shared memory (registers: 216)
