# print of a text, and then numbers and tiles, is tl.device_print; other values become text.
# run: neso compile %s:kernel --signature "*fp32,2" --emit ttir-raw --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(x, N: tl.constexpr):
    # CHECK: %[[A:.*]] = arith.constant 1.500000e+00 : f32
    # CHECK: tt.print " a: " {hex = false, isSigned = array<i32: 0>} : %[[A]] : f32
    print("a", 1.5)
    # CHECK: tt.print " b: " {hex = false, isSigned = array<i32: 1, 1>} : %{{.*}}, %{{.*}} : i32, i32
    print("b", N, tl.program_id(0))
    # CHECK: tt.print " c: " {hex = true, isSigned = array<i32: 1>} : %{{.*}} : i32
    print("c", tl.program_id(0), hex=True)
    # CHECK: tt.print " d None 3" {hex = false, isSigned = array<i32>}
    print("d", None, 3)
    # CHECK: tt.print " e 2" {hex = false, isSigned = array<i32>}
    print(f"e {N}")
