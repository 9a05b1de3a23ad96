# A load that a part of a warp leaves out keeps what the other lanes loaded, while products are under way.
# run: difftest %s
# expect: success
# launch: 1 4 2 1 1
# buffer: p12 bf16 2048 13365827756149761831 -6 6
# buffer: p13 bf16 2048 13365827756149761908 -4 4
# buffer: p15 i8 2048 13365827756149762062 -5 5
# buffer: o22 i32 4096 13365827756149762601 -100 100
# buffer: o23 fp32 1024 13365827756149762678 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p12, p13, p15, o22, o23):
    pid = tl.program_id(0)
    v0 = tl.full((), 1, tl.int32)
    v1 = v0 == v0
    if v1:
        pass
    else:
        pass
    v5 = tl.full((32, 32), 0.0, tl.float32)
    v6 = tl.full((64, 64), 0, tl.int32)
    c7_0, c7_1, c7_2 = v1, v5, v6
    for k7 in range(5):
        v8 = k7
        v12 = tl.load(p12 + tl.arange(0, 32)[:,None] * 64 + tl.arange(0, 64)[None,:], mask=(tl.arange(0, 32)[:,None] * 64 + tl.arange(0, 64)[None,:]) % 3 != 0, other=1)
        v13 = tl.load(p13 + tl.arange(0, 64)[:,None] * 32 + tl.arange(0, 32)[None,:])
        v14 = tl.dot(v12, v13, c7_1, input_precision="tf32", out_dtype=tl.float32)
        v15 = tl.load(p15 + tl.arange(0, 64)[:,None] * 32 + tl.arange(0, 32)[None,:])
        v16 = tl.full((32, 64), 1, tl.int8)
        v17 = tl.dot(v15, v16, v6, input_precision="ieee", out_dtype=tl.int32)
        c7_0, c7_1, c7_2 = v1, v14, v17
    tl.store(o22 + tl.arange(0, 64)[:,None] * 64 + tl.arange(0, 64)[None,:], c7_2)
    tl.store(o23 + tl.arange(0, 32)[:,None] * 32 + tl.arange(0, 32)[None,:], c7_1)
