# Where K is padded no conversion of bytes has the high half of a register with zeros: ptxas (12.8, 13.0) takes
# it for the constant 8. An e5m2 is moved; an e4m3 comes as 16 bits.
# run: for t in fp8e5 fp8e4nv; do neso compile %s:kernel --signature "*$t:16,*$t:16,*fp32:16,i32" --target sm_90a --num-warps 1 --num-stages 2 --emit ptx | sed "s/^/$t /"; done
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, o, n):
    # CHECK-NOT: fp8e5 {{.*}}.e5m2x2
    # CHECK-NOT: fp8e4nv {{.*}}{a, b}
    # CHECK: fp8e4nv {{.*}}cvt.rn.f16x2.e4m3x2 %r{{[0-9]+}}, %rs
    # CHECK-NOT: fp8e4nv {{.*}}{a, b}
    i, j, k = tl.arange(0, 16)[:, None], tl.arange(0, 24)[None, :], tl.arange(0, 48)
    acc = tl.full((16, 24), 0.0, tl.float32)
    for _ in range(0, n, 2):
        acc = tl.dot(tl.load(a + i * 48 + k[None, :]), tl.load(b + k[:, None] * 24 + j), acc)
    tl.store(o + i * 24 + j, acc)
