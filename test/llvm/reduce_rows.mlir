// Eight rows over the lanes of a warp: lanes go on with half of the rows each, 4 + 2 + 1 shuffles, then two for the row that is left;
// eight give all rows to every lane.
// options: --emit llir
#x = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[8, 0], [16, 0]], block = []}>
#y = #ttg.linear<{register = [[1], [2], [4]], lane = [[0], [0], [0], [0], [0]], warp = [[8], [16]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<32x32xf32, #x>) {
    // CHECK-COUNT-4: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 1, i32 31)
    // CHECK-COUNT-2: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 2, i32 31)
    // CHECK-COUNT-1: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 4, i32 31)
    // CHECK-COUNT-1: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 8, i32 31)
    // CHECK-COUNT-1: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 16, i32 31)
    // CHECK-NOT: shfl_bfly
    // CHECK-COUNT-8: call i32 @neso.shfl_idx(
    // CHECK-NOT: shfl
    // CHECK-NOT: barrier
    %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) {allocation.offset = 0 : i32} : (tensor<32x32xf32, #x>) -> tensor<32xf32, #y>
    // CHECK: call void @use(
    tt.call @use(%0) : (tensor<32xf32, #y>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<32xf32, #y>) attributes {noinline = true} {
    tt.return
  }
}
