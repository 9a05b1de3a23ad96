# A loop that is there twice, for rows that may begin at multiples of 4 bytes: which arguments are looked at.
# run: neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32"
# run: neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16"
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, k, sam, sbk):
    r = tl.arange(0, 64)
    s = tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(0, k, 32):
        x = tl.load(a + r[:, None] * sam + (i + s)[None, :])
        acc = tl.dot(x, tl.load(b + (i + s)[:, None] * sbk + r[None, :]), acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)

# CHECK: loop aligned: is there twice: where sam, sbk can be divided by 2 it loads 4 bytes at once
# CHECK-NEXT: + loop pipelined: 3 stages
# CHECK: load copied: copied 2 ahead, 4 bytes at once
# CHECK-NOT: loop aligned
