# Loops of warp groups' products in kernels of one stage: ahead where a second tile of each operand costs no CTA of an SM, which addresses
# from a table are one iteration more; else, and where the loop itself says so, as they are.
# run: neso compile %s:paged --target sim:sm_90a --why --num-warps 8 --num-stages 1 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*i64:16,i32,128,64,128,None"
# run: neso compile %s:paged --target sim:sm_90a --why --num-warps 8 --num-stages 1 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*i64:16,i32,128,64,128,1"
# run: neso compile %s:paged --target sim:sm_90a --why --num-warps 4 --num-stages 1 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*i64:16,i32,64,64,256,None"
# run: neso compile %s:paged --target sim:sm_90a --why --num-warps 4 --num-stages 1 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*i64:16,i32,16,64,128,None"
# run: neso compile %s:paged --target sim:sm_86 --why --num-warps 8 --num-stages 1 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*i64:16,i32,128,64,128,None"
import triton
import triton.language as tl


@triton.jit
def paged(q, k, v, o, table, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, STAGES: tl.constexpr):
    m, rn, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(q + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    most = tl.zeros([BM], tl.float32)
    total = tl.zeros([BM], tl.float32)
    for i in tl.range(0, n, BN, num_stages=STAGES):
        live = i + rn < n
        at = tl.load(table + i + rn, mask=live, other=0)
        s = tl.dot(x, tl.load(k + at[None, :] * D + d[:, None], mask=live[None, :], other=0.0))
        s = tl.where(live[None, :], s, float("-inf"))
        new = tl.maximum(most, tl.max(s, 1))
        f = tl.exp2(most - new)
        p = tl.exp2(s - new[:, None])
        total = total * f + tl.sum(p, 1)
        most = new
        acc = acc * f[:, None] + tl.dot(p.to(tl.float16), tl.load(v + at[:, None] * D + d[None, :], mask=live[:, None], other=0.0))
    tl.store(o + m[:, None] * D + d[None, :], acc / total[:, None])

# CHECK: + loop pipelined: 2 stages, 0 groups pending
# CHECK-NEXT: + loop rotated
# CHECK: + load copied: copied 1 ahead, 16 bytes at once, 3 slots of 16384 bytes; addresses through 1 load
# CHECK: loop one-stage: as it is: num_stages is 1
# CHECK: loop one-stage: as it is: num_stages is 1
# CHECK: loop one-stage: as it is: num_stages is 1
# CHECK: loop one-stage: as it is: num_stages is 1
