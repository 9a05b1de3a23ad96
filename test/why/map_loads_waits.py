# A kernel that waits for other programs reads what they have written as it wrote it: through pointers.
# run: neso compile %s:waits --target sim:sm_90a --why --signature "*fp16:16,*i32:16,*fp32:16,i32:16,i32:16"
import triton
import triton.language as tl


@triton.jit
def waits(a, lock, c, K, s):
    i, k = tl.arange(0, 64), tl.arange(0, 32)
    b = tl.full((32, 64), 1, tl.float16)
    acc = tl.zeros((64, 64), tl.float32)
    while tl.atomic_cas(lock, 1, 1) != 1:
        pass
    for j in range(0, K, 32):
        acc = tl.dot(tl.load(a + i[:, None] * s + (j + k)[None, :]), b, acc)
    tl.store(c + i[:, None] * 64 + i[None, :], acc)

# CHECK: acc = tl.dot(tl.load(
# CHECK: load no-tensor-map: not by TMA: the kernel waits for other programs
# CHECK: load copied
