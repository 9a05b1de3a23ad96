# What keeps a loop over the steps of all tiles, which counts the steps of each tile itself, from becoming two.
# run: neso compile %s:shared --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32,i32:16,64,64,64"
# run: neso compile %s:counted --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,*i32,i32,i32:16,64,64,64"
import triton
import triton.language as tl


@triton.jit
def shared(a, b, c, count, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    steps, ki, tile = K // BK, 0, 0
    rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    # CHECK: - loop not-nested: it counts the steps of each tile itself, and stays one loop: what it leaves is used behind it
    for _ in range(count):
        k = ki * BK + rk
        acc = tl.dot(tl.load(a + tile * K + rm[:, None] * K + k[None, :]), tl.load(b + k[:, None] * BN + rn[None, :]), acc)
        ki += 1
        if ki == steps:
            tl.store(c + tile * BM * BN + rm[:, None] * BN + rn[None, :], acc.to(tl.float16))
            acc = tl.zeros((BM, BN), tl.float32)
            ki = 0
            tile += 1
    tl.store(c + tile * BM * BN + rm[:, None] * BN + rn[None, :], acc.to(tl.float16))


@triton.jit
def counted(a, b, c, done, count, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    steps, ki, tile = K // BK, 0, 0
    rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    # CHECK: - loop not-nested: it counts the steps of each tile itself, and stays one loop: a step that is not the last one of its tile may write, or wait
    for _ in range(count):
        k = ki * BK + rk
        acc = tl.dot(tl.load(a + tile * K + rm[:, None] * K + k[None, :]), tl.load(b + k[:, None] * BN + rn[None, :]), acc)
        tl.store(done, ki)
        ki += 1
        if ki == steps:
            tl.store(c + tile * BM * BN + rm[:, None] * BN + rn[None, :], acc.to(tl.float16))
            acc = tl.zeros((BM, BN), tl.float32)
            ki = 0
            tile += 1
