# Sums of atomics in fp32 that are subnormal are zeros, as GPUs leave them in global memory.
# run: difftest %s
# expect: success
# launch: 1 1 1 0 1 1
# buffer: p2 i1 1 8353707183602707220 0 1
# buffer: p6 i32 1024 8353707183602707528 -4 4
# buffer: p9 fp64 1024 8353707183602707759
# buffer: x12 fp32 1024 8353707183602707990 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p2, p6, p9, x12):
    pid = tl.program_id(0)
    v0 = tl.full((32, 32, 1), 11, tl.int32)
    v1 = v0 & v0
    v2 = tl.load(p2)
    v3 = tl.where(v2, v1, v1)
    v4 = tl.abs(v3)
    v5 = tl.reshape(v4, (4, 8, 8, 4))
    v6 = tl.load(p6 + tl.arange(0, 32)[:,None,None] * 32 + tl.arange(0, 32)[None,:,None] + tl.arange(0, 1)[None,None,:])
    v7 = v1 > v6
    v8 = ~v6
    v9 = tl.load(p9 + tl.arange(0, 32)[:,None,None] + tl.arange(0, 32)[None,:,None] * 32 + tl.arange(0, 1)[None,None,:] * 1024)
    v10 = (v4 * v9).to(tl.float32)
    v11 = v8 - v0
    v12 = tl.atomic_add(x12 + tl.arange(0, 32)[:,None,None] * 32 + tl.arange(0, 32)[None,:,None] + tl.arange(0, 1)[None,None,:], v10, sem="release", scope="sys")
