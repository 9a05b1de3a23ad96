# What one operand alone cannot be.
# options: --signature "*fp32,*fp16,i32,u32,fp32,*i32,64"
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, i, u, f, r, B: tl.constexpr):
    x = tl.arange(0, B)
    y = x.to(tl.float32)
    z = tl.exp(x)  # error: 9: tl.exp takes fp32 or fp64, not int32[64]
    zz = tl.sqrt_rn(x.to(tl.float64))  # error: 10: tl.sqrt_rn takes fp32, not fp64[64]
    aa = tl.where(y > 0, p, 1.0)  # error: 10: tl.where: invalid operands of type pointer<fp32> and fp32
    if x > 3:  # error: 8: expected a condition of one element, found int1[64]
        i = i + 1
    hh = tl.extra.libdevice.popc(y)  # error: 10: libdevice.popc takes (int32) or (int64), not (fp32)
    ii = tl.fdiv(y, y.to(tl.float16))  # error: 10: tl.fdiv: invalid operands of type fp32[64] and fp16[64]
    ij = tl.fdiv(y, y, ieee_rounding=True, approx=True)  # error: 10: tl.fdiv: ieee_rounding and approx cannot both
    jj = tl.clamp(x, 0, 3)  # error: 10: tl.clamp: invalid operands of type int32[64]
    kk = tl.umulhi(y, y)  # error: 10: tl.umulhi takes integers of 32 or 64 bits, not fp32[64]
    mm = tl.div_rn(y.to(tl.float16), y.to(tl.float16))  # error: 10: tl.div_rn takes fp32, not fp16[64]
    nn = tl.device_assert(y, 3)  # error: 10: tl.device_assert: 'msg' must be a string, not int 3
    cc = tl.to_tensor("x")  # error: 10: tl.to_tensor: 'x' must be a tensor, not str 'x'
    dd = tl.full([B], "x", tl.int32)  # error: 10: str 'x' cannot be a constant of type int32
    ee = tl.full([B], x, tl.int32)  # error: 10: tl.full: expected a scalar, found int32[64]
    oo = (y > 0).logical_and("a")  # error: 10: expected a tensor or a number, found str 'a'
