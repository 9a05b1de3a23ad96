# What is printed while compiling: tiles and scalars with upstream's words.
# run: neso compile %s:kernel --signature "*i32,i32,128" --emit ttir
import triton
import triton.language as tl


@triton.jit
def kernel(p, n, B: tl.constexpr):
    x = tl.load(p + tl.arange(0, B))
    # CHECK: {{^}} int32[constexpr[128]] B 128 int32[] pointer<int32>[]
    tl.static_print("", x, "B", B, n, p)
    # CHECK-NEXT: {{^}}int1[constexpr[4], constexpr[2]];
    tl.static_print(tl.arange(0, 4)[:, None] > tl.arange(0, 2)[None, :], end=";\n")
