# Two lanes of a warp go through a loop (16 bits of a word), then all of them multiply: ptxas takes them for together.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1 1
# buffer: a1 u16 8 6077037022752819556 0 10
# number: n1 i32 2
# number: m1 i32 6
# buffer: x3 u16 12 6077037022752819710 0 100
# buffer: p4 i8 1536 6077037022752819787 -5 5
# buffer: a8 i32 128 6077037022752820095 -10 10
# number: n8 i32 22
# number: m8 i32 12
# buffer: o9 i32 576 6077037022752820172 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(a1, n1, m1, x3, p4, a8, n8, m8, o9):
    pid = tl.program_id(0)
    v0 = tl.full((12,), 1, tl.uint16)
    tl.atomic_max(a1 + ((tl.arange(0, 12)) & 7), v0, mask=(tl.arange(0, 12) < m1) & (tl.arange(0, 12) < n1))
    v2 = tl.full((12,), 1, tl.uint16)
    v3 = tl.atomic_xor(x3 + tl.arange(0, 12), v2, sem="relaxed")
    v4 = tl.load(p4 + tl.arange(0, 24)[:,None] * 64 + tl.arange(0, 64)[None,:])
    v5 = tl.full((64, 24), 1, tl.int8)
    v6 = tl.full((24, 24), 1, tl.int32)
    v7 = tl.dot(v4, v5, v6, input_precision="tf32", out_dtype=tl.int32)
    tl.atomic_min(a8 + ((tl.arange(0, 24)[:,None] * 24 + tl.arange(0, 24)[None,:]) & 127), v6, mask=(tl.arange(0, 24)[:,None] < m8) & (tl.arange(0, 24)[None,:] < n8))
    tl.store(o9 + tl.arange(0, 24)[:,None] * 24 + tl.arange(0, 24)[None,:], v7)
