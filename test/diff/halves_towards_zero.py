# What is rounded towards zero two at a time is defined or not one by one: the rows of padding are not.
# run: difftest %s
# expect: success
# launch: 1 1 1 0 1
# buffer: p0 fp16 6 13439310253870024659
# buffer: p1 fp16 36 13439310253870024736
# buffer: p2 u8 36 13439310253870024813 0 3
# buffer: o6 fp16 36 13439310253870025121 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p1, p2, o6):
    pid = tl.program_id(0)
    v0 = tl.load(p0 + tl.arange(0, 6)[:,None,None] + tl.arange(0, 1)[None,:,None] + tl.arange(0, 1)[None,None,:])
    v1 = tl.load(p1 + tl.arange(0, 6)[:,None,None] * 6 + tl.arange(0, 6)[None,:,None] + tl.arange(0, 1)[None,None,:])
    v2 = tl.load(p2 + tl.arange(0, 6)[:,None,None] * 6 + tl.arange(0, 6)[None,:,None] + tl.arange(0, 1)[None,None,:])
    v3 = (v1 + v2).to(tl.float32)
    v4 = v3.to(tl.float16, fp_downcast_rounding="rtz")
    v5 = v4 * -3.0
    tl.store(o6 + tl.arange(0, 6)[:,None,None] * 6 + tl.arange(0, 6)[None,:,None] + tl.arange(0, 1)[None,None,:], v5)
