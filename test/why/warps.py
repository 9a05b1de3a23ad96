# Results that products add to nothing carried are beside the sums: with too many registers of both there are 8 warps, where these
# have 16 rows each.
# run: neso compile %s:blocks --target sim:sm_90a --why --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32:16,128,128"
# run: neso compile %s:blocks --target sim:sm_90a --why --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32:16,128,64"
# run: neso compile %s:blocks --target sim:sm_90a --why --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32:16,64,256"
import triton
import triton.language as tl


@triton.jit
def blocks(a, b, s, o, K, BM: tl.constexpr, BN: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, 128)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, 128):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + n[None, :] * K + (i + k)[:, None])
        acc += tl.dot(x, y) * tl.load(s + i // 128)
    tl.store(o + m[:, None] * BN + n[None, :], acc)

# CHECK: registers more-warps: 8 warps instead of 4, whose threads would hold 256 registers of sums and results of products
# CHECK: wgmma.m64n128k32.f32.e4m3.e4m3, 4 times a warp group
# CHECK-NOT: more-warps
# CHECK: wgmma.m64n64k32.f32.e4m3.e4m3, 8 times a warp group
# CHECK: wgmma.m64n256k32.f32.e4m3.e4m3, 4 times a warp group
