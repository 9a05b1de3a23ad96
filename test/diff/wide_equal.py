# The high half of a 64-bit product is compared, which LLVM does on 128 bits.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1
# buffer: p0 i64 1 873426032718803855 -4 4
# buffer: o4 i1 1 873426032718804163 0 100
import triton
import triton.language as tl


@triton.jit
def kernel(p0, o4):
    pid = tl.program_id(0)
    v0 = tl.load(p0 + tl.arange(0, 1)[:,None] + tl.arange(0, 1)[None,:])
    v1 = tl.umulhi(v0, v0)
    v2 = tl.full((1, 1), 1, tl.int64)
    v3 = v1 == v2
    tl.store(o4 + tl.arange(0, 1)[:,None] + tl.arange(0, 1)[None,:], v3)
