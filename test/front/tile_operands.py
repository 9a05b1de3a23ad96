# Operands that do not go together: types of both sides are shown.
# options: --signature "*fp32,*fp16,i32,u32,fp32,*i32,64" --num-warps 4
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, i, u, f, r, B: tl.constexpr):
    x = tl.arange(0, B)
    y = x.to(tl.float32)
    a = p + q
    b = p * 2
    c = y & 1
    d = y // 2.0
    e = i // u
    g = u + (-1)
    h = x.to(tl.uint8) + 256
    j = ~y
    k = -p
    m = x and y
    n = y ** 2
    o = tl.full([B], 1.5, tl.int32)
    s = y.to(tl.pointer_type(tl.int32))
    t = y.to(tl.int16, bitcast=True)
    v = y.to(tl.float16, fp_downcast_rounding="up")
    w = x.to(tl.float32, fp_downcast_rounding="rtz")
    z = tl.exp(x)
    aa = tl.where(y > 0, p, 1.0)
    if x > 3:
        i = i + 1
    bb = tl.extra.libdevice.popc(f)
    cc = tl.to_tensor("x")
    dd = tl.full([B], "x", tl.int32)
    ee = tl.full([B], x, tl.int32)
