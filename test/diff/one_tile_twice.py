# Programs in parts: a tile that is two operands of a product had the same part in both.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1 4
# buffer: p0 fp32 16384 12444803505136731921 -2 2
# buffer: p1 fp32 8192 12444803505136731998 -9 9
# buffer: o6 fp32 16384 12444803505136732383 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p1, o6):
    pid = tl.program_id(0)
    v0 = tl.load(p0 + tl.arange(0, 128)[:,None] * 128 + tl.arange(0, 128)[None,:])
    v1 = tl.load(p1 + tl.arange(0, 64)[:,None] * 128 + tl.arange(0, 128)[None,:])
    v2 = tl.join(v1, v1)
    v3 = tl.permute(v2, (0, 2, 1))
    v4 = tl.reshape(v3, (128, 128))
    v5 = tl.dot(v0, v4, v4, input_precision="tf32", out_dtype=tl.float32)
    tl.store(o6 + 16383 - (tl.arange(0, 128)[:,None] * 128 + tl.arange(0, 128)[None,:]), v5)
