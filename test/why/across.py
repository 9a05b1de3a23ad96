# Operands of bytes and words that lie across K come from registers, read from the ring in parts beside the product, without conflicts
# between banks; where both lie so the other one is turned an iteration ahead, or by warps of their own. A warp may copy what threads read.
# run: neso compile %s:product --target sim:sm_90a --why --num-stages 3 --num-warps 8 --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,i32:16,i32:16,1,i32:16,1,256,128,128,tl.float32"
# run: neso compile %s:product --target sim:sm_90a --why --num-stages 3 --num-warps 8 --signature "*i8:16,*i8:16,*i32:16,i32:16,1,i32:16,1,i32:16,128,256,128,tl.int32"
# run: NESO_WARP_SPECIALIZE=0 neso compile %s:product --target sim:sm_90a --why --num-stages 3 --num-warps 8 --signature "*i8:16,*i8:16,*i32:16,i32:16,1,i32:16,i32:16,1,256,128,128,tl.int32"
# run: neso compile %s:product --target sim:sm_90a --why --num-stages 3 --num-warps 8 --signature "*fp32:16,*fp32:16,*fp32:16,i32:16,1,i32:16,i32:16,1,256,128,32,tl.float32"
# run: NESO_WARP_SPECIALIZE=1 neso compile %s:product --target sim:sm_90a --why --num-stages 3 --num-warps 8 --signature "*fp8e4nv:16,*fp8e4nv:16,*fp16:16,i32:16,i32:16,1,i32:16,1,256,128,128,tl.float32"
# run: neso compile %s:product --target sim:sm_90a --why --num-stages 3 --num-warps 8 --signature "*i8:16,*i8:16,*i32:16,i32:16,1,i32:16,i32:16,1,256,128,128,tl.int32"
# run: NESO_PERSIST=1 neso compile %s:tiles --target sim:sm_90a --why --num-stages 3 --num-warps 8 --signature "*fp8e4nv:16,*fp8e4nv:16,*fp16:16,i32:16,i32:16,i32:16,256,128,128"
# run: NESO_PERSIST=1 neso compile %s:tiles --target sim:sm_90a --why --num-stages 4 --num-warps 8 --signature "*fp8e4nv:16,*fp8e4nv:16,*fp16:16,i32:16,i32:16,i32:16,256,128,64"
import triton
import triton.language as tl


@triton.jit
def product(a, b, o, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * am + (i + k)[None, :] * ak)
        y = tl.load(b + (i + k)[:, None] * bk + n[None, :] * bn)
        acc = tl.dot(x, y, acc, out_dtype=ACC)
    tl.store(o + m[:, None] * BN + n[None, :], acc)


@triton.jit
def tiles(a, b, o, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k = tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] + (i + k)[None, :] * M)
        y = tl.load(b + (i + k)[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(o + m[:, None] * N + n[None, :], acc.to(tl.float16))

# CHECK: + load tensor-map: copied by TMA 2 ahead, 4 slots of 16384 bytes
# CHECK: + memory ldmatrix: read: by ldmatrix, 4 a warp, transposed, in 16 wavefronts
# CHECK: 4 times a warp group, A from registers, which is operand 1, as both are turned round; it goes on into the next iteration
# CHECK: + memory ldmatrix: read: by ldmatrix, 4 a warp, transposed, in 16 wavefronts
# CHECK: 4 times a warp group, A from registers; it goes on into the next iteration
# CHECK: + loop pipelined: 4 stages, 2 groups pending, 196608 bytes
# CHECK: + memory ldmatrix: read: by ldmatrix, 8 a warp, transposed, in 32 wavefronts
# CHECK: + memory ldmatrix: read: by ldmatrix, 4 a warp, transposed, in 16 wavefronts (2 times)
# CHECK: + memory ldmatrix: written: by stmatrix, 4 a warp, in 16 wavefronts (2 times)
# CHECK: wgmma.m64n128k32.s32.s8.s8, 8 times a warp group, A from registers; it is waited for
# CHECK: memory vectors: read: 16 instructions a warp of 8 bytes a thread, in 32 wavefronts
# CHECK: memory vectors: written: 4 instructions a warp of 16 bytes a thread, in 16 wavefronts (2 times)
# CHECK: wgmma.m64n128k8.f32.tf32.tf32, 8 times a warp group, A from registers; it is waited for
# CHECK: + loop specialised: a warp of its own copies, 8 warps multiply: 4 slots
# CHECK: 4 times a warp group, A from registers, which is operand 1, as both are turned round; it goes on into the next iteration
# CHECK: + loop specialised: a warp of its own copies, 8 warps multiply: 4 slots
# CHECK: + memory ldmatrix: read: by ldmatrix, 8 a warp, transposed, in 32 wavefronts
# CHECK: + memory ldmatrix: read: by ldmatrix, 16 a warp, transposed, in 64 wavefronts
# CHECK: + memory ldmatrix: written: by stmatrix, 16 a warp, in 64 wavefronts
# CHECK: wgmma.m64n128k32.s32.s8.s8, 8 times a warp group, A from registers; it goes on into the next iteration
# A store that goes on beside the next tile's copies has memory for one piece, which leaves a fourth slot.
# CHECK: + loop specialised: a warp of its own copies, 8 warps multiply from tile to tile: 4 slots
# CHECK: + loop specialised: a warp of its own copies, 8 warps multiply from tile to tile: 6 slots
# CHECK: + memory ldmatrix: read: by ldmatrix, 8 a warp, transposed, in 32 wavefronts
# CHECK: + memory ldmatrix: written: by stmatrix, 8 a warp, in 32 wavefronts
