// Partitions have no tiles.
// options: --emit llir --warps 4
#l = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%n: i32) {
    ttg.warp_specialize(%n)
    default {
      ttg.warp_yield
    }
    partition0(%m: i32) num_warps(1) {
      %t = tt.splat %m : i32 -> tensor<32xi32, #l>  // error: 12: 'tt.splat' has no code: a partition computes scalars and issues copies
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}
