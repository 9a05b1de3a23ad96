# Sums of products are stored as the threads hold them, a word or two at a time, where a conversion would cost more.
# run: neso compile %s:product --target sim:sm_80 --why --signature "*fp16:16,*fp16:16,*fp32:16"
import triton
import triton.language as tl


@triton.jit
def product(a, b, c):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))

# CHECK: access layout: store of 32x32xf32: 8 bytes at once, 4 times a thread: the layout that costs least with the ops around it; memory allows 16
