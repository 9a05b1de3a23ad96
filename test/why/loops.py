# What became of loops, and by which rule.
# run: neso compile %s:product --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32:16,2"
# run: neso compile %s:product --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32:16,1"
# run: neso compile %s:product --target sim:sm_75 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32:16,2"
# run: neso compile %s:stays --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32,0"
# run: neso compile %s:stays --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32,5"
# run: neso compile %s:stays --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32,1"
# run: neso compile %s:stays --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32,3"
# run: neso compile %s:stays --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i64,4"
# run: neso compile %s:total --target sim:sm_86 --why --signature "*fp32:16,*fp32:16,i32"
# run: neso compile %s:unaligned --target sim:sm_90a --why --signature "*fp16,*fp16,*fp32:16,i32,i32,i32,i32,i32"
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, k, STAGES: tl.constexpr):
    r = tl.arange(0, 64)
    s = tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, k, 32, num_stages=STAGES):
        x = tl.load(a + r[:, None] * k + (i + s)[None, :])
        y = tl.load(b + (i + s)[:, None] * 64 + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)

# CHECK: loops.py:21: for i in tl.range(0, k, 32, num_stages=STAGES):
# CHECK-NEXT: + loop pipelined: 2 stages, 0 groups pending, 16384 bytes
# CHECK: loops.py:22: x = tl.load(a + r[:, None] * k + (i + s)[None, :])
# CHECK-NEXT: + load copied: copied 1 ahead, 16 bytes at once, 2 slots of 4096 bytes
# CHECK-NEXT: + access wide: copy of 64x32xf16: 16 bytes at once, 2 times a thread (2 times)
# CHECK-NEXT: memory vectors: written by copies: 2 instructions a warp of 16 bytes a thread, in 8 wavefronts (2 times)
# CHECK-NEXT: + memory ldmatrix: read: by ldmatrix, 4 a warp, in 16 wavefronts
# CHECK: registers peak: tiles take most registers here: some 64 of a thread
# CHECK: 13 remarks, 0 of them (-) about what could be faster
# CHECK: loops.py:21:
# CHECK-NEXT: loop one-stage: as it is: num_stages is 1
# CHECK: loops.py:21:
# CHECK-NEXT: + loop registers: no copies
# CHECK: loops.py:22:
# CHECK-NEXT: load no-copies: registers 1 ahead: the target, or a cluster, has no asynchronous copies


@triton.jit
def stays(a, b, c, k, CASE: tl.constexpr):
    r = tl.arange(0, 32)
    at = r[:, None] * 32 + r[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for i in range(0, k, tl.num_programs(0) if CASE == 4 else 1):
        x = tl.load(a + i * 1024 + at)
        acc = tl.dot(x, tl.load(b + at), acc)
        if CASE == 0:
            tl.store(c + at, acc)
        if CASE == 5:
            tl.store(c + x.to(tl.int32), acc)
        if CASE == 1:
            tl.debug_barrier()
        if CASE == 3:
            for j in range(i):
                acc += tl.load(c + at + j)
    tl.store(c + at, acc)

# CHECK: loop versioned: as it is: runs where what is stored may be what is loaded
# CHECK-NEXT: + loop pipelined: 3 stages
# CHECK: - loop store: as it is: what is stored may be what is loaded
# CHECK-NEXT: stores behind the loop leave it free
# CHECK: - loop memory-order: as it is: an op that orders memory or prints is inside
# CHECK: loop inner-loop: as it is: a loop is inside
# CHECK: loop no-dot: as it is: it holds no dot
# CHECK: - loop step: as it is: its steps are not known to be small
# CHECK-NEXT: a step that is a tl.constexpr is known


@triton.jit
def total(a, c, k):
    r = tl.arange(0, 128)
    acc = tl.zeros((128, ), tl.float32)
    i = 0
    while i < k:
        acc += tl.load(a + i + r)
        i += 128
    x = tl.zeros((32, 32), tl.float32)
    for j in range(k):
        x = tl.dot(x, x)
    tl.store(c + r, acc + tl.sum(tl.sum(x, 0), 0))

# CHECK: while i < k:
# CHECK-NEXT: loop while: as it is: whether another iteration comes is known only at its start
# CHECK: loop no-load: as it is: no load of a tile in it reaches an operand of a dot


@triton.jit
def unaligned(a, b, c, k, sam, sak, sbk, sbn):
    r = tl.arange(0, 128)
    s = tl.arange(0, 32)
    ap = a + r[:, None] * sam + s[None, :] * sak
    bp = b + s[:, None] * sbk + r[None, :] * sbn
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, k, 32):
        acc = tl.dot(tl.load(ap), tl.load(bp), acc)
        ap += 32 * sak
        bp += 32 * sbk
    tl.store(c + r[:, None] * 128 + r[None, :], acc)

# CHECK: loop rebased: it carries more than a thread has registers for: tiles of pointers, 2, are made in each iteration of a pointer and offsets that take 70 registers in place of 128
