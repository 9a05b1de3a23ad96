# A tile that is stored, and loaded again by a copy to shared memory: what is copied is what other threads stored.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1 1
# buffer: x2 fp64 1152 8311877610789407378 -100 100
# buffer: o5 fp64 384 8311877610789407609 -100 100
# buffer: o6 fp64 1152 8311877610789407686 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(x2, o5, o6):
    pid = tl.program_id(0)
    v0 = tl.full((24, 16), 1.0, tl.float64)
    v1 = tl.full((24, 48), 1.0, tl.float64)
    tl.store(x2 + 1151 - (tl.arange(0, 24)[:,None] * 48 + tl.arange(0, 48)[None,:]), v1)
    v2 = tl.load(x2 + (1151 - (tl.arange(0, 24)[:,None] * 48 + tl.arange(0, 48)[None,:])).to(tl.int64))
    v3 = tl.full((48, 16), 1.0, tl.float64)
    v4 = tl.dot(v2, v3, v0, input_precision="tf32x3", out_dtype=tl.float64)
    tl.store(o5 + tl.arange(0, 24)[:,None] * 16 + tl.arange(0, 16)[None,:], v4)
    tl.store(o6 + tl.arange(0, 24)[:,None] * 48 + tl.arange(0, 48)[None,:], v2)
