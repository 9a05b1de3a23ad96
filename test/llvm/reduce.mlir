// Reductions: terms in four chains, shuffles, one trip through shared memory, after which every thread adds up the warps' parts.
// options: --emit llir
#row = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#rows = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[8, 0], [16, 0]], block = []}>
#pairs = #ttg.linear<{register = [[1, 0]], lane = [[0, 1], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#slice = #ttg.linear<{register = [[1], [2], [4]], lane = [[0], [0], [0], [0], [0]], warp = [[8], [16]], block = []}>
#single = #ttg.linear<{register = [[1]], lane = [[0], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @use1(f32)
  // CHECK-LABEL: define ptx_kernel void @sum_of_squares(
  tt.func public @sum_of_squares(%p: !tt.ptr<f32>, %x: f32) {
    %s = tt.splat %x : f32 -> tensor<1024xf32, #row>
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #row>
    %f = arith.sitofp %r : tensor<1024xi32, #row> to tensor<1024xf32, #row>
    %m = arith.mulf %f, %s : tensor<1024xf32, #row>
    // CHECK-COUNT-4: call float @llvm.fma.f32
    // CHECK-NOT: llvm.fma
    // CHECK-COUNT-3: fadd
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 1, i32 31)
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 2, i32 31)
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 4, i32 31)
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 8, i32 31)
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 16, i32 31)
    // CHECK: store
    // CHECK: call void @neso.barrier()
    // CHECK: load
    // CHECK-NOT: neso.barrier
    // CHECK-NOT: neso.shfl
    // CHECK-COUNT-3: fadd
    // CHECK: ret void
    %0 = "tt.reduce"(%m) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) {allocation.offset = 0 : i32} : (tensor<1024xf32, #row>) -> f32
    tt.store %p, %0 : !tt.ptr<f32>
    tt.return
  }
}
