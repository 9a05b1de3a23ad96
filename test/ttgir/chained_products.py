# Operands of all products are put into memory in front of the first one. A product that adds to the result of another one follows it at
# once; those whose sums only go round the loop are awaited together, at its end. Parts of the first operand stay in registers. Parts of
# the second one are computed an iteration ahead, under the last product.
# run: neso compile %s:split -s "*fp32:16,*fp32:16,*fp32:16,i32,64" --target sm_90a --num-stages 3 --stop-after pipeline --no-loc
# run: neso compile %s:by_hand -s "*fp32:16,*fp32:16,*fp32:16,i32,64" --target sm_90a --num-stages 3 --stop-after pipeline --no-loc
# run: neso compile %s:split -s "*fp32:16,*fp32:16,*fp32:16,i32,128" --target sm_90a --num-stages 3 --num-warps 8 --stop-after barriers --no-loc
# run: neso compile %s:by_hand -s "*fp32:16,*fp32:16,*fp32:16,i32,128" --target sm_90a --num-stages 3 --num-warps 8 --stop-after barriers --no-loc
import triton
import triton.language as tl


@triton.jit
def split(a, b, o, n, SIZE: tl.constexpr):
    # CHECK: scf.for
    # CHECK: ttg.local_alloc
    # CHECK: ttg.local_alloc
    # CHECK: %[[FIRST:.*]] = ttng.warp_group_dot %[[LOW:[^,]*]], %[[B:[^,]*]], {{.*}} : tensor<64x32xf32
    # CHECK-NEXT: %[[SECOND:.*]] = ttng.warp_group_dot %[[HIGH:[^,]*]], %{{[^,]*}}, %[[FIRST]] {
    # CHECK-NOT: warp_group_dot_wait %[[FIRST]]
    # CHECK: ttng.warp_group_dot_wait %[[SECOND]], %[[HIGH]], %[[LOW]] {pendings = 0
    # CHECK: ttng.warp_group_dot %[[HIGH]], %[[B]]
    # CHECK-NOT: ttg.local_alloc
    # CHECK: scf.yield
    i, j, k = tl.arange(0, SIZE), tl.arange(0, SIZE), tl.arange(0, 32)
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for t in range(n):
        x = tl.load(a + t * SIZE * 32 + i[:, None] * 32 + k[None, :])
        y = tl.load(b + t * SIZE * 32 + k[:, None] * SIZE + j[None, :])
        total = tl.dot(x, y, total, input_precision="tf32x3")
    tl.store(o + i[:, None] * SIZE + j[None, :], total)


@triton.jit
def by_hand(a, b, o, n, SIZE: tl.constexpr):
    # CHECK: scf.for
    # CHECK: ttg.local_alloc
    # CHECK: ttg.local_alloc
    # CHECK: %[[LARGE:.*]] = ttng.warp_group_dot
    # CHECK-NOT: warp_group_dot_wait
    # CHECK: %[[PART:.*]] = ttng.warp_group_dot
    # CHECK-NEXT: %[[SMALL:.*]] = ttng.warp_group_dot %{{[^,]*}}, %{{[^,]*}}, %[[PART]] {
    # CHECK: ttng.warp_group_dot_wait %[[LARGE]], %[[SMALL]], {{.*}} {pendings = 0
    # CHECK-NOT: ttg.local_alloc
    # CHECK: scf.yield
    i, j, k = tl.arange(0, SIZE), tl.arange(0, SIZE), tl.arange(0, 32)
    large, small = tl.zeros((SIZE, SIZE), tl.float32), tl.zeros((SIZE, SIZE), tl.float32)
    for t in range(n):
        x = tl.load(a + t * SIZE * 32 + i[:, None] * 32 + k[None, :])
        y = tl.load(b + t * SIZE * 32 + k[:, None] * SIZE + j[None, :])
        x_high, y_high = x.to(tl.bfloat16), y.to(tl.bfloat16)
        large = tl.dot(x_high, y_high, large)
        small = tl.dot(x_high, (y - y_high.to(tl.float32)).to(tl.bfloat16), small)
        small = tl.dot((x - x_high.to(tl.float32)).to(tl.bfloat16), y_high, small)
    tl.store(o + i[:, None] * SIZE + j[None, :], large + small)


# CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x32x128xf32
# CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x32x128xf32
# CHECK: ttg.async_wait {num = 1 : i32}
# CHECK-NEXT: gpu.barrier
# CHECK: ttg.local_store
# CHECK: ttg.local_store
# CHECK: scf.for
# CHECK: gpu.barrier
# CHECK-NOT: gpu.barrier
# CHECK: ttng.warp_group_dot %
# CHECK: ttng.warp_group_dot %
# CHECK: ttg.async_commit_group
# CHECK: ttng.warp_group_dot_wait
# CHECK: ttng.warp_group_dot %
# CHECK: ttg.async_wait {num = 1 : i32}
# CHECK-NEXT: gpu.barrier
# CHECK-NOT: gpu.barrier
# CHECK: ttg.local_store
# CHECK: ttg.local_store
# CHECK: ttng.warp_group_dot_wait
# CHECK-NEXT: ttng.fence_async_shared
# CHECK: scf.yield
# CHECK: scf.for
# CHECK: ttng.warp_group_dot %
# CHECK: ttng.warp_group_dot %
# CHECK: ttng.warp_group_dot %
# CHECK-NOT: ttng.warp_group_dot_wait
# CHECK: ttg.local_store
# CHECK: ttg.local_store
# CHECK: ttng.warp_group_dot_wait
# CHECK: scf.yield
