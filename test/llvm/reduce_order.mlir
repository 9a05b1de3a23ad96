// Within one warp a function that does not commute: the first lane hands its result round.
// options: --emit llir
#x = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<32xf32, #x>) {
    // CHECK-COUNT-5: call i32 @neso.shfl_bfly(
    // CHECK: call i32 @neso.shfl_idx(i32 -1, i32 %{{.*}}, i32 0, i32 31)
    // CHECK-NOT: barrier
    %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.subf %a, %b : f32
      tt.reduce.return %c : f32
    }) {allocation.offset = 0 : i32} : (tensor<32xf32, #x>) -> f32
    // CHECK: call void @use(
    tt.call @use(%0) : (f32) -> ()
    tt.return
  }
  tt.func private @use(%a0: f32) attributes {noinline = true} {
    tt.return
  }
}
