# Pairs of halves that a loop carries, and that begin as constants: what the loop gives without an iteration.
# run: difftest %s
# expect: success
# launch: 1 1 1 0 1
# number: n1 i32 0
# buffer: o7 fp16 64 7909323141754814740 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(n1, o7):
    c1_0 = tl.full((8, 8), 16.0, tl.float16)
    for k1 in range(0, n1, 2):
        c1_0 = tl.full((8, 8), 1.0, tl.float16)
    tl.store(o7 + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :], c1_0)
