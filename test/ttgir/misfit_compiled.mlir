// Layouts that do not go with one another are found before anything is lowered.
// run: codegen_tool --emit ptx %s
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<16x32xf32, #b>) {
    %y = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x32xf32, #b> -> tensor<32x16xf32, #b>  // error: 10: tt.trans: the layout of result 0 does not follow from that of operand 0
    tt.return
  }
}
