# A multiply-add of 16-bit floats is rounded once: 9 * 29 is halfway between two of bf16 (260 and 262), 3 * 89 as well (266 and 268), and what
# is added decides, however small it is.
# run: neso run %s:kernel -q -g 1 full:4:bf16:9 full:4:bf16:29 full:4:bf16:1e-30 zeros:4:fp32 --print out
# run: neso run %s:kernel -q -g 1 full:4:bf16:3 full:4:bf16:89 full:4:bf16:-1e-30 zeros:4:fp32 --print out
# run: neso run %s:kernel -q -g 1 full:4:bf16:9 full:4:bf16:29 full:4:bf16:0 zeros:4:fp32 --print out
# run: neso run %s:kernel -q -g 1 full:4:bf16:9 full:4:bf16:29 full:4:bf16:1e-30 zeros:4:fp32 --print out --target sim:sm_80
# run: neso run %s:kernel -q -g 1 full:4:fp16:65 full:4:fp16:63 full:4:fp16:-1e-7 zeros:4:fp32 --print out
import triton
import triton.language as tl


# CHECK: 262 262 262 262
# CHECK: 266 266 266 266
# CHECK: 260 260 260 260
# CHECK: 262 262 262 262
# CHECK: 4094 4094 4094 4094
@triton.jit
def kernel(x, y, z, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.fma(tl.load(x + i), tl.load(y + i), tl.load(z + i)).to(tl.float32))
