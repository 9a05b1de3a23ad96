# Loads of a loop that are not copied ahead, and by which rule.
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*i32:16,*fp32:16,i32,i1,0,64"
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*i32:16,*fp32:16,i32,i1,1,64"
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*i32:16,*fp32:16,i32,i1,3,64"
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*i32:16,*fp32:16,i32,i1,4,64"
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*i32:16,*fp32:16,i32,i1,5,64"
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*i32:16,*fp32:16,i32,i1,6,64"
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*i32:16,*fp32:16,i32,i1,7,64"
# run: neso compile %s:f --target sim:sm_86 --why --signature "*fp16:16,*i32:16,*fp32:16,i32,i1,8,128"
# run: neso compile %s:large --target sim:sm_86 --why --num-warps 16 --signature "*fp16:16,*fp32:16,i32"
# run: neso compile %s:masked --target sim:sm_86 --why --signature "*fp16:16,*fp16:16,*fp32:16,i32,i32"
import triton
import triton.language as tl


@triton.jit
def f(a, index, c, k, flag, CASE: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    y = tl.load(a + at)
    for i in range(k):
        p = a + i * N * N + at
        if CASE == 0:
            x = tl.load(a + (i * N * N + at) * 2)
        if CASE == 1:
            x = tl.load(p, cache_modifier=".cv")
        if CASE == 3:
            x = tl.load(p, volatile=True)
        if CASE == 4:
            j = i
            for _ in tl.static_range(4):
                j = tl.load(index + j)
            x = tl.load(a + j * N * N + at)
        if CASE == 5:
            x = tl.load(a + tl.load(index + i, volatile=True) * N * N + at)
        if CASE == 6:
            j = i
            if flag:
                j = tl.load(index + i)
            x = tl.load(a + j * N * N + at)
        if CASE == 7:
            x = tl.load(tl.load((index + i * N * N + at).to(tl.pointer_type(tl.pointer_type(tl.float16)))))
        if CASE == 8:
            w = tl.load((p + r[None, :] * 3).to(tl.pointer_type(tl.float64)))
            x = w.to(tl.float16)
        acc = tl.dot(x, y, acc)
    tl.store(c + at, acc)

# CHECK: - load narrow: registers 1 ahead: fewer than 4 bytes are known to lie in a row under one mask
# CHECK-NEXT: the access's remark says what is not known
# CHECK-NEXT: - access scattered: load of 64x64xf16: 2 bytes at once, 32 times a thread: no more neighbours of the tile are known to be neighbours in memory
# CHECK: - load volatile: plain: it is volatile
# CHECK: - loop no-load-ahead: no copies
# CHECK: - load volatile: plain: it is volatile
# CHECK: - load indirection: plain: its address comes from memory too many times over; addresses through 3 loads
# CHECK: - load volatile-address: plain: its address comes from a volatile load
# CHECK: - load fixed-address: plain: its address comes from an op that must stay where it is
# CHECK: - load narrow: registers 1 ahead: fewer than 4 bytes are known to lie in a row under one mask; addresses through 1 load
# CHECK: - access indirect: load of 64x64xf16: 2 bytes at once, 32 times a thread: its address comes from memory
# CHECK: - load crowded: plain: two of its tiles do not fit into shared memory, and it would hold 256 registers of a thread that holds 128
# CHECK-NEXT: smaller tiles, or more warps


@triton.jit
def large(a, c, k):
    r = tl.arange(0, 64)
    s = tl.arange(0, 512)
    y = tl.full((512, 64), 1.0, tl.float16)
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(k):
        acc = tl.dot(tl.load(a + i * 32768 + r[:, None] * 512 + s[None, :]), y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)

# CHECK: - load shared-memory: registers 1 ahead: two of its tiles do not fit into shared memory
# CHECK-NEXT: smaller tiles, or fewer stages


@triton.jit
def masked(a, b, c, k, stride):
    r = tl.arange(0, 64)
    s = tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(0, k, 32):
        x = tl.load(a + r[:, None] * stride + (i + s)[None, :], mask=(i + s)[None, :] < k, other=0.0)
        y = tl.load(b + (i + s)[:, None] * 64 + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)

# A copy does not mind where its mask ends: of k nothing needs to be known.
# CHECK: - load narrow: registers 1 ahead: fewer than 4 bytes are known to lie in a row under one mask
# CHECK: - access unknown-arguments: load of 64x32xf16: 2 bytes at once, 16 times a thread; it would be 16 if stride was divisible by 16{{ |$}}
