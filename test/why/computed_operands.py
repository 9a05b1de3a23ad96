# What is computed of a tile goes into memory for wgmma as the tile lies: along N here, along K, and along K
# where single elements are loaded by lanes side by side.
# run: neso compile %s:scaled --target sim:sm_90a --emit ttgir --no-loc --signature "*bf16:16,*bf16:16,*fp32:16,*fp32:16,i32,i32:16,1"
# run: neso compile %s:scaled --target sim:sm_90a --emit ttgir --no-loc --signature "*bf16:16,*bf16:16,*fp32:16,*fp32:16,i32,1,i32:16"
# run: neso compile %s:scaled --target sim:sm_90a --emit ttgir --no-loc --signature "*bf16:16,*bf16,*fp32:16,*fp32:16,i32,1,i32"
import triton
import triton.language as tl


@triton.jit
def scaled(a, b, scales, o, n, bk, bn):
    m, k, c = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 128)
    acc = tl.zeros((64, 128), tl.float32)
    for i in range(0, n, 64):
        x = tl.load(a + m[:, None] * 4096 + i + k[None, :])
        s = tl.exp(tl.load(scales + i + k))
        y = tl.load(b + (i + k)[:, None] * bk + c[None, :] * bn).to(tl.float32) * s[:, None]
        acc = tl.dot(x, y.to(tl.bfloat16), acc)
    tl.store(o + m[:, None] * 128 + c[None, :], acc)

# CHECK: #[[ROWS:shared[0-9]*]] = #ttg.shared_linear<{offset = {{\[\[}}0, 1], {{.*}}[32, 0], [0, 64]]}
# CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x128xbf16, #[[ROWS]],
# CHECK: #[[COLUMNS:shared[0-9]*]] = #ttg.shared_linear<{offset = {{\[\[}}1, 0], {{.*}}[0, 32], [0, 64]]}
# CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x128xbf16, #[[COLUMNS]],
# CHECK: #[[LANES:shared[0-9]*]] = #ttg.shared_linear<{offset = {{\[\[}}1, 0], {{.*}}[0, 32], [0, 64]]}
# CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x128xbf16, #[[LANES]],
