# Masked elements that are not 0 are put in behind a read of the ring: a conversion of the tile is left, and its memory counts beside the slots.
# run: neso compile %s --signature "*fp32:16, *fp32:16, *fp32:16, i32:8, i32:16" --target sm_90a --num-warps 8 --num-stages 4 --emit ttgir
# expect: success
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, K, stride):
    i, j, k = tl.arange(0, 128), tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((128, 64), tl.float32)
    for s in range(0, K, 64):
        inside = s + k < K
        # CHECK: ttg.local_alloc {{.*}}memdesc<3x128x64xf32
        u = tl.load(a + i[:, None] * stride + (s + k)[None, :], mask=inside[None, :], other=1.0)
        v = tl.load(b + (s + k)[:, None] * stride + j[None, :], mask=inside[:, None], other=1.0)
        acc = tl.dot(u, v, acc)
    # CHECK: allocation.offset
    tl.store(c + i[:, None] + j[None, :] * 304, acc * 0.5)
