# A small load that stands behind a product, whose operands go through shared memory, begins with those of the operands; not behind a
# store, which may be to the same place.
# run: neso compile %s:kernel -s "*fp32:16,*fp32:16,*fp16:16,*fp16:16" --target sm_90a --stop-after reorder-instructions --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, v, o):
    # CHECK-COUNT-3: tt.load
    # CHECK-NOT: tt.load
    # CHECK: tt.dot
    # CHECK: tt.store
    # CHECK: tt.load
    # CHECK: tt.store
    pid = tl.program_id(0)
    i, j = tl.arange(0, 16), tl.arange(0, 64)
    at = (pid * 16 + i[:, None]) * 64 + j[None, :]
    x = tl.load(a + pid * 256 + i[:, None] * 16 + i[None, :])
    y = tl.load(b + pid * 256 + i[:, None] * 16 + i[None, :])
    z = tl.dot(x, y).to(tl.float16)
    tl.store(o + at, tl.dot(z, tl.load(v + at)).to(tl.float16))
    tl.store(o + 65536 + at, tl.dot(z, tl.load(v + 65536 + at)).to(tl.float16))
