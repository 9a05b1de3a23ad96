# A load of what its loop stores is not copied ahead, so a conversion of it costs as any other: it is loaded as it is stored, and used.
# run: neso compile %s:kernel -s "*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32:16" --target sm_90a --stop-after remove-layout-conversions --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, t, o, n):
    # CHECK: scf.for
    # CHECK: tt.store {{.*}}tensor<128x!tt.ptr<f32>, [[ROWS:#[a-z0-9]+]]>
    # CHECK: %[[SCALE:[a-z0-9_]+]] = tt.load {{.*}}tensor<128x!tt.ptr<f32>, [[ROWS]]>
    # CHECK-NEXT: tt.expand_dims %[[SCALE]]
    # CHECK: tt.return
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    tile = i[:, None] * 64 + j[None, :]
    x = tl.load(a + tile)
    total = tl.zeros((128, 64), tl.float32)
    for k in range(n):
        p = tl.dot(x, tl.trans(tl.load(b + tile)))
        tl.store(t + i, tl.max(p, 1))
        scale = tl.load(t + i, mask=i < n, other=1)
        total = total * scale[:, None]
        total += tl.dot(p.to(tl.float16), tl.load(b + tile))
        b += 128 * 64
    tl.store(o + tile, total)
