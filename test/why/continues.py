# A loop with `continue` alone is pipelined: what it loads before it starts ahead, what it loads behind it does not.
# run: neso compile %s:kernel --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,*i32,i32:16"
# run: neso compile %s:left --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,*i32,i32:16"
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, skip, k):
    r, s = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, k, 32, num_stages=3):
        x = tl.load(a + r[:, None] * k + (i + s)[None, :])
        y = tl.load(b + (i + s)[:, None] * 64 + r[None, :])
        if tl.load(skip + i) > 0:
            continue
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


@triton.jit
def left(a, b, c, skip, k):
    r, s = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, k, 32, num_stages=3):
        x = tl.load(a + r[:, None] * k + (i + s)[None, :])
        y = tl.load(b + (i + s)[:, None] * 64 + r[None, :])
        if tl.load(skip + i) > 0:
            break
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)

# CHECK: continues.py:12: for i in
# CHECK-NEXT: + loop pipelined: 3 stages
# CHECK: continues.py:25: for i in
# CHECK-NEXT: loop while: as it is: whether another iteration comes is known only at its start
