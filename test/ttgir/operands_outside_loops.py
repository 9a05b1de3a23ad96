# Outside of loops cp.async brings what products read from memory, where a thread's registers are nearly full: all of it before the
# first product, which waits for its own operands alone. Not where other ops take the tile too.
# run: neso compile %s:kernel -s "*bf16:16,*bf16:16,*bf16:16,*bf16:16,*fp32:16" --target sm_90a --stop-after relieve-registers --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, o):
    # CHECK-COUNT-3: ttg.async_copy_global_to_local
    # CHECK-NOT: ttg.async_copy_global_to_local
    # CHECK: ttg.async_wait {num = 1 : i32}
    # CHECK-NEXT: ttng.warp_group_dot
    # CHECK: ttg.async_wait {num = 0 : i32}
    # CHECK-NEXT: ttng.warp_group_dot
    i, j = tl.arange(0, 64), tl.arange(0, 128)
    x = tl.load(a + i[:, None] * 128 + j[None, :])
    y = tl.load(b + j[:, None] * 128 + j[None, :])
    z = tl.load(c + j[:, None] * 128 + j[None, :])
    w = tl.load(d + i[:, None] * 128 + j[None, :])
    p = tl.dot(x, y)
    q = tl.dot(x, z)
    r = tl.dot(w, z)
    at = i[:, None] * 128 + j[None, :]
    tl.store(o + at, p * r + w)
    tl.store(o + 8192 + at, q * r)
    tl.store(o + 16384 + at, p * q)
