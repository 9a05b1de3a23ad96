# A product whose one operand threads copy, which takes a fence, and whose other TMA brings and is turned in registers: the fence
# and its barrier go in front of the read, or registers would be filled again while the product reads them.
# run: difftest %s
# expect: success
# launch: 1 4 1 1 1 1
# buffer: p0 i32 64 15386138738311218580
# number: n2 i32 5
# buffer: p6 i8 1536 15386138738311219042 -4 4
# buffer: p7 i8 4096 15386138738311219119 -7 7
# buffer: o12 i32 1536 15386138738311219504 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p0, n2, p6, p7, o12):
    pid = tl.program_id(0)
    v0 = tl.load(p0 + tl.arange(0, 64))
    v1 = tl.full((24, 64), 0, tl.int32)
    c2_0, c2_1 = v1, v1
    for k2 in range(n2, 0, -1):
        v3 = k2
        v6 = tl.load(p6 + tl.arange(0, 24)[:,None] * 64 + tl.arange(0, 64)[None,:])
        v7 = tl.make_tensor_descriptor(p7, shape=[64, 64], strides=[64, 1], block_shape=[64, 64]).load([0, 0])
        v8 = tl.dot(v6, v7, c2_1, input_precision="tf32", out_dtype=tl.int32)
        c2_0, c2_1 = c2_0, v8
    tl.store(o12 + tl.arange(0, 24)[:,None] * 64 + tl.arange(0, 64)[None,:], c2_1)
