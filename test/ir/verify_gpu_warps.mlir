// Regions with warps of their own: arguments, terminators, and nothing from outside.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%i: i32) {
    %17 = ttg.warp_specialize(%i)  // error: 11: ttg.warp_specialize: the number of arguments of partition 0 must be 1; found 0  // error: 11: ttg.warp_specialize: the warps of partition 1 must be a power of two, at most 32; found 3
    default {
      ttg.warp_yield  // error: 7: ttg.warp_yield: the number of operands must be 1; found 0
    }
    partition0() num_warps(4) {
      ttg.warp_return
    }
    partition1(%x: i32) num_warps(3) {
      %y = arith.addi %x, %i : i32  // error: 12: arith.addi: operand 1 is used where it is not defined
      tt.return  // error: 7: tt.return: the block must end in ttg.warp_return
    } : (i32) -> i32
    ttg.warp_specialize() attributes {actualRegisters = array<i32: 216>}  // error: 5: ttg.warp_specialize: the length of 'actualRegisters' must be 2; found 1
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    "ttg.warp_specialize.partitions"() ({  // error: 5: ttg.warp_specialize.partitions: it must be in the second region of ttg.warp_specialize  // error: 5: ttg.warp_specialize.partitions: only the last operation of a block may end it
      ttg.warp_return
    }) : () -> ()
    tt.return
  }
}
