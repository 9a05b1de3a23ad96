# A tile that is made anew in each iteration, and so carried, is known where it reaches: of a loop that stores, a second version is ahead.
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,0"
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,1"
import triton
import triton.language as tl


@triton.jit
def f(a, b, o, sums, n, CASE: tl.constexpr):
    r, c = tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(n):
        tl.store(o + i * 4096 + r[:, None] * 64 + c[None, :], acc.to(tl.float16))
        x = tl.load(a + i * 4096 + r[:, None] * 64 + r[None, :] * 0 + tl.arange(0, 64)[None, :])
        y = tl.load(b + i * 4096 + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :])
        acc = tl.dot(x, y, acc)
        if CASE == 0:
            c = tl.arange(0, 64)
        else:
            c = tl.load(sums + c).to(tl.int32)
    tl.store(sums + r[:, None] * 64 + r[None, :], acc)

# CHECK: loop versioned: as it is: runs where what is stored may be what is loaded
# CHECK: + loop pipelined: 3 stages
# CHECK: loop store: as it is: what is stored may be what is loaded
