// Inline assembly: elements of less than 32 bits share registers, results come back the same way, what the thread lacks of a group is
// its last element again, and impure assembly keeps its place among memory accesses.
// options: --emit llir
#l = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<512xi8, #l>, %y: tensor<512xi32, #l>, %s: f32) {
    // CHECK: call i32 asm "not.b32 $0, $1;", "=r,r"(i32
    // CHECK-NOT: asm
    %a = tt.elementwise_inline_asm "not.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x : tensor<512xi8, #l> -> tensor<512xi8, #l>
    tt.call @use(%a) : (tensor<512xi8, #l>) -> ()
    // CHECK-COUNT-4: call { i32, i32 } asm sideeffect "mov.b32 $0, $2; mov.b32 $1, $2;", "=r,=r,r,~{memory}"(i32
    // CHECK-NOT: asm
    %b:2 = tt.elementwise_inline_asm "mov.b32 $0, $2; mov.b32 $1, $2;" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = false} %y : tensor<512xi32, #l> -> tensor<512xi32, #l>, tensor<512xi32, #l>
    // A 16-bit value in a register of 32: the high half is 0.
    // CHECK: zext i16
    // CHECK: call i32 asm "cvt.u32.u16 $0, $1;", "=r,r"(i32
    %h = arith.truncf %s : f32 to f16
    %c = tt.elementwise_inline_asm "cvt.u32.u16 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %h : f16 -> i32
    // CHECK: call float asm "neg.f32 $0, $1;", "=f,f"(float
    %d = tt.elementwise_inline_asm "neg.f32 $0, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %s : f32 -> f32
    tt.call @use2(%c, %d) : (i32, f32) -> ()
    tt.return
  }
  tt.func private @use(%a: tensor<512xi8, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @use2(%a: i32, %b: f32) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
