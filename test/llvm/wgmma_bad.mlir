// Memory that no descriptor says.
// options: --target sm_90a --warps 4
#t = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [32, 0]], block = []}>
#c = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#a = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !ttg.memdesc<64x128xf16, #a, #smem, mutable>, %y: !ttg.memdesc<128x64xf16, #a, #smem, mutable>, %c: tensor<64x64xf32, #c>) {
    %2 = ttng.warp_group_dot %x, %y, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xf16, #a, #smem, mutable> * !ttg.memdesc<128x64xf16, #a, #smem, mutable> -> tensor<64x64xf32, #c>  // error: 10: ttng.warp_group_dot: no wgmma takes these operands: operand 0 does not lie in memory as a descriptor can say
    tt.return
  }
}
