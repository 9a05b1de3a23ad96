// Constraints that do not go with the operands.
// options: --emit llir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: i32) {
    %a = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32  // error: 10: inline assembly: the constraints name 1 results and 2 operands, but there are 1 and 1 registers for 1 elements at a time
    tt.return
  }
}
