// A value of a block that never runs is not there where the program goes on; within such blocks values are not looked at.
// exit: 1
tt.func @f(%a: i32) {
  cf.br ^bb3
^bb1:
  %0 = arith.addi %a, %a : i32
  cf.br ^bb2
^bb2:
  %1 = arith.addi %0, %a : i32
  cf.br ^bb3
^bb3:
  %2 = arith.addi %0, %a : i32  // error: 8: arith.addi: operand 0 is used where it is not defined
  tt.return
}
