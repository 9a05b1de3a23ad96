# Tiles of tensor maps that a loop copies by TMA.
# run: neso compile %s:boxes --target sim:sm_90a --why --signature "tensordesc<fp16[32, 64]>,tensordesc<fp16[64, 32]>,*fp32:16,i32"
# run: neso compile %s:boxes --target sim:sm_90a --why --num-stages 2 --signature "tensordesc<fp16[32, 64]>,tensordesc<fp16[64, 32]>,*fp32:16,i32"
import triton
import triton.language as tl


@triton.jit
def boxes(a, b, c, k):
    r = tl.arange(0, 32)
    acc = tl.zeros((32, 32), tl.float32)
    for i in range(0, k, 64):
        acc = tl.dot(a.load([0, i]), b.load([i, 0]), acc)
    tl.store(c + r[:, None] * 32 + r[None, :], acc)

# CHECK: for i in range(0, k, 64):
# CHECK-NEXT: + loop pipelined: 3 stages, 1 groups pending, 24576 bytes
# CHECK: + load tensor-map: copied by TMA 2 ahead, 3 slots of 4096 bytes
# Two stages: there is memory for a third.
# CHECK: + loop pipelined: 3 stages, 1 groups pending, 24576 bytes
# CHECK: + load tensor-map: copied by TMA 2 ahead, 3 slots of 4096 bytes
