# A product of what threads copy, row by row from places that are loaded, and of what TMA copies: threads meet once in an iteration, with
# a fence for what they copied.
# run: NESO_PERSIST=0 neso compile %s:kernel -s "*fp16:16,*fp16:16,*fp32:16,*i32:16,i32" --target sm_90a --num-stages 3 --stop-after barriers --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, o, rows, n):
    # CHECK: scf.for
    # CHECK: ttg.async_wait
    # CHECK-NOT: gpu.barrier
    # CHECK: ttng.fence_async_shared
    # CHECK-NEXT: gpu.barrier
    # CHECK-NOT: gpu.barrier
    # CHECK: ttng.wait_barrier
    # CHECK-NOT: gpu.barrier
    # CHECK: ttng.warp_group_dot %
    # CHECK: ttg.async_copy_global_to_local
    # CHECK: ttng.async_tma_copy_global_to_local
    # CHECK-NOT: gpu.barrier
    # CHECK: scf.yield
    i, j, k = tl.arange(0, 128), tl.arange(0, 128), tl.arange(0, 32)
    at = tl.load(rows + i)
    total = tl.zeros((128, 128), tl.float32)
    for t in range(n):
        x = tl.load(a + at[:, None] * 4096 + (t * 32 + k)[None, :])
        y = tl.load(b + (t * 32 + k)[:, None] * 128 + j[None, :])
        total = tl.dot(x, y, total)
    tl.store(o + i[:, None] * 128 + j[None, :], total)
