# Matrix products: shapes, element types, sizes.
# options: --signature "*fp16,*fp32,i32,64"
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n, B: tl.constexpr):
    a = tl.zeros([16, 32], tl.float16)
    b = tl.zeros([32, 16], tl.float16)
    c = tl.dot(a, a)  # error: 9: cannot multiply fp16[16, 32] by fp16[16, 32]
    d = tl.dot(a, b.to(tl.float32))  # error: 9: tl.dot does not multiply fp16 by fp32
    f = tl.dot(a, b, out_dtype=tl.bfloat16)  # error: 9: the product cannot have the type bf16
    g = tl.dot(a, b, tl.zeros([16, 16], tl.bfloat16))  # error: 9: tl.dot: the accumulator is bf16[16, 16], the product fp32[16, 16]
    h = tl.dot(a, b, input_precision="tf32", allow_tf32=True)  # error: 9: tl.dot: give input_precision or allow_tf32, not both
    i = tl.dot(a, b, input_precision="fp19")  # error: 9: tl.dot: input_precision is 'fp19'; it can be 'tf32', 'tf32x3', 'ieee', 'bf16x3', 'bf16x6'
    j = tl.dot(a.to(tl.int32), b.to(tl.int32))  # error: 9: tl.dot does not multiply int32 by int32
    k = tl.dot(a.to(tl.float8e5), b.to(tl.float8e5), max_num_imprecise_acc=64)  # error: 9: max_num_imprecise_acc (64) must be <= K (32)
    s = tl.zeros([16, 2], tl.uint8)
    m = tl.dot_scaled(a, s, "e4m3", b, s, "e4m3")  # error: 9: tl.dot_scaled: lhs of format e4m3 cannot be fp16[16, 32]
    u = tl.zeros([16, 32], tl.uint8)
    v = tl.zeros([32, 16], tl.uint8)
    o = tl.dot_scaled(u, s, "e4m3", v, s, "e4m3")  # error: 9: tl.dot_scaled: lhs_scale must be a tensor of shape [16, 1], and is uint8[16, 2]
    r = tl.dot_scaled(u, None, "e4m3", v, None, "e4m3", lhs_k_pack=False)  # error: 9: tl.dot_scaled: only e2m1 may be packed along another dimension than K
