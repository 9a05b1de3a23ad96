# fp8 is a format of memory and of products: nothing computes in it under Triton, on no target (its kernels fail as late
# as in LLVM's types), and so under NESO_STRICT_TRITON. What is moved, chosen, converted, or meets a wider float, has a
# meaning.
# run: NESO_STRICT_TRITON=1 neso compile %s:kernel --emit ttir --signature "*fp8e5,*fp8e4nv,*fp8e4b15,*fp32" --target sim:sm_90a
# exit: 1
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, r, out):
    i = tl.arange(0, 16)
    x = tl.load(p + i)
    y = tl.load(q + i)
    z = tl.load(r + i)
    a = x + x  # error: 9: operator + takes floats of 16 bits or more, not fp8e5[16]
    a = y - y  # error: 9: operator - takes floats of 16 bits or more, not fp8e4nv[16]
    a = x * 2.0  # error: 9: operator * takes floats of 16 bits or more, not fp8e5[16]
    a = 1 + z  # error: 9: operator + takes floats of 16 bits or more, not fp8e4b15[16]
    a = x / x  # error: 9: operator / takes
    a = x % x  # error: 9: operator % takes
    a = -x  # error: 9: unary - takes
    a = x < x  # error: 9: operator < takes
    a = x != x  # error: 9: operator != takes
    w = x
    w += x  # error: 5: operator + takes
    a = tl.load(p) * 2  # error: 9: operator * takes floats of 16 bits or more, not fp8e5
    a = tl.maximum(x, x)  # error: 9: tl.maximum takes
    a = tl.minimum(y, y)  # error: 9: tl.minimum takes
    a = tl.clamp(x, x, x)  # error: 9: tl.clamp takes
    a = tl.fma(x, x, x)  # error: 9: tl.fma takes
    a = tl.fdiv(x, x)  # error: 9: tl.fdiv takes
    a = tl.sum(x, 0)  # error: 9: operator + takes
    a = tl.sort(x)  # error: 9: operator > takes
    # What works.
    a = tl.where(i > 4, x, x).to(tl.float32) + tl.abs(y).to(tl.float32) + tl.max(x, 0) + tl.softmax(y)
    a += x * a + (x + y) + tl.maximum(x, 0.0)
    b = tl.where(i > 3, x, 0.0)
    tl.store(out + i, tl.where(x < 1.0, a, b))
