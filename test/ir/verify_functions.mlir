// Functions, calls, returns, branches, dominance.
tt.func private @g(%a: i32) -> f32 {
  tt.return %a : i32  // error: 3: tt.return: operand 0 must be f32; found i32
}
tt.func private @g(%a: i32) -> i32 {  // error: 1: tt.func: there is another function 'g'
  tt.return %a : i32
}
tt.func private @h(%a: i32, %b: f32) -> i32 {
  tt.return  // error: 3: tt.return: the number of operands must be 1; found 0
}
tt.func @f(%i: i32, %b: i1) {
  %0 = tt.call @nobody(%i) : (i32) -> i32  // error: 8: tt.call: there is no function 'nobody'
  %1 = tt.call @h(%i) : (i32) -> i32  // error: 8: tt.call: the number of operands must be 2; found 1
  %2 = tt.call @h(%i, %i) : (i32, i32) -> i32  // error: 8: tt.call: operand 1 must be f32; found i32
  %3 = tt.call @h(%i, %i) : (i32, i32) -> f32  // error: 8: tt.call: operand 1 must be f32; found i32  // error: 8: tt.call: result 0 must be i32; found f32
  scf.if %b {
    %5 = arith.addi %6, %i : i32  // error: 10: arith.addi: operand 0 is used where it is not defined
    %4 = arith.addi %i, %i : i32
  } else {
    %4 = arith.addi %i, %i : i32
  }
  %6 = arith.addi %i, %i : i32
  cf.cond_br %b, ^a(%i : i32), ^b  // error: 3: cf.cond_br: the number of successor 0's arguments must be 0; found 1
^a:
  %7 = arith.addi %i, %i : i32
  cf.br ^c(%b : i1)  // error: 3: cf.br: successor 0's argument 0 must be i32; found i1
^b:
  cf.br ^c(%i : i32)
^c(%x: i32):
  %8 = arith.addi %x, %7 : i32  // error: 8: arith.addi: operand 1 is used where it is not defined
  tt.return
}
"tt.func"() <{sym_name = "k", function_type = (i32) -> ()}> ({  // error: 1: tt.func: the number of arguments must be 1; found 0
  tt.return
}) : () -> ()
"tt.func"() <{sym_name = "n", function_type = i32}> ({  // error: 1: tt.func: attribute 'function_type' must be a function's type; found i32
  tt.return
}) : () -> ()
"tt.func"() <{sym_name = "o"}> ({  // error: 1: tt.func: attribute 'function_type' is missing
  tt.return
}) : () -> ()
gpu.barrier  // error: 1: gpu.barrier: only functions may stand in a module
tt.func @loops() {
  cf.br ^d
^d:
  gpu.barrier  // error: 3: gpu.barrier: the block must end in tt.return
}
