// Layouts that do not go with one another are found after a pass.
// options: --pass=dce,coalesce --verify-each
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: f32) {
    %y = tt.splat %x : f32 -> tensor<64xf32, #b>  // error: 10: tt.splat: the layout of result 0 is for 32 lanes, 2 warps and 1 CTAs; there are 32, 4 and 1
    tt.print "x" {hex = false, isSigned = array<i32: 0>} : %y : tensor<64xf32, #b>
    tt.return
  }
}
