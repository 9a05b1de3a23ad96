# A tile that is stored by halves or quarters, as epilogues of persistent products have it: the parts take turns in the memory of two pieces, warp
# groups go on by themselves, and only the first part waits for the copies of earlier tiles. Where parts may meet, each waits until the one before is
# there; where a part meets one of the iteration before, the first one waits for that.
# run: neso compile %s:halves --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64,2,132" --target sm_90a --num-warps 8 --emit ttgir --no-loc
# run: neso compile %s:halves --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64,4,132" --target sm_90a --num-warps 8 --emit ttgir --no-loc
# run: neso run %s:halves --target sim:sm_90a --check --against interp -q -g 2 a=rand:400x192:fp16:1 b=rand:528x192:fp16:2 c=zeros:400x528:fp16 400 528 192 BM=128 BN=256 BK=64 PARTS=2 SMS=2 --num-warps 8
# run: neso run %s:halves --target sim:sm_90a --schedules 4 -q -g 2 a=rand:256x64:fp16:1 b=rand:512x64:fp16:2 c=zeros:256x512:fp16 256 512 64 BM=128 BN=256 BK=64 PARTS=4 SMS=2 --num-warps 8
# run: neso compile %s:meeting --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32,64" --target sm_90a --num-warps 4 --emit ttgir --no-loc
# run: neso run %s:meeting --target sim:sm_90a --check --against interp -q -g 1 a=rand:64x64:fp16:1 b=rand:64x64:fp16:2 c=zeros:64x512:fp16 64 512 5 B=64 --num-warps 4
# run: neso compile %s:following --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32,64" --target sm_90a --num-warps 4 --emit ttgir --no-loc
# run: neso run %s:following --target sim:sm_90a --check --against interp -q -g 1 a=rand:64x64:fp16:1 b=rand:64x64:fp16:2 c=zeros:64x512:fp16 64 512 5 B=64 --num-warps 4
# run: neso run %s:following --target sim:sm_90a --schedules 4 -q -g 1 a=rand:64x64:fp16:1 b=rand:64x64:fp16:2 c=zeros:64x512:fp16 64 512 5 B=64 --num-warps 4
import triton
import triton.language as tl


# CHECK-LABEL: @halves(
# CHECK: ttg.warp_specialize
# CHECK: ttng.async_tma_store_rows {{.*}}, %[[ONE:[0-9]+]] {neso.written, pendings = 0 : i32}
# CHECK: ttng.async_tma_store_rows {{.*}}, %[[TWO:[0-9]+]] {pendings = 1 : i32}
# CHECK: ttng.async_tma_store_rows {{.*}}, %[[ONE]] {pendings = 1 : i32}
# CHECK: ttng.async_tma_store_rows {{.*}}, %[[TWO]] {pendings = 1 : i32}
# CHECK-LABEL: @halves(
# CHECK: ttng.async_tma_store_rows {{.*}} {neso.written, pendings = 0 : i32}
# CHECK: ttng.async_tma_store_rows {{.*}} {pendings = 0 : i32}
@triton.jit
def halves(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PARTS: tl.constexpr, SMS: tl.constexpr):
    of_a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    of_b = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    of_c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN // PARTS])
    rows = tl.cdiv(M, BM)
    for tile in tl.range(tl.program_id(0), rows * tl.cdiv(N, BN), SMS, flatten=True):
        m, n = tile % rows * BM, tile // rows * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(of_a.load([m, k * BK]), of_b.load([n, k * BK]).T, acc)
        left, right = tl.split(tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1)))
        if PARTS == 2:
            of_c.store([m, n], left.to(tl.float16))
            of_c.store([m, n + BN // 2], right.to(tl.float16))
        else:
            first, second = tl.split(tl.permute(tl.reshape(left, (BM, 2, BN // 4)), (0, 2, 1)))
            third, fourth = tl.split(tl.permute(tl.reshape(right, (BM, 2, BN // 4)), (0, 2, 1)))
            of_c.store([m, n], first.to(tl.float16))
            of_c.store([m, n + BN // 4], second.to(tl.float16))
            of_c.store([m, n + BN // 2], third.to(tl.float16))
            of_c.store([m, n + BN // 4 * 3], fourth.to(tl.float16))


# CHECK-LABEL: @meeting(
# CHECK: ttng.async_tma_store_wait {neso.written, pendings = 0 : i32}
# CHECK: ttng.async_tma_store_wait {neso.written, pendings = 0 : i32}
@triton.jit
def meeting(a, b, c, M, N, n, B: tl.constexpr):
    of_c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [B, B])
    i = tl.arange(0, B)
    x = tl.load(a + i[:, None] * B + i[None, :])
    y = tl.load(b + i[:, None] * B + i[None, :])
    for k in range(n):
        of_c.store([0, k * B], x)
        of_c.store([0, k * B + B // 2], y)
        x += 1.0
        y += 1.0


# CHECK-LABEL: @following(
# CHECK: ttng.async_tma_{{.*}}neso.written, pendings = 0 : i32
# CHECK-NOT: neso.written
# CHECK: ttng.async_tma_{{.*}}pendings = 0 : i32
# CHECK: scf.yield
@triton.jit
def following(a, b, c, M, N, n, B: tl.constexpr):
    of_c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [B, B])
    i = tl.arange(0, B)
    x = tl.load(a + i[:, None] * B + i[None, :])
    y = tl.load(b + i[:, None] * B + i[None, :])
    for k in range(n):
        of_c.store([0, k * B], x)
        of_c.store([0, k * B + B], y)
        x += 1.0
        y += 1.0
