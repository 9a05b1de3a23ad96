# A type that is written as in C or in torch is no type, and no value either.
# options: --signature "float32*,torch.float16,64"
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, B: tl.constexpr):  # error: 12: the value float32* cannot be used: expected an expression  # note: -: pointers to them *fp32  # error: 15: the value torch.float16 cannot be used: name 'torch' is not defined
    tl.store(x + tl.arange(0, B), y)
