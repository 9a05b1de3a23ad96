# Bytes across K come from the ring part by part, in either order of operands: what the next part's product takes is read in front of
# this one's, into registers that the product before has left.
# run: neso compile %s:product --target sm_90a --num-stages 3 --num-warps 8 --emit ptx --signature "*i8:16,*i8:16,*i32:16,i32:16,i32:16,1,i32:16,1,256,128"
# run: neso compile %s:product --target sm_90a --num-stages 3 --num-warps 8 --emit ptx --signature "*i8:16,*i8:16,*i32:16,i32:16,1,i32:16,1,i32:16,128,256"
import triton
import triton.language as tl


@triton.jit
def product(a, b, o, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, 128)
    acc = tl.zeros((BM, BN), tl.int32)
    for i in range(0, K, 128):
        x = tl.load(a + m[:, None] * am + (i + k)[None, :] * ak)
        y = tl.load(b + (i + k)[:, None] * bk + n[None, :] * bn)
        acc = tl.dot(x, y, acc, out_dtype=tl.int32)
    tl.store(o + m[:, None] * BN + n[None, :], acc)

# CHECK: .visible .entry product(
# CHECK: wgmma.wait_group.sync.aligned 3
# CHECK: ldmatrix
# CHECK: wgmma.wait_group.sync.aligned 2
# CHECK: ldmatrix
# CHECK: wgmma.mma_async
# CHECK: wgmma.commit_group
# CHECK: wgmma.wait_group.sync.aligned 2
# CHECK: ldmatrix
# CHECK: wgmma.mma_async
# CHECK: wgmma.commit_group
# CHECK: wgmma.wait_group.sync.aligned 2
# CHECK: ldmatrix
# CHECK: wgmma.mma_async
# CHECK: wgmma.commit_group
# CHECK: wgmma.mma_async
# CHECK: wgmma.commit_group
# CHECK: .visible .entry product(
# CHECK: wgmma.wait_group.sync.aligned 3
# CHECK: ldmatrix
# CHECK: wgmma.wait_group.sync.aligned 2
# CHECK: ldmatrix
# CHECK: wgmma.mma_async
# CHECK: wgmma.commit_group
# CHECK: wgmma.wait_group.sync.aligned 2
# CHECK: ldmatrix
# CHECK: wgmma.mma_async
# CHECK: wgmma.commit_group
# CHECK: wgmma.wait_group.sync.aligned 2
# CHECK: ldmatrix
# CHECK: wgmma.mma_async
# CHECK: wgmma.commit_group
# CHECK: wgmma.mma_async
# CHECK: wgmma.commit_group
