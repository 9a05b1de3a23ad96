// One instruction, its registers in the order of PTX.
// options: --target sm_80 --warps 1
// CHECK: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// CHECK-NOT: mma.sync
#a = #ttg.linear<{register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#b = #ttg.linear<{register = [], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}>
#c = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%a: tensor<8x4xf64, #a>, %b: tensor<4x8xf64, #b>, %c: tensor<8x8xf64, #c>) {
    %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<8x4xf64, #a> * tensor<4x8xf64, #b> -> tensor<8x8xf64, #c>
    tt.call @use(%0) : (tensor<8x8xf64, #c>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<8x8xf64, #c>) attributes {noinline = true} {
    tt.return
  }
}
