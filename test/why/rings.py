# What loops take from rings: bytes that are turned round ahead have a slot more of three stages, others not; dots by multiply-adds read
# their slots as they multiply, where nothing else reads them.
# run: NESO_PERSIST=0 neso compile %s:product --target sim:sm_90a --why --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,i32:16,i32:16,1,i32:16,1,'tf32',False"
# run: NESO_PERSIST=0 neso compile %s:product --target sim:sm_90a --why --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,i32:16,i32:16,1,1,i32:16,'tf32',False"
# run: NESO_PERSIST=0 neso compile %s:product --target sim:sm_90a --why --signature "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,1,i32:16,1,'ieee',False"
# run: NESO_PERSIST=0 neso compile %s:product --target sim:sm_90a --why --signature "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,1,i32:16,1,'ieee',True"
import triton
import triton.language as tl


@triton.jit
def product(a, b, o, K, am, ak, bk, bn, PRECISION: tl.constexpr, SUMS: tl.constexpr):
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 32)
    acc, sums = tl.zeros((64, 64), tl.float32), tl.zeros((64,), tl.float32)
    for i in range(0, K, 32):
        x = tl.load(a + m[:, None] * am + (i + k)[None, :] * ak)
        y = tl.load(b + (i + k)[:, None] * bk + n[None, :] * bn)
        acc = tl.dot(x, y, acc, input_precision=PRECISION)
        if SUMS:
            sums += tl.sum(x, 1)
    tl.store(o + m[:, None] * 64 + n[None, :], acc + sums[:, None])

# CHECK: + loop pipelined: 4 stages, 2 groups pending, 16384 bytes
# CHECK: + load copied: copied 3 ahead, 16 bytes at once, 4 slots of 2048 bytes
# CHECK: memory ldmatrix: read: by ldmatrix, 1 a warp, transposed, in 4 wavefronts (2 times)
# CHECK: + loop pipelined: 3 stages, 1 groups pending, 16384 bytes
# CHECK: + loop pipelined: 3 stages, 1 groups pending, 49152 bytes
# CHECK: memory vectors: read: 32 instructions a warp of 16 bytes a thread, in 128 wavefronts
# CHECK: memory vectors: read: 64 instructions a warp of 16 bytes a thread, in 256 wavefronts
# CHECK: registers peak: tiles take most registers here: some 80 of a thread
# CHECK: + loop pipelined: 3 stages, 1 groups pending, 49152 bytes
# CHECK: memory vectors: read: 4 instructions a warp of 16 bytes a thread, in 16 wavefronts
