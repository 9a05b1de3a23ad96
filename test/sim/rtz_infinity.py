# Towards zero what is too large becomes the largest finite number, but infinity stays what it is where the type has it.
# run: neso run %s:towards_zero --target interp -q -g 1 wrong=zeros:1:i32 --expect wrong=zeros:1:i32
# run: neso run %s:towards_zero --target sim:sm_80 -q -g 1 wrong=zeros:1:i32 --expect wrong=zeros:1:i32
# run: neso run %s:towards_zero --target sim:sm_90a --check -q -g 1 wrong=zeros:1:i32 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def differs(x, T: tl.constexpr, B: tl.constexpr, BITS: tl.constexpr):
    return (x.to(T, fp_downcast_rounding="rtz").to(B, bitcast=True) != BITS).to(tl.int32)


@triton.jit
def towards_zero(wrong):
    zero = tl.sum(tl.arange(0, 32), 0).to(tl.float32) - 496
    infinity, large = 1 / zero, zero + 1e30
    n = differs(infinity, tl.float8e5, tl.int8, 0x7c) + differs(large, tl.float8e5, tl.int8, 0x7b)
    n += differs(-infinity, tl.float8e5, tl.uint8, 0xfc) + differs(-large, tl.float8e5, tl.uint8, 0xfb)
    n += differs(infinity, tl.float16, tl.int16, 0x7c00) + differs(large, tl.float16, tl.int16, 0x7bff)
    n += differs(infinity, tl.bfloat16, tl.int16, 0x7f80) + differs(zero + 3.4e38, tl.bfloat16, tl.int16, 0x7f7f)
    tl.store(wrong, n)
