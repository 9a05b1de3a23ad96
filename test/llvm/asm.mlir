// Inline assembly: elements of less than 32 bits share registers, results come back the same way, what the thread lacks of a group is
// its last element again, and impure assembly keeps its place among memory accesses. Operands that are numbers are constants of the call.
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
    // A number stands in the text.
    // CHECK: call i32 asm "lop3.b32 $0, $1, $2, $3, $4;", "=r,r,n,n,n"(i32 %{{.*}}, i32 983055, i32 1677747200, i32 234)
    %mask = arith.constant dense<983055> : tensor<512xi32, #l>
    %magic = arith.constant dense<1677747200> : tensor<512xi32, #l>
    %table = arith.constant dense<234> : tensor<512xi32, #l>
    %e = tt.elementwise_inline_asm "lop3.b32 $0, $1, $2, $3, $4;" {constraints = "=r,r,n,n,n", packed_element = 1 : i32, pure = true} %y, %mask, %magic, %table : tensor<512xi32, #l>, tensor<512xi32, #l>, tensor<512xi32, #l>, tensor<512xi32, #l> -> tensor<512xi32, #l>
    tt.call @use3(%e) : (tensor<512xi32, #l>) -> ()
    tt.return
  }
  tt.func private @use(%a: tensor<512xi8, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @use3(%a: tensor<512xi32, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @use2(%a: i32, %b: f32) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
