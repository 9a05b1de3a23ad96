# Of a tile of 8 rows the instruction's 16 hold each row twice. A step gets all four words of the sum from the step before it: copies of
# the two that are kept would have to wait for them.
# run: neso compile %s:kernel --signature "*fp16:16,*fp16:16,*fp32:16" --target sm_80 --emit ptx
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, o):
    m, n, k = tl.arange(0, 8)[:, None], tl.arange(0, 8)[None, :], tl.arange(0, 32)
    x, y = tl.load(a + m * 32 + k[None, :]), tl.load(b + k[:, None] * 8 + n)
    # CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {[[SUM:%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+]]},
    # CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{.*}}, {[[SUM]]};
    tl.store(o + m * 8 + n, tl.dot(x, y))
