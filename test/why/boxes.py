# Tiles of tensor maps that a loop copies by TMA.
# run: NESO_PERSIST=0 neso compile %s:boxes --target sim:sm_90a --why --signature "tensordesc<fp16[32, 64]>,tensordesc<fp16[64, 32]>,*fp32:16,i32"
# run: NESO_PERSIST=0 neso compile %s:boxes --target sim:sm_90a --why --num-stages 2 --signature "tensordesc<fp16[32, 64]>,tensordesc<fp16[64, 32]>,*fp32:16,i32"
# run: NESO_PERSIST=0 neso compile %s:front --target sim:sm_90a --why --signature "tensordesc<fp16[64, 64]>,tensordesc<fp16[1, 128, 64]>,*fp32:16,i32,i32"
# run: NESO_PERSIST=0 neso compile %s:roomy --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp32:16,i32:16,i32"
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


@triton.jit
def front(a, b, c, k, expert):
    r, s = tl.arange(0, 64), tl.arange(0, 128)
    acc = tl.zeros((64, 128), tl.float32)
    for i in range(0, k, 64):
        y = b.load([expert, 0, i]).reshape(128, 64)
        acc = tl.dot(a.load([0, i]), y.T, acc)
    tl.store(c + r[:, None] * 128 + s[None, :], acc)

# A dim of one in front of what a product takes: no thread reads the tile.
# CHECK: for i in range(0, k, 64):
# CHECK: y = b.load
# CHECK-NEXT: + load tensor-map: copied by TMA 2 ahead
# CHECK-NOT: memory vectors
# CHECK: acc = tl.dot


@triton.jit
def roomy(a, b, c, k, m):
    r, s = tl.arange(0, 128), tl.arange(0, 128)
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, k, 128):
        x = tl.load(a + (r % m)[:, None] * k + (i + s)[None, :])
        y = tl.load(b + (r % m)[:, None] * k + (i + s)[None, :])
        acc = tl.dot(x, y.T, acc)
    tl.store(c + r[:, None] * 128 + s[None, :], acc)

# Three slots of 64 KB, and no fourth: copies are two iterations ahead, and threads meet.
# CHECK: for i in range(0, k, 128):
# CHECK-NEXT: + loop pipelined: 3 stages, 1 groups pending, 196608 bytes
# CHECK: + load copied: copied 2 ahead, 16 bytes at once, 3 slots of 32768 bytes
# CHECK: + dot wgmma: {{.*}}; it goes on into the next iteration
