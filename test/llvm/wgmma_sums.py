# A product of a warp group whose even sums nobody reads: they have nothing to add to, so that ptxas cannot leave out
# the copy of what is stored behind the product. Of its 16 registers 8 are written, in front of the fence.
# llvm: 22
# run: neso compile %s:kernel --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16" --target sm_90a --emit ptx
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, o, kept):
    r, n, k = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, 16)
    left, right = tl.load(a + r[:, None] * 16 + k[None, :]), tl.load(b + k[:, None] * 32 + n[None, :])
    added = tl.dot(left, right)
    x = tl.dot(left, right, added)
    even, odd = tl.split(tl.reshape(x, (64, 16, 2)))
    # CHECK: wgmma.wait_group
    # CHECK-COUNT-8: mov.b32
    # CHECK-NOT: mov.b32
    # CHECK: wgmma.fence
    # CHECK-NOT: mov.b32
    # CHECK: wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16
    tl.store(o + r[:, None] * 16 + tl.arange(0, 16)[None, :], odd)
    tl.store(kept + r[:, None] * 32 + n[None, :], added)
