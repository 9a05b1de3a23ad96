// Products without a matrix instruction: fused multiply-adds up K, an fp16 sum in f32 that is rounded once, four int8 at a time.
// options: --emit llir --warps 1
#c = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = []}>
#a = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = []}>
#b = #ttg.linear<{register = [[0, 1], [1, 0], [2, 0]], lane = [[0, 2], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%a: tensor<16x4xf32, #a>, %b: tensor<4x4xf32, #b>, %c: tensor<16x4xf32, #c>, %ha: tensor<16x4xf16, #a>, %hb: tensor<4x4xf16, #b>, %hc: tensor<16x4xf16, #c>, %ia: tensor<16x4xi8, #a>, %ib: tensor<4x4xi8, #b>, %ic: tensor<16x4xi32, #c>) {
    // CHECK-COUNT-8: call float @llvm.fma.f32
    %0 = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<16x4xf32, #a> * tensor<4x4xf32, #b> -> tensor<16x4xf32, #c>
    // CHECK-COUNT-8: call float @llvm.fma.f32
    // CHECK: fptrunc <2 x float>
    %1 = tt.dot %ha, %hb, %hc, inputPrecision = tf32 : tensor<16x4xf16, #a> * tensor<4x4xf16, #b> -> tensor<16x4xf16, #c>
    // CHECK-COUNT-2: call i32 @neso.dp4a(
    // CHECK-NOT: dp4a
    %2 = tt.dot %ia, %ib, %ic, inputPrecision = tf32 : tensor<16x4xi8, #a> * tensor<4x4xi8, #b> -> tensor<16x4xi32, #c>
    // CHECK: call void @use(
    tt.call @use(%0, %1, %2) : (tensor<16x4xf32, #c>, tensor<16x4xf16, #c>, tensor<16x4xi32, #c>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<16x4xf32, #c>, %a1: tensor<16x4xf16, #c>, %a2: tensor<16x4xi32, #c>) attributes {noinline = true} {
    tt.return
  }
}
