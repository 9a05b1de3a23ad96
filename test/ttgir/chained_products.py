# Operands of all products are in memory behind one barrier. A product that adds to the result of another one follows it at once; those
# whose sums only go round the loop are awaited together, at its end. Parts of the first operand stay in registers.
# run: neso compile %s:split -s "*fp32:16,*fp32:16,*fp32:16,i32" --target sm_90a --num-stages 3 --stop-after barriers --no-loc
# run: neso compile %s:by_hand -s "*fp32:16,*fp32:16,*fp32:16,i32" --target sm_90a --num-stages 3 --stop-after barriers --no-loc
import triton
import triton.language as tl


@triton.jit
def split(a, b, o, n):
    # CHECK: scf.for
    # CHECK: ttg.local_alloc
    # CHECK-NOT: gpu.barrier
    # CHECK: ttg.local_alloc
    # CHECK: gpu.barrier
    # CHECK: %[[FIRST:.*]] = ttng.warp_group_dot %[[LOW:[^,]*]], %[[B:[^,]*]], {{.*}} : tensor<64x32xf32
    # CHECK-NEXT: %[[SECOND:.*]] = ttng.warp_group_dot %[[HIGH:[^,]*]], %{{[^,]*}}, %[[FIRST]] {
    # CHECK-NOT: warp_group_dot_wait %[[FIRST]]
    # CHECK: ttng.warp_group_dot_wait %[[SECOND]], %[[HIGH]], %[[LOW]] {pendings = 0
    # CHECK: ttng.warp_group_dot %[[HIGH]], %[[B]]
    # CHECK-NOT: gpu.barrier
    # CHECK: scf.yield
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 32)
    total = tl.zeros((64, 64), tl.float32)
    for t in range(n):
        x = tl.load(a + t * 2048 + i[:, None] * 32 + k[None, :])
        y = tl.load(b + t * 2048 + k[:, None] * 64 + j[None, :])
        total = tl.dot(x, y, total, input_precision="tf32x3")
    tl.store(o + i[:, None] * 64 + j[None, :], total)


@triton.jit
def by_hand(a, b, o, n):
    # CHECK: scf.for
    # CHECK: ttg.local_alloc
    # CHECK-NOT: gpu.barrier
    # CHECK: ttg.local_alloc
    # CHECK: gpu.barrier
    # CHECK: %[[LARGE:.*]] = ttng.warp_group_dot
    # CHECK-NOT: warp_group_dot_wait
    # CHECK: %[[PART:.*]] = ttng.warp_group_dot
    # CHECK-NEXT: %[[SMALL:.*]] = ttng.warp_group_dot %{{[^,]*}}, %{{[^,]*}}, %[[PART]] {
    # CHECK: ttng.warp_group_dot_wait %[[LARGE]], %[[SMALL]], {{.*}} {pendings = 0
    # CHECK-NOT: gpu.barrier
    # CHECK: scf.yield
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 32)
    large, small = tl.zeros((64, 64), tl.float32), tl.zeros((64, 64), tl.float32)
    for t in range(n):
        x = tl.load(a + t * 2048 + i[:, None] * 32 + k[None, :])
        y = tl.load(b + t * 2048 + k[:, None] * 64 + j[None, :])
        x_high, y_high = x.to(tl.bfloat16), y.to(tl.bfloat16)
        large = tl.dot(x_high, y_high, large)
        small = tl.dot(x_high, (y - y_high.to(tl.float32)).to(tl.bfloat16), small)
        small = tl.dot((x - x_high.to(tl.float32)).to(tl.bfloat16), y_high, small)
    tl.store(o + i[:, None] * 64 + j[None, :], large + small)
