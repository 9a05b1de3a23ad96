# The sums of a product are stored by 16 bytes a thread: lanes pass neighbours on by shuffles. Sums of rows, which lanes hold several times, are stored as they are.
# run: neso compile %s:kernel -s "*fp16:16,*fp16:16,*fp32:16,*fp32:16" --target sm_90a --num-warps 4 --stop-after remove-layout-conversions --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, o, r):
    # CHECK: [[WIDE:#[a-z0-9]+]] = #ttg.linear<{register = {{.*}}[0, 2]{{.*}}lane = {{\[\[0, 8\], \[0, 4\]}}, [1, 0]
    # CHECK: ttng.warp_group_dot
    # CHECK: ttg.convert_layout {{.*}} -> tensor<64x64xf32, [[WIDE]]>
    # CHECK-NEXT: tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>, [[WIDE]]>
    # CHECK-NOT: ttg.convert_layout
    # CHECK: tt.return
    i, j = tl.arange(0, 64), tl.arange(0, 64)
    tile = i[:, None] * 64 + j[None, :]
    sums = tl.dot(tl.load(a + tile), tl.load(b + tile))
    tl.store(o + tile, sums)
    tl.store(r + i, tl.max(sums, 1))
