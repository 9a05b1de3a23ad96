# Tiles of pointers that the copies of a loop with wgmma take stay as they are, and one offset moves; a loop of mma.sync moves its pointers.
# llvm: 22
# CHECK: sm_90a {{.*}}scf.for {{.*}} -> (tensor<64x64xf32, {{#[a-z0-9]+}}>, i32, i32, i64, i64)
# CHECK: sm_90a {{.*}}tt.addptr {{.*}}xi64
# CHECK: sm_90a {{.*}}async_copy_global_to_local
# CHECK: sm_80 {{.*}}scf.for {{.*}}!tt.ptr<f16>
# CHECK-NOT: sm_80 {{.*}}xi64
# run: for t in sm_90a sm_80; do neso compile %s:kernel --signature "*fp16:16,*fp16:16,*fp32:16,i32,i32:16" --target $t --emit ttgir | sed "s/^/$t /"; done
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, n, s):
    r, k = tl.arange(0, 64), tl.arange(0, 64)
    x, y = a + r[:, None] * s + k[None, :], b + k[:, None] * 64 + r[None, :]
    sums = tl.zeros((64, 64), tl.float32)
    for i in range(0, n):
        mask = r[:, None] * 3 + i < n
        sums = tl.dot(tl.load(x, mask=mask), tl.load(y, mask=k[:, None] * 3 + i < n), sums)
        x += 64
        y += 64 * s
    tl.store(c + r[:, None] * 64 + k[None, :], sums)
