# A product whose operand is turned ahead, behind another one: copies at the loop's begin write what the product before still read in other
# warps, as the wait in front of them, and the barrier that it asked for, had gone behind the product.
# run: difftest %s
# expect: success
# launch: 1 4 1 1 1 1
# number: n2 i32 7
# buffer: p7 fp32 384 4013548036618986520 -3 3
# buffer: p9 fp8e5 1536 4013548036618986674 -4 4
# buffer: p10 fp8e5 1536 4013548036618986751 -7 7
# buffer: o15 fp32 2304 4013548036618987136 -100 100
# buffer: o16 fp32 768 4013548036618987213 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(n2, p7, p9, p10, o15, o16):
    pid = tl.program_id(0)
    v0 = tl.full((48, 16), 0.0, tl.float32)
    v1 = tl.full((48, 48), 0.0, tl.float32)
    c2_0, c2_1 = v0, v1
    for k2 in tl.range(0, n2, num_stages=4, flatten=True):
        v3 = k2
        v6 = tl.full((48, 24), 1.0, tl.float32)
        v7 = tl.load(p7 + tl.arange(0, 24)[:,None] * 16 + tl.arange(0, 16)[None,:], volatile=True, eviction_policy="evict_first")
        v8 = tl.dot(v6, v7, c2_0, input_precision="ieee", out_dtype=tl.float32)
        v9 = tl.load(p9 + (tl.arange(0, 48)[:,None] * 32 + tl.arange(0, 32)[None,:]).to(tl.int64))
        v10 = tl.load(p10 + tl.arange(0, 32)[:,None] * 48 + tl.arange(0, 48)[None,:])
        v11 = tl.dot(v9, v10, c2_1, input_precision="ieee", out_dtype=tl.float32)
        c2_0, c2_1 = v8, v11
    tl.store(o15 + tl.arange(0, 48)[:,None] * 48 + tl.arange(0, 48)[None,:], c2_1)
    tl.store(o16 + tl.arange(0, 48)[:,None] * 16 + tl.arange(0, 16)[None,:], c2_0)
