// An operand that must be a number, and is not known when compiling.
// options: --emit llir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: i32) {
    %a = tt.elementwise_inline_asm "shl.b32 $0, $1, $2;" {constraints = "=r,r,n", packed_element = 1 : i32, pure = true} %x, %x : i32, i32 -> i32  // error: 10: inline assembly: operand 1 has the constraint 'n', but its value is not known when compiling
    tt.return
  }
}
