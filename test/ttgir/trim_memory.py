# The pass trim-memory: heads of 192 take tiles of 256, of which products read three boxes of four. Slots and queries are allocated
# without the last one, so three slots fit where two did. Heads of 256 keep theirs.
# run: neso compile %s:scores -s "*fp16:16,*fp16:16,*fp32:16,i32:16,192,256,128" --target sm_90a --num-warps 8 --num-stages 2 --emit ttgir --no-loc
# run: NESO_SKIP_PASSES=trim-memory neso compile %s:scores -s "*fp16:16,*fp16:16,*fp32:16,i32:16,192,256,128" --target sm_90a --num-warps 8 --num-stages 2 --emit ttgir --no-loc
# run: neso compile %s:scores -s "*fp16:16,*fp16:16,*fp32:16,i32:16,256,256,128" --target sm_90a --num-warps 8 --num-stages 2 --emit ttgir --no-loc
import triton
import triton.language as tl


# CHECK: #shared = {{.*}}, used = 24576}, alignment = 16>
# CHECK: ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<3x128x256xf16, #shared, #smem, mutable>
# CHECK: ttg.local_alloc {allocation.offset = 147456 : i32} : () -> !ttg.memdesc<128x256xf16, #shared, #smem, mutable>
# CHECK: neso.used_k = 192
# CHECK-NOT: used = 24576
# CHECK: ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<2x128x256xf16, #shared, #smem, mutable>
# CHECK: ttg.local_alloc {allocation.offset = 131072 : i32} : () -> !ttg.memdesc<128x256xf16, #shared, #smem, mutable>
# CHECK: neso.used_k = 192
# CHECK-NOT: used
# CHECK: ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<2x128x256xf16, #shared, #smem, mutable>
# CHECK-NOT: used
@triton.jit
def scores(q_ptr, k_ptr, o_ptr, n, D: tl.constexpr, PADDED: tl.constexpr, BLOCK: tl.constexpr):
    d = tl.arange(0, PADDED)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    q = tl.load(q_ptr + rows[:, None] * D + d[None, :], mask=d[None, :] < D, other=0.0)
    out = tl.zeros((BLOCK, ), tl.float32)
    for start in range(0, n, BLOCK):
        keys = start + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + keys[:, None] * D + d[None, :], mask=d[None, :] < D, other=0.0)
        out = tl.maximum(out, tl.max(tl.dot(q, tl.trans(k)), 1))
    tl.store(o_ptr + rows, out)
