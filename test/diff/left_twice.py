# Two loops that may be left in one kernel: what one holds in front of it is not what the other did.
# run: difftest %s
# expect: success
# launch: 1 1 3 1 1
# buffer: p0 i8 1032 17517547601996943460 -2 2
# buffer: p2 i32 576 17517547601996943614 -9 9
# buffer: p4 i32 576 17517547601996943768 -3 3
# buffer: p5 i1 576 17517547601996943845 0 4
# number: n7 i32 0
# buffer: p10 i8 768 17517547601996944230 -9 9
# buffer: p11 i8 768 17517547601996944307 -3 3
# buffer: p20 i32 1 17517547601996945000 -9 9
# buffer: p23 bf16 1032 17517547601996945231 -9 9
# buffer: o29 i32 576 17517547601996945693 -100 100
# buffer: o30 i32 576 17517547601996945770 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p2, p4, p5, n7, p10, p11, p20, p23, o29, o30):
    pid = tl.program_id(0)
    v0 = tl.load(p0 + tl.arange(0, 43)[:,None] * 24 + tl.arange(0, 24)[None,:])
    v1 = tl.permute(v0, (1, 0))
    v2 = tl.load(p2 + tl.arange(0, 24)[:,None] * 24 + tl.arange(0, 24)[None,:])
    v3 = tl.dot(v1, v0, v2, input_precision="ieee", out_dtype=tl.int32)
    v4 = tl.load(p4 + tl.arange(0, 24)[:,None] * 24 + tl.arange(0, 24)[None,:])
    v5 = tl.load(p5 + tl.arange(0, 24)[:,None] * 24 + tl.arange(0, 24)[None,:])
    v6 = tl.where(v5, v3, v4)
    c7_0 = v6
    for k7 in range(n7, 0, -1):
        v8 = k7
        v10 = tl.load(p10 + tl.arange(0, 24)[:,None] * 32 + tl.arange(0, 32)[None,:])
        v11 = tl.load(p11 + tl.arange(0, 32)[:,None] * 24 + tl.arange(0, 24)[None,:])
        v12 = tl.dot(v10, v11, c7_0, input_precision="ieee", out_dtype=tl.int32)
        c7_0 = v12
    v15 = v4 & 7
    c16_0, c16_1 = v15, v6
    for k16 in range(0):
        v17 = k16
        v20 = tl.load(p20)
        v21 = v17 == v20
        if v21:
            break
        v23 = tl.load(p23 + tl.arange(0, 43)[:,None] * 24 + tl.arange(0, 24)[None,:])
        v24 = v23.to(tl.int8)
        v25 = tl.dot(v1, v24, c16_1, input_precision="ieee", out_dtype=tl.int32)
        c16_0, c16_1 = c7_0, v25
    tl.store(o29 + tl.arange(0, 24)[:,None] * 24 + tl.arange(0, 24)[None,:], c16_1)
    tl.store(o30 + tl.arange(0, 24)[:,None] * 24 + tl.arange(0, 24)[None,:], c16_0)
