// Reductions of a row: terms in four chains, where a sum of products is fused; shuffles; one trip through shared memory, after which
// every thread adds up the parts of the warps.
// options: --emit llir
#row = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%f: tensor<1024xf32, #row>, %g: tensor<1024xf32, #row>) {
    %x = arith.mulf %f, %g : tensor<1024xf32, #row>
    // CHECK-COUNT-4: call float @llvm.fma.f32
    // CHECK-NOT: llvm.fma
    // CHECK-COUNT-3: fadd
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 1, i32 31)
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 2, i32 31)
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 4, i32 31)
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 8, i32 31)
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 16, i32 31)
    // CHECK: store float
    // CHECK: call void @neso.barrier()
    // CHECK-NEXT: load <4 x i32>
    // CHECK-NOT: neso.barrier
    // CHECK-NOT: neso.shfl
    // CHECK: [[A:%.*]] = fadd
    // CHECK-NEXT: [[B:%.*]] = fadd
    // CHECK-NEXT: [[SUM:%.*]] = fadd {{.*}}float [[A]], [[B]]
    // CHECK: call void @use(float [[SUM]])
    %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) {allocation.offset = 0 : i32} : (tensor<1024xf32, #row>) -> f32
    tt.call @use(%0) : (f32) -> ()
    tt.return
  }
  tt.func private @use(%a0: f32) attributes {noinline = true} {
    tt.return
  }
}
