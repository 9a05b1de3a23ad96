// A rounding mode that the hardware's conversion does not have.
// options: --emit llir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: f32) {
    %a = arith.truncf %x upward : f32 to f16  // error: 10: arith.truncf rounds to nearest even or towards zero here, and no other way
    tt.return
  }
}
