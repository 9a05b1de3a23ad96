# Loads by masks that exclude each other, with stores between them that only stand in a branch, a loop, a while.
# run: difftest %s
# expect: success
# launch: 1 4 3 0 4
# buffer: x fp32 1024 3 -50 50
# buffer: o fp32 1024 4 -50 50
# number: n i32 12
import triton
import triton.language as tl


@triton.jit
def kernel(x, o, n):
    i = tl.arange(0, 128)
    v = tl.load(x + (i + 512))
    a = tl.load(x + i, mask=i < 64, other=0.0)
    if n > 10:
        tl.store(x + (i + 128), v + 5.0)
    b = tl.load(x + (i + 128), mask=i >= 64, other=0.0)
    tl.store(o + i, tl.where(i < 64, a, b))
    a = tl.load(x + i, mask=i < 32, other=0.0)
    for k in range(n):
        tl.store(x + (i + 128), v + k)
    b = tl.load(x + (i + 128), mask=i >= 32, other=0.0)
    tl.store(o + (i + 128), tl.where(i < 32, a, b))
    a = tl.load(x + i, mask=i < 96, other=0.0)
    k = 0
    while k < n:
        tl.atomic_add(x + (i + 128), v)
        k += 3
    b = tl.load(x + (i + 128), mask=i >= 96, other=0.0)
    tl.store(o + (i + 256), tl.where(i < 96, a, b))
