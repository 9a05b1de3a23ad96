# Small tiles that no product takes are loaded an iteration ahead; where the loop stores, in the version that runs where that is
# elsewhere; no larger ones.
# run: NESO_PERSIST=0 neso compile %s:scaled --target sim:sm_90a --why --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32,0"
# run: NESO_PERSIST=0 neso compile %s:scaled --target sim:sm_90a --why --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32,1"
# run: NESO_PERSIST=0 neso compile %s:scaled --target sim:sm_90a --why --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32,2"
import triton
import triton.language as tl


@triton.jit
def scaled(a, b, scales, o, n, CASE: tl.constexpr):
    r, k = tl.arange(0, 64), tl.arange(0, 128)
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(n):
        x = tl.load(a + r[:, None] * 4096 + i * 128 + k[None, :])
        y = tl.load(b + r[None, :] * 4096 + i * 128 + k[:, None])
        if CASE == 2:
            s = tl.load(scales + i * 4096 + r[:, None] * 64 + r[None, :])
        else:
            s = tl.load(scales + i * 64 + r)[None, :]
        acc += tl.dot(x, y) * s
        if CASE == 1:
            tl.store(o + i * 64 + r, tl.sum(acc, 0))
    tl.store(o + r[:, None] * 64 + r[None, :], acc)

# CHECK-COUNT-2: + load tensor-map: copied by TMA 2 ahead
# CHECK: + load beside: registers 1 ahead: no product takes it, and threads hold a few words of it
# CHECK: loop versioned
# CHECK: + load beside: registers 1 ahead
# CHECK-NOT: load beside
