# The A of a warp's second tile of rows is made while the tensor cores are at its first one, if that takes them long
# enough: a fence for each tile where the product has 128 columns, one for both where it has 64.
# run: for n in 128 64; do neso compile %s:kernel --signature "*fp16:16,*fp16:16,*fp16:16,$n" --num-warps 4 --target sm_90a --emit ptx | sed -n '/wgmma.fence/p; /wgmma.mma/s/.*\(m64n[0-9]*\).*/\1/p'; done
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, o, N: tl.constexpr):
    r, k, c = tl.arange(0, 128), tl.arange(0, 16), tl.arange(0, N)
    x = tl.exp(tl.load(a + r[:, None] * 16 + k[None, :]).to(tl.float32)).to(tl.float16)
    y = tl.load(b + k[:, None] * N + c[None, :])
    tl.store(o + r[:, None] * N + c[None, :], tl.dot(x, y).to(tl.float16))
# CHECK: wgmma.fence
# CHECK-NEXT: m64n128
# CHECK-NEXT: wgmma.fence
# CHECK-NEXT: m64n128
# CHECK: wgmma.fence
# CHECK-NEXT: m64n64
# CHECK-NEXT: m64n64
