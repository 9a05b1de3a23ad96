// One instruction, its registers in the order of PTX.
// options: --target sm_80 --warps 1
// CHECK: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
// CHECK-NOT: mma.sync
#a = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#b = #ttg.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}>
#c = #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>, %c: tensor<16x8xf16, #c>) {
    %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x16xf16, #a> * tensor<16x8xf16, #b> -> tensor<16x8xf16, #c>
    tt.call @use(%0) : (tensor<16x8xf16, #c>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<16x8xf16, #c>) attributes {noinline = true} {
    tt.return
  }
}
