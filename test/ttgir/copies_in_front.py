# Two stages: where threads scale a tile for the product, copies for the next iteration begin in front of that; where the product
# takes what copies brought, behind it.
# run: NESO_PERSIST=0 neso compile %s:kernel -s "*bf16:16,*bf16:16,*fp32:16,*fp32:16,i32,1" --target sm_90a --num-stages 2 --stop-after pipeline --no-loc
# run: NESO_PERSIST=0 neso compile %s:kernel -s "*bf16:16,*bf16:16,*fp32:16,*fp32:16,i32,0" --target sm_90a --num-stages 2 --stop-after pipeline --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, s, o, n, SCALED: tl.constexpr):
    # CHECK: scf.for
    # CHECK: ttng.async_tma_copy_global_to_local
    # CHECK: ttng.warp_group_dot %
    # CHECK-NEXT: ttng.warp_group_dot_wait {{.*}}pendings = 0
    # CHECK: scf.for
    # CHECK-NOT: ttng.async_tma_copy_global_to_local
    # CHECK: ttng.warp_group_dot %
    # CHECK: ttng.async_tma_copy_global_to_local
    i, j = tl.arange(0, 64), tl.arange(0, 32)
    total = tl.zeros((64, 32), tl.float32)
    for t in range(n):
        x = tl.load(a + t * 4096 + i[:, None] + i[None, :] * 64)
        y = tl.load(b + t * 2048 + i[:, None] * 32 + j[None, :])
        if SCALED:
            y = (y * tl.load(s + t * 64 + i)[:, None]).to(tl.bfloat16)
        total = tl.dot(x, y, total)
    tl.store(o + i[:, None] * 32 + j[None, :], total)
