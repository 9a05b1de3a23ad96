# Operands that do not go together: types of both sides are shown.
# options: --signature "*fp32,*fp16,i32,u32,fp32,*i32,64" --num-warps 4
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, i, u, f, r, B: tl.constexpr):
    x = tl.arange(0, B)
    y = x.to(tl.float32)
    a = p + q  # error: 9: operator +: invalid operands of type pointer<fp32> and pointer<fp16>
    b = p * 2  # error: 9: operator *: invalid operands of type pointer<fp32> and int32
    c = y & 1  # error: 9: operator &: invalid operands of type fp32[64] and fp32[64]
    d = y // 2.0  # error: 9: operator //: invalid operands of type fp32[64] and fp32[64]
    e = i // u  # error: 9: Cannot use operator // for int32 and uint32 because they have different signedness: cast one of them
    g = u + (-1)  # error: 9: -1 is out of range for uint32
    h = x.to(tl.uint8) + 256  # error: 9: 256 is out of range for uint8
    j = ~y  # error: 9: operator ~: invalid operands of type fp32[64]
    k = -p  # error: 9: unary -: invalid operands of type pointer<fp32>
    m = x and y  # error: 9: operator and: expected int1, found int32[64]  # warning: 9: Logical operators 'and' and 'or' are deprecated
    n = y ** -2  # error: 9: operator **: invalid operands of type fp32[64] and int -2
    o = tl.full([B], 1.5, tl.int32)  # error: 9: 1.5 is out of range for int32
    s = y.to(tl.pointer_type(tl.int32))  # error: 9: cannot cast fp32[64] to pointer<int32>
    t = y.to(tl.int16, bitcast=True)  # error: 9: cannot bitcast fp32 (32 bits) to int16 (16 bits)
    v = y.to(tl.float16, fp_downcast_rounding="up")  # error: 9: unknown rounding mode 'up'; there are 'rtne' and 'rtz'
    w = x.to(tl.float32, fp_downcast_rounding="rtz")  # error: 9: a rounding mode goes with casts to a narrower float only, not from int32 to fp32
