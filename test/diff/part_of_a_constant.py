# A constant of two halves around a loop that starts products ahead: LLVM makes it a part of a cast of a number.
# run: difftest %s
# expect: success
# launch: 1 4 1 0 1 1
# number: n2 i32 5
# buffer: o12 fp32 2304 16413056120277082569 -100 100
# buffer: o13 fp16 144 16413056120277082646 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(n2, o12, o13):
    pid = tl.program_id(0)
    v0 = tl.full((24, 6), 6.0, tl.float16)
    v1 = tl.full((48, 48), 0.0, tl.float32)
    c2_0, c2_1, c2_2 = v0, v0, v1
    for k2 in tl.range(0, n2, num_stages=3, flatten=True, disallow_acc_multi_buffer=True):
        v3 = k2
        v7 = tl.dot(v1, v1, c2_2, input_precision="tf32x3", out_dtype=tl.float32)
        c2_0, c2_1, c2_2 = c2_1, c2_0, v7
    tl.store(o12 + tl.arange(0, 48)[:,None] * 48 + tl.arange(0, 48)[None,:], c2_2)
    tl.store(o13 + tl.arange(0, 24)[:,None] * 6 + tl.arange(0, 6)[None,:], c2_0)
