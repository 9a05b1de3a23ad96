// Bytes that are widened for a dot. Where their words lie along K, a thread holds four neighbours along K; where they lie along the columns it
// holds two columns side by side, for ldmatrix.trans, and so does the result.
// run: codegen_tool --target sm_80 --warps 4 --pass accelerate-matmul %s
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#along_n = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#along_k = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[ACC:.*]] = #ttg.linear<{register = {{\[}}[0, 2], [8, 0], [0, 1], [0, 32], [32, 0]], lane = {{\[}}[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = {{\[}}[0, 16], [16, 0]]
// CHECK-DAG: #[[B:.*]] = #ttg.linear<{register = {{\[}}[1, 0], [8, 0], [0, 1], [0, 32], [16, 0]], lane = {{\[}}[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = {{\[}}[0, 16], [0, 0]]
// CHECK-DAG: #[[BK:.*]] = #ttg.linear<{register = {{\[}}[1, 0], [2, 0], [16, 0], [0, 16], [0, 32]], lane = {{\[}}[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[}}[0, 8], [0, 0]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @columns
  // CHECK: tt.dot {{.*}} * tensor<32x64xf16, #[[B]]> -> tensor<64x64xf32, #[[ACC]]>
  tt.func private @columns(%a: tensor<64x32xf16, #rows>, %p: tensor<32x64x!tt.ptr<i8>, #along_n>, %c: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #rows> {
    %w = tt.load %p : tensor<32x64x!tt.ptr<i8>, #along_n>
    %h = arith.sitofp %w : tensor<32x64xi8, #along_n> to tensor<32x64xf16, #along_n>
    %b = ttg.convert_layout %h : tensor<32x64xf16, #along_n> -> tensor<32x64xf16, #rows>
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf16, #rows> * tensor<32x64xf16, #rows> -> tensor<64x64xf32, #rows>
    tt.return %d : tensor<64x64xf32, #rows>
  }
  // CHECK-LABEL: @words
  // CHECK: tt.dot {{.*}} * tensor<32x64xf16, #[[BK]]> ->
  tt.func private @words(%a: tensor<64x32xf16, #rows>, %p: tensor<32x64x!tt.ptr<i8>, #along_k>, %c: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #rows> {
    %w = tt.load %p : tensor<32x64x!tt.ptr<i8>, #along_k>
    %h = arith.sitofp %w : tensor<32x64xi8, #along_k> to tensor<32x64xf16, #along_k>
    %b = ttg.convert_layout %h : tensor<32x64xf16, #along_k> -> tensor<32x64xf16, #rows>
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf16, #rows> * tensor<32x64xf16, #rows> -> tensor<64x64xf32, #rows>
    tt.return %d : tensor<64x64xf32, #rows>
  }
}
