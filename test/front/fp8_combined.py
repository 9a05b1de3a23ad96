# What a reduction or scan combines with computes in no fp8 either; the interpreter refuses what GPUs cannot do.
# options: --signature "*fp8e5,*fp32" --target interp
import triton
import triton.language as tl


@triton.jit
def plus(a, b):
    return a + b  # error: 12: operator + takes floats of 16 bits or more, not fp8e5


@triton.jit
def kernel(p, out):
    x = tl.load(p + tl.arange(0, 16))
    tl.store(out, tl.reduce(x, 0, plus).to(tl.float32))
