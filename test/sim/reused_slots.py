# Loops of large products by mma.sync whose rings take a slot less where that brings CTAs: copies then go to the slot that the iteration has
# read, behind a barrier of their own. Not where a tile is read behind the first product, nor where two stages begin copies first of all.
# run: neso compile %s:product --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,32,128,64,3" --target sm_90a --num-warps 4 --emit ttgir --no-loc
# run: neso compile %s:product --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,32,128,64,2" --target sm_90a --num-warps 4 --emit ttgir --no-loc
# run: neso compile %s:attention --signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,32,64,128,3" --target sm_90a --num-warps 4 --emit ttgir --no-loc
# run: neso run %s:product --target sim:sm_90a --check --against interp -q -g 2 a=rand:64x896:fp16:1 b=rand:128x896:fp16:2 c=zeros:64x128:fp16 64 128 896 BM=32 BN=128 BK=64 STAGES=3 --num-warps 4
# run: neso run %s:product --target sim:sm_90a --check --against interp -q -g 2 a=rand:64x104:fp16:1 b=rand:128x104:fp16:2 c=zeros:64x128:fp16 64 128 104 BM=32 BN=128 BK=64 STAGES=3 --num-warps 4
# run: neso run %s:product --target sim:sm_80 --check --against interp -q -g 1 a=rand:64x464:fp16:1 b=rand:64x464:fp16:2 c=zeros:64x64:fp16 64 64 464 BM=64 BN=64 BK=64 STAGES=4 --num-warps 4
# run: neso run %s:product --target sim:sm_80 --schedules 4 -q -g 1 a=rand:64x464:fp16:1 b=rand:64x464:fp16:2 c=zeros:64x64:fp16 64 64 464 BM=64 BN=64 BK=64 STAGES=4 --num-warps 4
# run: neso run %s:product --target sim:sm_90a --check -q -g 1 a=rand:32x64:fp16:1 b=rand:128x64:fp16:2 c=ones:32x128:fp16 32 128 0 BM=32 BN=128 BK=64 STAGES=3 --num-warps 4 --expect c=zeros:32x128:fp16
# run: neso run %s:attention --target sim:sm_90a --check --against interp -q -g 1 q=rand:32x128:fp16:1 k=rand:300x128:fp16:2 v=rand:300x128:fp16:3 o=zeros:32x128:fp32 300 BM=32 BN=64 BD=128 STAGES=3 --num-warps 4
import triton
import triton.language as tl


# CHECK-LABEL: @product(
# CHECK: %[[A:[a-z0-9_]+]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<2x32x64xf16
# CHECK: scf.for
# CHECK-NEXT: ttg.async_wait {num = 1 : i32}
# CHECK: %[[SLOT:[a-z0-9_]+]] = ttg.memdesc_index %[[A]]
# CHECK: gpu.barrier
# CHECK: ttg.local_load %[[SLOT]]
# CHECK: gpu.barrier
# CHECK: ttg.async_copy_global_to_local {{.*}}, %[[SLOT]]
# CHECK-NOT: free_slot
# CHECK: scf.yield
# CHECK-LABEL: @product(
# CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x32x64xf16
# CHECK: scf.for
# CHECK-NEXT: ttg.async_wait {num = 0 : i32}
# CHECK: free_slot
@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    pid = tl.program_id(0)
    m, n, k = pid // (N // BN) * BM + tl.arange(0, BM), pid % (N // BN) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for at in tl.range(0, K, BK, num_stages=STAGES):
        x = tl.load(a + m[:, None] * K + at + k[None, :], mask=at + k[None, :] < K, other=0.0)
        y = tl.load(b + n[None, :] * K + at + k[:, None], mask=at + k[:, None] < K, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


# CHECK-LABEL: @attention(
# CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<3x64x128xf16
# CHECK: scf.for
# CHECK: free_slot
@triton.jit
def attention(q, k, v, o, N, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, STAGES: tl.constexpr):
    m, n, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BD)
    x = tl.load(q + m[:, None] * BD + d[None, :])
    acc = tl.zeros((BM, BD), tl.float32)
    for at in tl.range(0, N, BN, num_stages=STAGES):
        y = tl.load(k + (at + n[None, :]) * BD + d[:, None], mask=at + n[None, :] < N, other=0.0)
        z = tl.load(v + (at + n[:, None]) * BD + d[None, :], mask=at + n[:, None] < N, other=0.0)
        acc = tl.dot(tl.dot(x, y).to(tl.float16), z, acc)
    tl.store(o + m[:, None] * BD + d[None, :], acc)
