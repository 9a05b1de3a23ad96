# Loops that may be left, and branches that leave out iterations: which of their loads start ahead.
# run: neso compile %s:kernel --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,*i32,i32:16"
# run: neso compile %s:left --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,*i32,i32:16"
# run: neso compile %s:behind --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,*i32,i32:16"
# run: neso compile %s:guessed --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32:16,fp32,0"
# run: neso compile %s:guessed --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32:16,fp32,1"
# run: neso compile %s:boxes --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp32:16,i32:16,fp32"
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

# CHECK: for i in
# CHECK-NEXT: + loop pipelined: 3 stages


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

# The flag says ahead of time which iterations come.
# CHECK: for i in
# CHECK-NEXT: + loop pipelined: 3 stages
# CHECK: x = tl.load
# CHECK-NEXT: + load copied: copied 2 ahead


@triton.jit
def behind(a, b, c, columns, n):
    r, s = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, n, num_stages=3):
        column = tl.load(columns + i)
        if column < 0:
            break
        x = tl.load(a + i * 2048 + r[:, None] * 32 + s[None, :])
        y = tl.load(b + (column * 32 + s)[:, None] * 64 + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)

# CHECK: for i in
# CHECK-NEXT: + loop pipelined: 3 stages
# CHECK: y = tl.load
# CHECK-NEXT: + load copied: copied 2 ahead{{.*}}; addresses through 1 load


@triton.jit
def guessed(a, b, c, k, enough, MASKED: tl.constexpr):
    r, s = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, k, 32, num_stages=3):
        inside = s < k - i
        if MASKED:
            x = tl.load(a + r[:, None] * k + (i + s)[None, :], mask=inside[None, :])
            y = tl.load(b + (i + s)[:, None] * 64 + r[None, :], mask=inside[:, None])
        else:
            x = tl.load(a + r[:, None] * k + (i + s)[None, :])
            y = tl.load(b + (i + s)[:, None] * 64 + r[None, :])
        acc = tl.dot(x, y, acc)
        if tl.max(acc) > enough:
            break
    tl.store(c + r[:, None] * 64 + r[None, :], acc)

# Whether the sums are enough is known too late: only what a mask bounds is loaded ahead.
# CHECK: for i in
# CHECK-NEXT: - loop no-load-ahead: no copies
# CHECK: x = tl.load
# CHECK-NEXT: - load left: plain: the loop may be left before this iteration, and nothing says where its memory ends
# CHECK-NEXT: a mask that compares what moves with a bound, or a descriptor, says it
# CHECK: for i in
# CHECK-NEXT: + loop pipelined: 3 stages
# CHECK: x = tl.load
# CHECK-NEXT: + load copied: copied 2 ahead


@triton.jit
def boxes(a, b, c, k, enough):
    r = tl.arange(0, 64)
    left = tl.make_tensor_descriptor(a, [64, k], [k, 1], [64, 32])
    right = tl.make_tensor_descriptor(b, [k, 64], [64, 1], [32, 64])
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, k, 32, num_stages=3):
        acc = tl.dot(left.load([0, i]), right.load([i, 0]), acc)
        if tl.max(acc) > enough:
            break
    tl.store(c + r[:, None] * 64 + r[None, :], acc)

# A descriptor has bounds.
# CHECK: for i in
# CHECK-NEXT: + loop pipelined: 3 stages
# CHECK: acc = tl.dot
# CHECK-NEXT: + load tensor-map: copied by TMA 2 ahead
