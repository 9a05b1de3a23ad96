# One thread that waits for a free slot behind the last product of an iteration meets its warp before the next one begins: without
# that ptxas 13.0 has the numbers of slots in registers of each thread, and reads descriptors of products from a lane.
# Where a product is waited for behind it nothing is needed.
# run: NESO_PERSIST=0 neso compile %s:product -s "*fp16:16,*fp16:16,*fp16:16,i32:16" --target sm_90a --num-warps 8 --num-stages 3 --emit llir
# run: NESO_PERSIST=0 neso compile %s:product -s "*fp16:16,*fp16:16,*fp16:16,i32:16" --target sm_90a --num-warps 8 --num-stages 4 --emit llir
import triton
import triton.language as tl


# CHECK: call void @neso.wgmma_wait.1()
# CHECK: call void @neso.mbarrier_wait(
# CHECK: call void @neso.tensor_load.2d(
# CHECK: call void @neso.warp_barrier()
# CHECK: ret void
# CHECK: define {{.*}}@product
# CHECK: call void @neso.wgmma_commit()
# CHECK: call void @neso.mbarrier_wait(
# CHECK: call void @neso.tensor_load.2d(
# CHECK: call void @neso.wgmma_wait.1()
# CHECK-NOT: @neso.warp_barrier()
# CHECK: ret void
@triton.jit
def product(a, b, c, K):
    i, k = tl.arange(0, 128), tl.arange(0, 64)
    acc = tl.zeros((128, 128), tl.float32)
    for s in range(0, K, 64):
        x = tl.load(a + i[:, None] * K + (s + k)[None, :])
        y = tl.load(b + (s + k)[:, None] * 128 + i[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * 128 + i[None, :], acc.to(tl.float16))
