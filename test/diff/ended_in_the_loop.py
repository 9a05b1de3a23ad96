# A missing wait of sm_90a: a sum that had ended in the loop was not handed through the wait that says so.
# run: difftest %s
# expect: success
# launch: 1 4 1 1 1 1
# number: n2 i32 2
# buffer: p7 fp32 64 2608281805406461694 -8 8
# buffer: o19 fp32 1536 2608281805406462618 -100 100
# buffer: o20 fp32 1536 2608281805406462695 -100 100
# buffer: o21 fp32 4096 2608281805406462772 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(n2, p7, o19, o20, o21):
    pid = tl.program_id(0)
    v0 = tl.full((64, 64), 0.0, tl.float32)
    v1 = tl.full((64, 24), 0.0, tl.float32)
    c2_0, c2_1, c2_2 = v0, v1, v1
    for k2 in tl.range(0, n2, num_stages=4, flatten=True):
        v3 = k2
        v7 = tl.load(p7 + tl.arange(0, 64)[:,None] + tl.arange(0, 1)[None,:])
        v8 = v7 + v0
        v9 = tl.dot(v8, v8, c2_0, input_precision="tf32x3", out_dtype=tl.float32)
        v10 = tl.dot(v8, v1, c2_1, input_precision="tf32", out_dtype=tl.float32)
        v11 = tl.full((64, 64), 1.0, tl.bfloat16)
        v12 = tl.full((64, 24), 1.0, tl.bfloat16)
        v13 = tl.dot(v11, v12, c2_2, input_precision="ieee", out_dtype=tl.float32)
        c2_0, c2_1, c2_2 = v9, v10, v13
    v18 = tl.permute(c2_2, (1, 0))
    tl.store(o19 + tl.arange(0, 24)[:,None] * 64 + tl.arange(0, 64)[None,:], v18)
    tl.store(o20 + (tl.arange(0, 64)[:,None] * 24 + tl.arange(0, 24)[None,:]).to(tl.int64), c2_1)
    tl.store(o21 + tl.arange(0, 64)[:,None] * 64 + tl.arange(0, 64)[None,:], c2_0)
