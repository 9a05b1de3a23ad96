# What accesses move beyond their bytes, where that is asked for.
# run: neso run %s:columns --target sim:sm_90a --traffic -q -g 1 rand:64x64:fp32 zeros:64:fp32
import triton
import triton.language as tl


@triton.jit
def columns(x_ptr, out_ptr):
    i = tl.arange(0, 64)
    x = tl.load(x_ptr + i * 64)  # warning: 9: traffic: 4 accesses of global memory by a warp move 128 sectors of 32 bytes, where their bytes would fill 16
    y = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x + y)
