// Two operands share the barrier. The function does not commute bit for bit (a NaN leaves the second one), and every lane still gets
// the same: within a warp only one lane is read, across warps all read the same.
// options: --emit llir
#row = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<1024xf32, #row>, %i: tensor<1024xi32, #row>) {
    // CHECK-COUNT-10: call i32 @neso.shfl_bfly(
    // CHECK: store float
    // CHECK: store i32
    // CHECK: call void @neso.barrier()
    // CHECK: load <4 x i32>
    // CHECK: load <4 x i32>
    // CHECK-NOT: barrier
    // CHECK-NOT: shfl
    %0:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %p: i32, %b: f32, %q: i32):
      %more = arith.cmpf ogt, %a, %b : f32
      %c = arith.select %more, %a, %b : f32
      %r = arith.select %more, %p, %q : i32
      tt.reduce.return %c, %r : f32, i32
    }) {allocation.offset = 0 : i32} : (tensor<1024xf32, #row>, tensor<1024xi32, #row>) -> (f32, i32)
    // CHECK: call void @use(
    tt.call @use(%0#0, %0#1) : (f32, i32) -> ()
    tt.return
  }
  tt.func private @use(%a0: f32, %a1: i32) attributes {noinline = true} {
    tt.return
  }
}
