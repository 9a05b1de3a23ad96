# Which instruction a dot is, and why not a better one.
# run: neso compile %s:f --target sim:sm_80 --why --signature "*fp16:16,*fp16:16,*fp32:16,32,'tf32'"
# run: neso compile %s:f --target sim:sm_80 --why --signature "*fp32:16,*fp32:16,*fp32:16,32,'ieee'"
# run: neso compile %s:f --target sim:sm_80 --why --signature "*fp32:16,*fp32:16,*fp32:16,32,'tf32x3'"
# run: neso compile %s:f --target sim:sm_80 --why --signature "*fp32:16,*fp32:16,*fp32:16,32,'bf16x6'"
# run: neso compile %s:f --target sim:sm_80 --why --signature "*fp8e5:16,*fp8e5:16,*fp32:16,32,'tf32'"
# run: neso compile %s:f --target sim:sm_80 --why --signature "*i8:16,*i8:16,*i32:16,32,'tf32'"
# run: neso compile %s:f --target sim:sm_75 --why --signature "*fp64:16,*fp64:16,*fp64:16,32,'tf32'"
# run: neso compile %s:f --target sim:sm_90a --why --signature "*bf16:16,*bf16:16,*fp32:16,32,'tf32'"
# run: neso compile %s:large --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp32:16,i32:16"
# run: neso compile %s:large --target sim:sm_90a --why --signature "*fp32:16,*fp32:16,*fp32:16,i32:16"
# run: neso compile %s:both_across --target sim:sm_90a --why --signature "*fp32:16,*fp32:16,*fp32:16,i32:16"
# run: neso compile %s:f --target sim:sm_100a --why --signature "*fp16:16,*fp16:16,*fp32:16,32,'tf32'"
# run: neso compile %s:scaled --target sim:sm_90 --why --signature "*u8:16,*u8:16,*fp32:16"
import triton
import triton.language as tl


@triton.jit
def f(a, b, c, K: tl.constexpr, PRECISION: tl.constexpr):
    r = tl.arange(0, 32)
    s = tl.arange(0, K)
    x = tl.load(a + r[:, None] * K + s[None, :])
    y = tl.load(b + s[:, None] * 32 + r[None, :])
    p = tl.dot(x, y, input_precision=PRECISION, out_dtype=c.dtype.element_ty)
    tl.store(c + r[:, None] * 32 + r[None, :], p)

# CHECK: dots.py:25: p = tl.dot(
# CHECK-NEXT: + dot mma: mma.sync.m16n8k16.f32.f16.f16.f32, 4 times a warp
# CHECK: - dot ieee: 256 multiply-adds a thread, operands from {{registers|shared memory}}: input_precision is ieee, and no matrix instruction multiplies fp32 so
# CHECK-NEXT: input_precision of tf32, tf32x3 or bf16x6 has instructions
# CHECK: dot parts: tf32x3: 3 products of tf32, added up in fp32
# CHECK: + dot mma: mma.sync.m16n8k8.f32.tf32.tf32.f32, 8 times a warp (3 times)
# CHECK: dot parts: bf16x6: 6 products of bf16, added up in fp32
# CHECK: + dot mma: mma.sync.m16n8k16.f32.bf16.bf16.f32, 4 times a warp (6 times)
# CHECK: - dot widened: operands of f8E5M2 and f8E5M2 are converted to f16: sm_80 has no matrix instruction for them as they are
# CHECK-NEXT: + dot mma: mma.sync.m16n8k16.f32.f16.f16.f32
# CHECK: + dot mma: mma.sync.m16n8k32.s32.s8.s8.s32, 2 times a warp
# CHECK: - dot types: {{.*}}: sm_75 has no matrix instruction for f64 times f64 into f64
# CHECK: + dot mma: mma.sync.m16n8k16.f32.bf16.bf16.f32, 4 times a warp
# CHECK-NEXT: dot no-wgmma: wgmma is not used: a warp group takes 64 rows
# CHECK: + dot wgmma: wgmma.m64n64k16.f32.f16.f16, 4 times a warp group, A from shared memory; it goes on into the next iteration
# CHECK: + dot wgmma: wgmma.m64n64k8.f32.tf32.tf32, 8 times a warp group, A from registers, which is operand 1, as both are turned round; it goes on into the next iteration
# CHECK: dot no-wgmma: wgmma is not used: operands of fp32 lie across K in memory, and wgmma wants one of them along K
# CHECK: + dot mma: mma.sync.m16n8k16.f32.f16.f16.f32, 4 times a warp
# CHECK-NEXT: dot no-tcgen05: tcgen05 is not used: there is no plan for products in tensor memory


@triton.jit
def large(a, b, c, K):
    m, k = tl.arange(0, 64), tl.arange(0, 64)
    p = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, 64):
        x = tl.load(a + m[:, None] * K + i + k[None, :])
        p = tl.dot(x, tl.load(b + (i + k)[:, None] * 64 + m[None, :]), p)
    tl.store(c + m[:, None] * 64 + m[None, :], p)


@triton.jit
def both_across(a, b, c, K):
    m, k = tl.arange(0, 64), tl.arange(0, 64)
    p = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, 64):
        x = tl.load(a + m[:, None] + (i + k)[None, :] * 64)
        p = tl.dot(x, tl.load(b + (i + k)[:, None] * 64 + m[None, :]), p)
    tl.store(c + m[:, None] * 64 + m[None, :], p)


@triton.jit
def scaled(a, s, c):
    r = tl.arange(0, 64)
    g = tl.arange(0, 2)
    x = tl.load(a + r[:, None] * 64 + r[None, :])
    m = tl.load(s + r[:, None] * 2 + g[None, :])
    p = tl.dot_scaled(x, m, "e4m3", x, m, "e4m3")
    tl.store(c + r[:, None] * 64 + r[None, :], p)

# CHECK: access small-tile: load of 64x2xi8: 1 bytes at once, 1 times a thread: the tile has no more for each thread
# CHECK: dot scaled: operands are unpacked, scaled and multiplied as bf16
# CHECK: access wide: store of 64x64xf32: 16 bytes at once, 8 times a thread
