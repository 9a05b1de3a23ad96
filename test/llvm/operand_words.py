# An operand of mma comes by ldmatrix where vectors would cost as much: its words are then in a row.
# run: for t in fp16 fp32; do neso compile %s:kernel --signature "*$t:16,*$t:16,*fp32:16,128,128,64" --target sm_80 --emit ptx | sed "s/^/$t /"; done
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # CHECK-NOT: fp16 {{.*}}ld.shared
    # CHECK-COUNT-16: fp16 {{.*}}ldmatrix.sync.aligned.m8n8.x4.shared
    # CHECK-NOT: fp16 {{.*}}ld.shared
    # CHECK: fp16 {{.*}}mma.sync
    # CHECK: fp32 {{.*}}ldmatrix.sync.aligned.m8n8.x4.shared
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    x, y = tl.load(a + m * K + k[None, :]), tl.load(b + k[:, None] * N + n)
    tl.store(o + m * N + n, tl.dot(x, y))
