# Products of doubles of 24 columns: what was loaded is the second operand of one, and what the other adds to.
# On an H200 (ptxas 13.0) rows 8 and 9 of columns 16 to 23 added other values, where masked loads went to registers that nothing had
# set before (masks of tiles that are padded to 32 columns); the simulator finds nothing.
# run: difftest %s
# expect: success
# launch: 1 4 1 1 1 1
# buffer: p0 i8 1024 7610266747750804504 -5 5
# buffer: p2 fp64 768 7610266747750804658 -4 4
# buffer: o8 fp64 768 7610266747750805120 -100 100
# buffer: o9 fp64 768 7610266747750805197 -100 100
import triton
import triton.language as tl
import triton.language as tl



@triton.jit
def kernel(p0, p2, o8, o9):
    pid = tl.program_id(0)
    v0 = tl.make_tensor_descriptor(p0, shape=[31, 32], strides=[32, 1], block_shape=[32, 32]).load([0, 0])
    v1 = v0.to(tl.float64)
    v2 = tl.load(p2 + tl.arange(0, 32)[:,None] * 24 + tl.arange(0, 24)[None,:])
    v3 = tl.dot(v1, v2, input_precision="ieee", out_dtype=tl.float64)
    v4 = v3 - v2
    v5 = tl.full((32, 24), 1.0, tl.float64)
    v6 = tl.full((24, 24), 1.0, tl.float64)
    v7 = tl.dot(v5, v6, v2, input_precision="tf32", out_dtype=tl.float64)
    tl.store(o8 + tl.arange(0, 32)[:,None] * 24 + tl.arange(0, 24)[None,:], v7)
    tl.store(o9 + tl.arange(0, 32)[:,None] * 24 + tl.arange(0, 24)[None,:], v4)
