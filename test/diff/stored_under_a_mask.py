# What was stored under a mask and is loaded under it is 0 where the mask is off, with and without the pass cse.
# run: difftest --as-written %s
# run: difftest %s
# expect: success
# launch: 1 4 3 0 1
# buffer: t fp32 128 3 1 50
# buffer: o fp32 128 4 1 50
import triton
import triton.language as tl


@triton.jit
def kernel(t, o):
    i = tl.arange(0, 128)
    v = tl.load(t + i)
    tl.store(t + i, v + 1, mask=i < 100)
    u = tl.load(t + i, mask=i < 100)
    tl.store(o + i, u)
