// Functions that are called have no warps with code of their own.
// options: --emit llir --warps 4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @f(%n: i32) {
    ttg.warp_specialize(%n)  // error: 5: 'ttg.warp_specialize' has no code: warps have code of their own in kernels alone, of one CTA
    default {
      ttg.warp_yield
    }
    partition0(%m: i32) num_warps(1) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
  tt.func public @k(%n: i32) {
    tt.call @f(%n) : (i32) -> ()
    tt.return
  }
}
