# Masks that are different results of one loop do not exclude each other where one is turned round.
# run: difftest %s
# expect: success
# launch: 1 4 3 0 1
# buffer: x fp32 1024 3 -50 50
# buffer: o fp32 1024 4 -50 50
# number: n i32 3
import triton
import triton.language as tl


@triton.jit
def kernel(x, o, n):
    i = tl.arange(0, 128)
    m, w = (i // 16) < 4, (i // 16) > 1
    for k in range(n):
        m, w = (i // 16) < 2 + k, (i // 16) > 5 - k
    a = tl.load(x + i, mask=m, other=0.0)
    b = tl.load(x + (128 + i), mask=~w, other=0.0)
    tl.store(o + i, tl.where(m, a, b))
