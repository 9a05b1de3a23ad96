# What is loaded behind a flag that a loop waits for stays behind it: loads that join (pass join-loads), operands that are copied outside of loops
# (relieve-registers), tiles of a loop that ends by a flag (count-loops).
# run: neso compile %s:joined -s "*fp32:16,*i32,*fp32:16" --target sm_90a --emit ttgir --no-loc
# run: neso compile %s:acquired -s "*fp32:16,*i32,*fp32:16" --target sm_90a --emit ttgir --no-loc
# run: neso compile %s:copied -s "*fp16:16,*fp16:16,*fp16:16,*i32,*fp32:16" --target sm_90a --emit ttgir --no-loc
# run: neso compile %s:ended -s "*fp16:16,*fp16:16,*i32,*fp32:16,i32" --target sm_90a --emit ttgir --no-loc
import triton
import triton.language as tl


@triton.jit
def joined(x, flag, o):
    # CHECK-LABEL: @joined
    # CHECK: tt.load
    # CHECK: scf.while
    # CHECK: isVolatile
    # CHECK: tt.load
    # CHECK-LABEL: @acquired
    # CHECK: tt.load
    # CHECK: scf.while
    # CHECK: tt.atomic_rmw
    # CHECK: tt.load
    i = tl.arange(0, 128)
    a = tl.load(x + i, mask=i < 64, other=0.0)
    while tl.load(flag, volatile=True) == 0:
        pass
    b = tl.load(x + (i + 128), mask=i >= 64, other=0.0)
    tl.store(o + i, tl.where(i < 64, a, b))


@triton.jit
def acquired(x, flag, o):
    i = tl.arange(0, 128)
    a = tl.load(x + i, mask=i < 64, other=0.0)
    while tl.atomic_add(flag, 0, sem="acquire") == 0:
        pass
    b = tl.load(x + (i + 128), mask=i >= 64, other=0.0)
    tl.store(o + i, tl.where(i < 64, a, b))


@triton.jit
def copied(a, b, c, flag, o):
    # CHECK-LABEL: @copied
    # CHECK: ttg.async_copy_global_to_local
    # CHECK: ttg.async_copy_global_to_local
    # CHECK-NOT: ttg.async_copy_global_to_local
    # CHECK: scf.while
    # CHECK: isVolatile
    # CHECK: ttg.async_copy_global_to_local
    i, j, k = tl.arange(0, 128), tl.arange(0, 128), tl.arange(0, 128)
    x = tl.load(a + i[:, None] * 128 + k[None, :])
    y = tl.load(b + k[:, None] * 128 + j[None, :])
    acc = tl.dot(x, y)
    while tl.load(flag, volatile=True) == 0:
        pass
    z = tl.load(c + k[:, None] * 128 + j[None, :])
    acc2 = tl.dot(x, z)
    tl.store(o + i[:, None] * 128 + j[None, :], acc * 2 + acc2)


@triton.jit
def ended(a, b, flag, o, n):
    # CHECK-LABEL: @ended
    # CHECK-NOT: ttg.async_copy_global_to_local
    # CHECK: scf.while
    # CHECK: isVolatile
    # CHECK: tt.load
    i, j = tl.arange(0, 64), tl.arange(0, 64)
    y = tl.load(b + i[:, None] * 64 + j[None, :])
    acc = tl.zeros((64, 64), tl.float32)
    d = tl.make_tensor_descriptor(a, [n * 64, 64], [64, 1], [64, 64])
    t = 0
    while (t < n) & (tl.load(flag + t, volatile=True) != 0):
        acc = tl.dot(d.load([t * 64, 0]), y, acc)
        t += 1
    tl.store(o + i[:, None] * 64 + j[None, :], acc)
