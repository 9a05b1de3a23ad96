# A loop over tiles that is to run as one with the loop of products inside it (flatten), as the tutorial of persistent kernels has it: the number of
# the tile that is stored goes up beside the loop's counter, and is it; a warp of its own copies from tile to tile, and results are stored by TMA.
# Where the loop loads what it stores, tiles do not go on, nor over assembly that is not pure, which may say that a tile is there.
# They go on unasked in a loop that shares tiles out, where their steps load through descriptors.
# run: neso compile %s:product --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64,132" --target sm_90a --num-warps 8 --emit ttgir
# run: neso run %s:product --target sim:sm_90a --check --against interp -q -g 2 a=rand:400x192:fp16:1 b=rand:192x528:fp16:2 c=zeros:400x528:fp16 400 528 192 BM=128 BN=256 BK=64 SMS=2 --num-warps 8
# run: neso run %s:product --target sim:sm_90a --schedules 4 -q -g 3 a=rand:256x64:fp16:1 b=rand:64x256:fp16:2 c=zeros:256x256:fp16 256 256 64 BM=128 BN=128 BK=64 SMS=3 --num-warps 8
# run: neso compile %s:adding --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64,132" --target sm_90a --num-warps 8 --emit ttgir
# run: neso run %s:adding --target sim:sm_90a --check --against interp -q -g 2 a=rand:400x192:fp16:1 b=rand:192x528:fp16:2 c=rand:400x528:fp16:3 400 528 192 BM=128 BN=256 BK=64 SMS=2 --num-warps 8
# run: neso compile %s:telling --signature "*fp16:16,*fp16:16,*fp16:16,*i32:16,i32:16,i32:16,i32:16,128,256,64,132" --target sm_90a --num-warps 8 --emit ttgir
# run: neso compile %s:unasked --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64,132" --target sm_90a --num-warps 8 --emit ttgir
# run: neso run %s:unasked --target sim:sm_90a --check --against interp -q -g 2 a=rand:400x192:fp16:1 b=rand:192x528:fp16:2 c=zeros:400x528:fp16 400 528 192 BM=128 BN=256 BK=64 SMS=2 --num-warps 8
# run: neso run %s:unasked --target sim:sm_90a --schedules 4 -q -g 3 a=rand:256x64:fp16:1 b=rand:64x256:fp16:2 c=zeros:256x256:fp16 256 256 64 BM=128 BN=128 BK=64 SMS=3 --num-warps 8
# run: neso compile %s:in_turn --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64" --target sm_90a --num-warps 8 --emit ttgir
import triton
import triton.language as tl


@triton.jit
def place(tile, M, N, BM: tl.constexpr, BN: tl.constexpr):
    columns = tl.cdiv(N, BN)
    return tile // columns * BM, tile % columns * BN


@triton.jit
def product_of(a, b, m, n, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = m + tl.arange(0, BM)
    rn = n + tl.arange(0, BN)
    rm = tl.max_contiguous(tl.multiple_of(tl.where(rm < M, rm, 0), BM), BM)
    rn = tl.max_contiguous(tl.multiple_of(tl.where(rn < N, rn, 0), BN), BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(tl.cdiv(K, BK)):
        rk = k * BK + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * K + rk[None, :], mask=tl.arange(0, BK)[None, :] < K - k * BK, other=0.0)
        y = tl.load(b + rk[:, None] * N + rn[None, :], mask=tl.arange(0, BK)[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc)
    return acc


# CHECK-LABEL: @product(
# CHECK: ttg.warp_specialize
# CHECK: scf.for
# CHECK: ttng.warp_group_dot
# CHECK: ttng.async_tma_store
# CHECK: partition0
@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr):
    first = tl.program_id(0)
    stored = first - SMS
    for tile in tl.range(first, tl.cdiv(M, BM) * tl.cdiv(N, BN), SMS, flatten=True):
        m, n = place(tile, M, N, BM, BN)
        acc = product_of(a, b, m, n, M, N, K, BM, BN, BK)
        stored += SMS
        m, n = place(stored, M, N, BM, BN)
        cm, cn = m + tl.arange(0, BM), n + tl.arange(0, BN)
        tl.store(c + cm[:, None] * N + cn[None, :], acc.to(tl.float16), mask=(cm[:, None] < M) & (cn[None, :] < N))


# CHECK-LABEL: @adding(
# CHECK-NOT: tma_store
# CHECK: ttng.warp_group_dot
# CHECK: tt.store
@triton.jit
def adding(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr):
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * tl.cdiv(N, BN), SMS, flatten=True):
        m, n = place(tile, M, N, BM, BN)
        acc = product_of(a, b, m, n, M, N, K, BM, BN, BK)
        cm, cn = m + tl.arange(0, BM), n + tl.arange(0, BN)
        inside = (cm[:, None] < M) & (cn[None, :] < N)
        old = tl.load(c + cm[:, None] * N + cn[None, :], mask=inside)
        tl.store(c + cm[:, None] * N + cn[None, :], (acc + old).to(tl.float16), mask=inside)


# CHECK-LABEL: @telling(
# CHECK-NOT: warp_specialize
# CHECK: async_tma_copy_local_to_global
# CHECK: async_tma_store_wait {neso.written, pendings = 0 : i32}
# CHECK: tt.elementwise_inline_asm
@triton.jit
def telling(a, b, c, flag, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr):
    of_a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    of_b = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    of_c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    told = 0
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * tl.cdiv(N, BN), SMS, flatten=True):
        m, n = place(tile, M, N, BM, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(of_a.load([m, k * BK]), of_b.load([k * BK, n]), acc)
        of_c.store([m, n], acc.to(tl.float16))
        told += tl.inline_asm_elementwise("red.release.gpu.global.add.u32 [$1], 1; mov.u32 $0, 1;", "=r,l", [flag.to(tl.int64)], dtype=tl.int32, is_pure=False,
                                          pack=1)
    tl.store(flag + 1 + tl.program_id(0), told)


# Unasked, where the loop shares tiles out and their steps load through descriptors; behind an early return, as torch.compile's kernels have it.
# CHECK-LABEL: @unasked(
# CHECK: ttg.warp_specialize
# CHECK: scf.for
# CHECK: scf.for
# CHECK: ttng.warp_group_dot
# CHECK: ttng.async_tma_store
# CHECK: partition0
@triton.jit
def unasked(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr):
    if (M == 0) or (N == 0):
        return
    of_a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    of_b = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    of_c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * tl.cdiv(N, BN), SMS):
        m, n = place(tile, M, N, BM, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(of_a.load([m, k * BK]), of_b.load([k * BK, n]), acc)
        of_c.store([m, n], acc.to(tl.float16))


# Tiles that one CTA does one after another may be of one another.
# CHECK-LABEL: @in_turn(
# CHECK-NOT: ttg.warp_specialize
# CHECK: tt.return
@triton.jit
def in_turn(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    of_a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    of_b = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    of_c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    for tile in range(0, tl.cdiv(M, BM) * tl.cdiv(N, BN)):
        m, n = place(tile, M, N, BM, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(of_a.load([m, k * BK]), of_b.load([k * BK, n]), acc)
        of_c.store([m, n], acc.to(tl.float16))
