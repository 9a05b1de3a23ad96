// One instruction, its registers in the order of PTX.
// options: --target sm_80 --warps 1
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT: mma.sync
#a = #ttg.linear<{register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#b = #ttg.linear<{register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}>
#c = #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%a: tensor<16x8xf32, #a>, %b: tensor<8x8xf32, #b>, %c: tensor<16x8xf32, #c>) {
    %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x8xf32, #a> * tensor<8x8xf32, #b> -> tensor<16x8xf32, #c>
    tt.call @use(%0) : (tensor<16x8xf32, #c>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<16x8xf32, #c>) attributes {noinline = true} {
    tt.return
  }
}
