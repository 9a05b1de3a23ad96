// Multiply-adds of operands in any layout: both are put into shared memory, and a loop along K, which stays one, takes four of K
// at a time by whole vectors, four times in each turn. Conversions go, as operands come as they are loaded.
// run: codegen_tool --target sm_90a --warps 4 --pass accelerate-matmul,remove-layout-conversions --emit llir %s
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.linear<{register = [[0, 1], [0, 2], [0, 32], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @ieee(
  // The addend is converted.
  // CHECK: call void @neso.barrier
  // CHECK-COUNT-8: load <4 x i32>
  // CHECK: call void @neso.barrier
  // CHECK-COUNT-8: store <4 x float> {{.*}}, align 16
  // CHECK-NOT: store
  // CHECK: call void @neso.barrier
  // CHECK: br label %k
  // CHECK: k:
  // CHECK-NEXT: %[[ROUND:.*]] = phi i32 [ 0, {{.*}} ], [ %[[NEXT:.*]], %k ]
  // CHECK-COUNT-32: phi float
  // CHECK-COUNT-12: load <4 x i32>, {{.*}}, align 16
  // CHECK-NOT: load
  // CHECK-COUNT-128: call float @llvm.fma.f32
  // CHECK-COUNT-12: load <4 x i32>, {{.*}}, align 16
  // CHECK-COUNT-128: call float @llvm.fma.f32
  // CHECK-COUNT-12: load <4 x i32>, {{.*}}, align 16
  // CHECK-COUNT-128: call float @llvm.fma.f32
  // CHECK-COUNT-12: load <4 x i32>, {{.*}}, align 16
  // CHECK-COUNT-128: call float @llvm.fma.f32
  // CHECK-NOT: {{load|fma}}
  // CHECK: %[[NEXT]] = add {{.*}}i32 %[[ROUND]], 4
  // CHECK: br i1 {{.*}}label %k, !llvm.loop ![[LOOP:[0-9]+]]
  tt.func public @ieee(%a: tensor<64x32xf32, #b>, %b: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #c>) {
    %d = tt.dot %a, %b, %c : tensor<64x32xf32, #b> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #c>
    tt.call @use(%d) : (tensor<64x64xf32, #c>) -> ()
    tt.return
  }
  tt.func private @use(%d: tensor<64x64xf32, #c>) attributes {noinline = true} {
    tt.return
  }
}
// CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[STAYS:[0-9]+]]}
// CHECK: ![[STAYS]] = !{!"llvm.loop.unroll.disable"}
