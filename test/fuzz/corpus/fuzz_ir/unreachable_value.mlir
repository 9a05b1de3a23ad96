tt.func @f(%a: i32) {
  cf.br ^bb2
^bb1:
  %0 = arith.addi %a, %a : i32
  cf.br ^bb2
^bb2:
  %1 = arith.addi %0, %a : i32
  tt.return
}
