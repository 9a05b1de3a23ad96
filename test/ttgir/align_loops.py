# The pass align-loops: a loop of products whose rows may begin at multiples of 4 bytes is versioned. A run-time check of the
# arguments that matter, and of no others, chooses. In the aligned version the addresses of copies are recomputed with their low
# bits cleared; results that nobody uses add no condition.
# run: neso compile %s:kernel -s "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32,i32,i32" --target sm_90a --num-stages 3 --stop-after pipeline --no-loc
# run: neso compile %s:kernel -s "*i8:16,*i8:16,*i32:16,i32,i32,i32,i32:16,i32:16,i32:16" --target sm_90a --num-stages 3 --stop-after pipeline --no-loc
# run: neso compile %s:kernel -s "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16" --target sm_90a --num-stages 3 --stop-after align-loops --no-loc
# run: neso compile %s:kernel -s "*fp16,*fp16,*fp16:16,i32,i32,i32,i32,i32,i32" --target sm_90a --num-stages 3 --stop-after align-loops --no-loc
# run: neso compile %s:loaded -s "*fp16:16,*i32:16,*fp16:16,i32" --target sm_90a --num-stages 3 --stop-after align-loops --no-loc
import triton
import triton.language as tl


# CHECK-LABEL: @kernel
# CHECK: %[[BITS:.*]] = arith.ori %N, %SA : i32
# CHECK: %[[ALL:.*]] = arith.ori %[[BITS]], %SB : i32
# CHECK: %[[LOW:.*]] = arith.andi %[[ALL]], %c1_i32 : i32
# CHECK: %[[EVEN:.*]] = arith.cmpi eq, %[[LOW]], %c0_i32 : i32
# CHECK: scf.if %[[EVEN]] -> (tensor<64x64xf32, #{{[a-z0-9]+}}>) {
# CHECK: arith.andi %SA, %c-2_i32 {tt.divisibility = 2 : i32} : i32
# CHECK: ttg.async_copy_global_to_local
# CHECK: scf.for
# CHECK: ttg.async_copy_global_to_local
# CHECK: } else {
# CHECK-NOT: ttg.async_copy
# CHECK: scf.for
# CHECK: tt.store

# Its sizes alone are not known: one argument decides for words.
# CHECK-LABEL: @kernel
# CHECK: %[[LOW:.*]] = arith.andi %N, %c3_i32 : i32
# CHECK: arith.cmpi eq, %[[LOW]],

# CHECK-LABEL: @kernel
# CHECK-NOT: scf.if
# CHECK-LABEL: @kernel
# CHECK-NOT: scf.if
@triton.jit
def kernel(a, b, c, M, N, K, SA, SB, SC):
    ACC: tl.constexpr = tl.float32 if a.dtype.element_ty == tl.float16 else tl.int32
    m, n, k = tl.program_id(0) * 64 + tl.arange(0, 64), tl.arange(0, 64) % N, tl.arange(0, 32)
    acc = tl.zeros((64, 64), ACC)
    for i in range(0, K, 32):
        u = tl.load(a + m[:, None] * SA + (i + k)[None, :], mask=(m[:, None] < M) & ((i + k)[None, :] < K), other=0)
        v = tl.load(b + (i + k)[:, None] * SB + n[None, :], mask=(i + k)[:, None] < K, other=0)
        acc = tl.dot(u, v, acc, out_dtype=ACC)
    tl.store(c + m[:, None] * SC + n[None, :], acc.to(c.dtype.element_ty), mask=m[:, None] < M)


# Rows that memory tells of: no argument.
# CHECK-LABEL: @loaded
# CHECK-NOT: scf.if
@triton.jit
def loaded(a, rows, c, K):
    i, k = tl.arange(0, 64), tl.arange(0, 32)
    at = tl.load(rows + i)
    acc = tl.zeros((64, 64), tl.float32)
    for s in range(0, K, 32):
        u = tl.load(a + at[:, None] + (s + k)[None, :])
        acc = tl.dot(u, tl.trans(u), acc)
    tl.store(c + i[:, None] * 64 + i[None, :], acc.to(tl.float16))
