// Products of warp groups: shapes, what operands are, how many may be under way.
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%t: tensor<16x32xf16, #b>, %i: i32, %c: tensor<16x32xf32, #b>, %mu: !ttg.memdesc<16x32xf16, #s, #m, mutable>) {
    %0 = ttng.warp_group_dot %t, %mu, %c {inputPrecision = 0 : i32} : tensor<16x32xf16, #b> * !ttg.memdesc<16x32xf16, #s, #m, mutable> -> tensor<16x32xf32, #b>  // error: 10: ttng.warp_group_dot: K of operand 1 must be 32; found 16
    %1 = "ttng.warp_group_dot"(%i, %mu, %c) : (i32, !ttg.memdesc<16x32xf16, #s, #m, mutable>, tensor<16x32xf32, #b>) -> tensor<16x32xf32, #b>  // error: 10: ttng.warp_group_dot: operand 0 must be memory or a tile; found i32
    %2 = ttng.warp_group_dot_wait %c {pendings = 8 : i32} : tensor<16x32xf32, #b>  // error: 10: ttng.warp_group_dot_wait: attribute 'pendings' must be from 0 to 7; found 8
    %3 = "ttng.warp_group_dot_wait"(%c) <{pendings = 0 : i32}> : (tensor<16x32xf32, #b>) -> i32  // error: 10: ttng.warp_group_dot_wait: result 0 must be tensor<16x32xf32
    ttng.fence_async_shared {bCluster = false}
    tt.return
  }
}
