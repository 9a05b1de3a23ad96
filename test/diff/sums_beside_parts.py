# Sums that a loop keeps in shared memory are read there for a product of elements whose operands are read in parts.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1 1
# buffer: p0 fp32 768 15745906595972720355 -4 4
# buffer: p2 fp32 2304 15745906595972720509 -4 4
# number: n3 i32 3
# buffer: p7 fp32 768 15745906595972720894 -6 6
# buffer: p8 fp32 2304 15745906595972720971 -4 4
# buffer: p11 i8 1152 15745906595972721202 -8 8
# buffer: o17 fp32 768 15745906595972721664 -100 100
# buffer: o18 fp32 768 15745906595972721741 -100 100
# buffer: o19 fp32 2304 15745906595972721818 -100 100
# buffer: o20 fp32 768 15745906595972721895 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p2, n3, p7, p8, p11, o17, o18, o19, o20):
    pid = tl.program_id(0)
    v0 = tl.load(p0 + tl.arange(0, 48)[:,None] * 16 + tl.arange(0, 16)[None,:])
    v1 = tl.full((16, 48), 1.0, tl.float32)
    v2 = tl.load(p2 + tl.arange(0, 48)[:,None] * 48 + tl.arange(0, 48)[None,:])
    c3_0, c3_1 = v1, v1
    for k3 in tl.range(0, n3, num_stages=4):
        v4 = k3
        v7 = tl.load(p7 + tl.arange(0, 16)[:,None] * 48 + tl.arange(0, 48)[None,:])
        v8 = tl.load(p8 + tl.arange(0, 48)[:,None] * 48 + tl.arange(0, 48)[None,:])
        v9 = tl.dot(v7, v8, c3_0, input_precision="ieee", out_dtype=tl.float32)
        v10 = tl.full((16, 24), 1.0, tl.float32)
        v11 = tl.load(p11 + tl.arange(0, 24)[:,None] * 48 + tl.arange(0, 48)[None,:])
        v12 = v11.to(tl.float32)
        v13 = tl.dot(v10, v12, c3_1, input_precision="ieee", out_dtype=tl.float32)
        c3_0, c3_1 = v9, v13
    tl.store(o17 + tl.arange(0, 16)[:,None] * 48 + tl.arange(0, 48)[None,:], c3_1)
    tl.store(o18 + tl.arange(0, 16)[:,None] * 48 + tl.arange(0, 48)[None,:], c3_0)
    tl.store(o19 + tl.arange(0, 48)[:,None] * 48 + tl.arange(0, 48)[None,:], v2)
    tl.store(o20 + tl.arange(0, 48)[:,None] * 16 + tl.arange(0, 16)[None,:], v0)
