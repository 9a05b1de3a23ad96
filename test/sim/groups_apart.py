# Of two warp groups that multiply from tile to tile the first one is ahead, so that one multiplies while the other one stores: tiles of
# no iteration, of few, for which it is not, and of many, in turns; in any order of warps.
# run: neso compile %s:product --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64,132,0" --target sm_90a --num-warps 8 --emit ttgir
# run: for v in 0 1 2; do for s in 1 2; do neso run %s:product --target sim:sm_90a --check --against interp -q -g $s a=rand:400x640:fp16:1 b=rand:640x528:fp16:2 c=zeros:400x528:fp16 400 528 640 BM=128 BN=256 BK=64 SMS=$s VARIES=$v --num-warps 8 || exit 1; done; done
# run: for v in 0 1; do neso run %s:product --target sim:sm_90a --schedules 6 -q -g 1 a=rand:256x448:fp16:1 b=rand:448x512:fp16:2 c=zeros:256x512:fp16 256 512 448 BM=128 BN=128 BK=64 SMS=1 VARIES=$v --num-warps 8 || exit 1; done
# run: neso run %s:product --target sim:sm_90a --schedules 4 --against interp -q -g 1 a=rand:512x640:fp16:1 b=rand:640x512:fp16:2 c=zeros:512x512:fp16 512 512 640 BM=256 BN=128 BK=64 SMS=1 VARIES=1 --num-warps 8
import triton
import triton.language as tl


# CHECK-LABEL: @product(
# CHECK: ttg.warp_specialize
# CHECK: scf.for
# CHECK: ttng.wait_barrier {{.*}} {neso.issuer = 1 : i32}
# CHECK: scf.for
# CHECK: ttng.warp_group_dot
# CHECK: ttng.arrive_barrier {{.*}} {neso.issuer = 0 : i32}
# CHECK: partition0
@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr, VARIES: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    c_desc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, SMS, flatten=True):
        m, n = tile // columns * BM, tile % columns * BN
        first, end = 0, tl.cdiv(K, BK)
        if VARIES == 1:
            end = tl.where(tile % 3 == 0, end, tile % 5)
        if VARIES == 2:
            first = tile * 7 % 11
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(first, end):
            acc = tl.dot(a_desc.load([m, k * BK]), b_desc.load([k * BK, n]), acc)
        c_desc.store([m, n], acc.to(tl.float16))
