# Sums of rows are stored as the threads hold them, a word at a time, where a conversion would cost more; of a product's sums lanes pass
# neighbours on.
# run: neso compile %s:product --target sim:sm_80 --why --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16"
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, d):
    i = tl.arange(0, 64)
    at = i[:, None] * 64 + i[None, :]
    sums = tl.dot(tl.load(a + at), tl.load(b + at))
    tl.store(c + at, sums)
    tl.store(d + i, tl.max(sums, 1))

# CHECK: + access wide: store of 64x64xf32: 16 bytes at once, 8 times a thread
# CHECK: access layout: store of 64xf32: 4 bytes at once
