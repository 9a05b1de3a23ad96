# Operands of fp32 that lie across K are turned round without bank conflicts: also where threads split them into parts first, and where
# one is read by threads and the other one turned by two warp groups, of which two CTAs share an SM.
# run: neso compile %s:product --target sim:sm_90a --why --num-warps 8 --num-stages 3 -s "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,1,i32:16,1,'tf32x3'"
# run: neso compile %s:product --target sim:sm_90a --why --num-warps 8 --num-stages 3 -s "*fp32:16,*fp32:16,*fp32:16,i32:16,1,i32:16,i32:16,1,'tf32'"
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K, sam, sak, sbk, sbn, PRECISION: tl.constexpr):
    m, n, k = tl.program_id(0) * 128 + tl.arange(0, 128), tl.program_id(1) * 128 + tl.arange(0, 128), tl.arange(0, 32)
    a += m[:, None] * sam + k[None, :] * sak
    b += k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 32):
        acc = tl.dot(tl.load(a), tl.load(b), acc, input_precision=PRECISION)
        a += 32 * sak
        b += 32 * sbk
    tl.store(c + m[:, None] * sbk + n[None, :], acc)


# CHECK: acc = tl.dot(
# CHECK-NOT: bank-conflicts
# CHECK: dot parts: tf32x3: 3 products of tf32
# CHECK-NOT: bank-conflicts
# CHECK: memory vectors: written: 4 instructions a warp of 16 bytes a thread, in 16 wavefronts (4 times)
# CHECK-NOT: bank-conflicts
# CHECK: acc = tl.dot(
# CHECK-NOT: bank-conflicts
# CHECK: + dot wgmma: wgmma.m64n128k8.f32.tf32.tf32, 4 times a warp group, A from registers
# CHECK-NOT: bank-conflicts
