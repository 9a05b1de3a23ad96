# Matrix products: shapes, element types, sizes.
# options: --signature "*fp16,*fp32,i32,64"
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n, B: tl.constexpr):
    a = tl.zeros([16, 32], tl.float16)
    b = tl.zeros([32, 16], tl.float16)
    c = tl.dot(a, a)
    d = tl.dot(a, b.to(tl.float32))
    e = tl.dot(tl.zeros([16, 8], tl.float16), tl.zeros([8, 16], tl.float16))
    f = tl.dot(a, b, out_dtype=tl.bfloat16)
    g = tl.dot(a, b, tl.zeros([16, 16], tl.float16))
    h = tl.dot(a, b, input_precision="tf32", allow_tf32=True)
    i = tl.dot(a, b, input_precision="fp19")
    j = tl.dot(a.to(tl.int32), b.to(tl.int32))
    k = tl.dot(a.to(tl.float8e5), b.to(tl.float8e5), max_num_imprecise_acc=64)
    s = tl.zeros([16, 2], tl.uint8)
    m = tl.dot_scaled(a, s, "e4m3", b, s, "e4m3")
    u = tl.zeros([16, 32], tl.uint8)
    v = tl.zeros([32, 16], tl.uint8)
    o = tl.dot_scaled(u, s, "e4m3", v, s, "e4m3")
    r = tl.dot_scaled(u, None, "e4m3", v, None, "e4m3", lhs_k_pack=False)
