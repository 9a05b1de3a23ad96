# Parts of an operand that are computed an iteration ahead are fenced behind the wait for the product: beside it ptxas 12.8
# crashed, in some loops.
# run: neso compile %s:kernel --target sm_90a --num-warps 8 --num-stages 3 --signature "*fp16:16,*fp16:16,*fp32:16,i32,i32" --emit ptx
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, o, T, N):
    # CHECK: nounroll
    # CHECK-NOT: fence.proxy.async
    # CHECK: wgmma.mma_async
    # CHECK-NOT: fence.proxy.async
    # CHECK: st.shared
    # CHECK-NOT: fence.proxy.async
    # CHECK: wgmma.wait_group.sync.aligned 0
    # CHECK: fence.proxy.async
    r, s, k = tl.arange(0, 64), tl.arange(0, 16), tl.arange(0, 64)
    acc = tl.zeros((64, 16), tl.float32)
    for t in range(T - 1, 0, -2):
        x = tl.load(a + t * 4096 + r[:, None] * 64 + k[None, :], mask=(r < N)[:, None], other=1)
        y = tl.load(b + t * 1024 + k[:, None] + s[None, :] * 64, mask=k[:, None] < N, other=0)
        acc += tl.dot(x, y, out_dtype=tl.float32)
    tl.store(o + r[:, None] * 16 + s[None, :], acc)
