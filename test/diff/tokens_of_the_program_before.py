# The second program of a warp: a masked load of no lane leaves what the first one's products left, which the simulator took for theirs.
# run: difftest %s
# expect: success
# launch: 3 4 1 1 1 1
# floats: new
# buffer: p1 u32 288 11995624933135005095 0 7
# buffer: p2 u32 288 11995624933135005172 0 9
# buffer: p4 fp8e4nv 13824 11995624933135005326 -2 2
# buffer: o7 fp32 27648 11995624933135005557 -100 100
# buffer: o8 u32 288 11995624933135005634 0 100
import triton
import triton.language as tl


@triton.jit
def kernel(p1, p2, p4, o7, o8):
    pid = tl.program_id(0)
    v0 = tl.arange(0, 1)
    v1 = tl.load(p1 + pid * 96 + tl.arange(0, 96)[:,None] + tl.arange(0, 1)[None,:])
    v2 = tl.load(p2 + pid * 96 + tl.arange(0, 96)[:,None] + tl.arange(0, 1)[None,:])
    v3 = v2 ^ v1
    v4 = tl.load(p4 + pid * 4608 + tl.arange(0, 96)[:,None] * 48 + tl.arange(0, 48)[None,:])
    v5 = tl.permute(v4, (1, 0))
    v6 = tl.dot(v4, v5, input_precision="tf32x3", out_dtype=tl.float32)
    tl.store(o7 + pid * 9216 + tl.arange(0, 96)[:,None] * 96 + tl.arange(0, 96)[None,:], v6)
    tl.store(o8 + pid * 96 + tl.arange(0, 96)[:,None] + tl.arange(0, 1)[None,:], v3)
