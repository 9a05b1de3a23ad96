# Rows that nothing ends. Counted in 64 bits they are a map of a size of its own (2147483616), which launches refuse where a stride is so
# small that there may be 2^31 of it; counted in 32 bits, or of a program's number alone, they fit. A small stride is none of these.
# run: neso compile %s:kernel -s "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32,i32:16,i32:16,i32" --target sm_90a --stop-after map-loads --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, narrow, few, c, K, S, N):
    # CHECK: neso.map = array<i64: 0, -1, -1, 2147483616, -1, 2147483632, -1, 2147483632, 6, 1, 6, 1, -1, 1>
    # CHECK-SAME: neso.map = array<i64: 2, -1, -1, 2147483632, -1, 2147483632, 6, 1, -1, 1>
    # CHECK-NOT: neso.map = array<i64: 3,
    # CHECK: tt.load
    me = tl.program_id(0)
    rows = me.to(tl.int64) * 96 + tl.arange(0, 64)
    words = (me * 96 + tl.arange(0, 64)).to(tl.int64)
    i, j = tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        y = tl.load(b + (k + i)[:, None] * S + j[None, :])
        acc = tl.dot(tl.load(a + rows[:, None] * S + (k + j)[None, :]), y, acc)
        acc = tl.dot(tl.load(narrow + words[:, None] * S + (k + j)[None, :]), y, acc)
        z = tl.load(few + (me.to(tl.int64) * N + i)[:, None] * 32 + tl.arange(0, 32)[None, :])
        acc = tl.dot(z, tl.load(b + tl.arange(0, 32)[:, None] * S + j[None, :]), acc)
    tl.store(c + i[:, None] * 64 + j[None, :], acc)
