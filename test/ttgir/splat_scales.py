# The pass splat-scales: where all columns are of one block, a second loop loads that block's scale in the same way; masked scales stay a row.
# run: neso compile %s:kernel -s "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32,i32,False" --target sm_90a --stop-after splat-scales --no-loc
# run: neso compile %s:kernel -s "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32,i32,True" --target sm_90a --stop-after splat-scales --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, s, o, n, group, MASKED: tl.constexpr):
    # CHECK: %[[FIRST:[a-z0-9_]+]] = arith.divsi %{{[a-z0-9_]+}}, %group : i32
    # CHECK: %[[LAST:[a-z0-9_]+]] = arith.divsi %{{[a-z0-9_]+}}, %group : i32
    # CHECK: arith.cmpi eq, %[[FIRST]], %[[LAST]] : i32
    # CHECK: scf.if
    # CHECK: scf.for
    # CHECK: tt.load %{{.*}} cacheModifier = cg : !tt.ptr<f32>
    # CHECK: tt.dot
    # CHECK: else
    # CHECK: scf.for
    # CHECK: tt.load %{{.*}} cacheModifier = cg : tensor<64x!tt.ptr<f32>>
    # CHECK: tt.dot
    # CHECK: tt.func
    # CHECK-NOT: scf.if
    # CHECK: tt.return
    i, k = tl.arange(0, 64), tl.arange(0, 128)
    column = tl.program_id(0) * 64 + i
    places = s + column // group
    acc = tl.zeros((64, 64), tl.float32)
    for t in range(n):
        x = tl.load(a + i[:, None] * 128 + k[None, :] + t * 8192)
        y = tl.load(b + i[None, :] * 128 + k[:, None] + t * 8192)
        scale = tl.load(places + t * 64, mask=column < 100, other=0.0) if MASKED else tl.load(places + t * 64, cache_modifier=".cg")
        acc += tl.dot(x, y) * scale[None, :]
    tl.store(o + i[:, None] * 64 + i[None, :], acc)
