# What tiles cost whose sizes are no powers of two: accesses and products say it, others say nothing.
# run: neso compile %s:kernel --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp32:16"
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c):
    m, k, n = tl.arange(0, 24), tl.arange(0, 40), tl.arange(0, 64)
    x = tl.load(a + m[:, None] * 40 + k[None, :])
    y = tl.load(b + k[:, None] * 64 + n[None, :])
    z = tl.dot(x, y)
    tl.store(c + m[:, None] * 64 + n[None, :], z)
    tl.store(c + n, tl.load(c + 64 + n))

# CHECK: padding.py:10: x = tl.load(a + m[:, None] * 40 + k[None, :])
# CHECK: - tile padded: 24x40 is computed as 32x64: 53 percent of the elements are of padding
# CHECK: padding.py:11: y = tl.load(b + k[:, None] * 64 + n[None, :])
# CHECK: - tile padded: 40x64 is computed as 64x64: 38 percent of the elements are of padding
# CHECK: padding.py:12: z = tl.dot(x, y)
# CHECK: - tile padded: 24x40x64 is computed as 32x48x64: 38 percent of the multiplications are of padding
# CHECK: padding.py:13:
# CHECK: - tile padded: 24x64 is computed as 32x64: 25 percent of the elements are of padding
# CHECK: padding.py:14:
# CHECK-NOT: tile padded
