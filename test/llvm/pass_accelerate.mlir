// Dots get the layouts of mma.sync where there is an instruction, else squares of multiply-adds; warps are split so that least
// is loaded.
// run: codegen_tool --target sm_80 --warps 4 --pass accelerate-matmul %s
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[ACC:.*]] = #ttg.linear<{register = {{\[}}[0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[}}[0, 8], [16, 0]]
// CHECK-DAG: #[[A:.*]] = #ttg.linear<{register = {{\[}}[0, 1], [8, 0], [0, 8], [32, 0], [0, 16]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[}}[0, 0], [16, 0]]
// CHECK-DAG: #[[B:.*]] = #ttg.linear<{register = {{\[}}[1, 0], [8, 0], [0, 16], [0, 32], [16, 0]], lane = {{\[}}[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[}}[0, 8], [0, 0]]
// CHECK-DAG: #[[FMA:.*]] = #ttg.linear<{register = {{\[}}[0, 1], [0, 2], [1, 0], [2, 0], [0, 32]], lane = {{\[}}[0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warp = {{\[}}[16, 0], [32, 0]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @half
  // CHECK: ttg.convert_layout {{.*}} -> tensor<64x32xf16, #[[A]]>
  // CHECK: ttg.convert_layout {{.*}} -> tensor<32x64xf16, #[[B]]>
  // CHECK: tt.dot {{.*}} : tensor<64x32xf16, #[[A]]> * tensor<32x64xf16, #[[B]]> -> tensor<64x64xf32, #[[ACC]]>
  // CHECK: ttg.convert_layout {{.*}} : tensor<64x64xf32, #[[ACC]]> ->
  tt.func private @half(%a: tensor<64x32xf16, #b>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf16, #b> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #b>
    tt.return %d : tensor<64x64xf32, #b>
  }
  // Full fp32 has no instruction.
  // CHECK-LABEL: @ieee
  // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[FMA]]>
  tt.func private @ieee(%a: tensor<64x32xf32, #b>, %b: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
    %d = tt.dot %a, %b, %c : tensor<64x32xf32, #b> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #b>
    tt.return %d : tensor<64x64xf32, #b>
  }
}
