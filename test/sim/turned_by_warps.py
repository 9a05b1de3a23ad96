# Bytes of which both operands lie across K: warps of their own turn one of them where it came, the products read the other one from the ring.
# run: neso compile %s:product --signature "*i8:16,*i8:16,*i32:16,i32:16,i32:16,i32:16,256,128,128" --target sm_90a --num-warps 8 --emit ttgir
# run: neso run %s:product --target sim:sm_90a --check --against interp -q -g 2 a=rand:640x512:i8:1 b=rand:640x128:i8:2 c=zeros:512x128:i32 512 128 640 BM=256 BN=128 BK=128 --num-warps 8
# run: neso run %s:product --target sim:sm_90a --check --against interp -q -g 2 a=rand:144x400:i8:1 b=rand:144x112:i8:2 c=zeros:400x112:i32 400 112 144 BM=256 BN=128 BK=64 --num-warps 8 --num-stages 4
# run: neso run %s:product --target sim:sm_90a --schedules 4 -q -g 1 a=rand:512x128:i8:1 b=rand:512x256:i8:2 c=zeros:128x256:i32 128 256 512 BM=128 BN=256 BK=64 --num-warps 8
# run: neso run %s:product --target sim:sm_90a --check --against interp -q -g 4 a=rand:320x256:i8:1 b=rand:320x256:i8:2 c=zeros:256x256:i32 256 256 320 BM=128 BN=128 BK=64 --num-warps 4
# run: neso run %s:product --target sim:sm_90a --check --against interp -q -g 1 a=rand:64x128:i8:1 b=rand:64x128:i8:2 c=zeros:128x128:i32 128 128 64 BM=128 BN=128 BK=64 --num-warps 4 --num-stages 2
# run: NESO_PERSIST=1 NESO_PERSIST_CTAS=1 neso run %s:product --target sim:sm_90a --check --against interp -q -g 6 a=rand:384x512:i8:1 b=rand:384x384:i8:2 c=zeros:512x384:i32 512 384 384 BM=256 BN=128 BK=128 --num-warps 8
# run: NESO_PERSIST=1 NESO_PERSIST_CTAS=2 NESO_WARP_SPECIALIZE=1 neso run %s:product --target sim:sm_90a --check --against interp -q -g 6 a=rand:64x384:i8:1 b=rand:64x256:i8:2 c=zeros:384x256:i32 384 256 64 BM=128 BN=128 BK=64 --num-warps 4
import triton
import triton.language as tl


# CHECK-LABEL: @product(
# CHECK: ttg.warp_specialize
# CHECK: ttng.wait_barrier
# CHECK: ttng.wait_barrier
# CHECK: ttng.warp_group_dot
# CHECK: partition0
# CHECK: ttng.wait_barrier
# CHECK: ttg.local_load
# CHECK-NEXT: barrier
# CHECK-NEXT: ttg.local_store
# CHECK-NEXT: ttng.fence_async_shared
# CHECK-NEXT: barrier
# CHECK-COUNT-2: ttng.arrive_barrier
# CHECK: partition1
# CHECK-COUNT-2: ttng.async_tma_copy_global_to_local
@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c [M, N] = a [K, M] turned round, by b [K, N]"""
    pid = tl.program_id(0)
    n = tl.cdiv(N, BN)
    rm = pid // n * BM + tl.arange(0, BM)
    rn = pid % n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a += (rm % M)[:, None] + rk[None, :] * M
    b += rk[:, None] * N + (rn % N)[None, :]
    acc = tl.zeros((BM, BN), tl.int32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=rk[None, :] < K - k * BK, other=0)
        y = tl.load(b, mask=rk[:, None] < K - k * BK, other=0)
        acc = tl.dot(x, y, acc)
        a += BK * M
        b += BK * N
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))
