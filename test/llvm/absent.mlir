// What passes replace before: said at the op, where text has it all the same.
// options: --emit llir
#l = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%d: !tt.tensordesc<tensor<128xf32>>, %i: i32) {
    %t = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<128xf32>> -> tensor<128xf32, #l>  // error: 10: 'tt.descriptor_load' has no code: descriptors become pointers in TTIR (lower-descriptors), or copies of tensor maps (tensor-copies)
    tt.return
  }
}
