// Loops and conditions: what they take, carry and yield.
tt.func @f(%i: i32, %l: i64, %f: f32, %b: i1, %t: tensor<4xf32>) {
  "scf.for"(%f, %f, %f) ({  // error: 3: scf.for: operand 0 must be integers; found f32  // error: 3: scf.for: operand 1 must be integers; found f32  // error: 3: scf.for: operand 2 must be integers; found f32
  ^bb0(%k: f32):
    scf.yield
  }) : (f32, f32, f32) -> ()
  "scf.for"(%i, %l, %i) ({  // error: 3: scf.for: operand 1 must be i32; found i64
  ^bb0(%k: i32):
    scf.yield
  }) : (i32, i64, i32) -> ()
  %0 = "scf.for"(%i, %i, %i, %f) ({  // error: 8: scf.for: the number of carried arguments must be 1; found 0
  ^bb0(%k: i32):
    scf.yield %f : f32
  }) : (i32, i32, i32, f32) -> f32
  %1 = "scf.for"(%i, %i, %i, %f) ({
  ^bb0(%k: i32, %c: f32):
    scf.yield %k : i32  // error: 5: scf.yield: operand 0 must be f32; found i32
  }) : (i32, i32, i32, f32) -> f32
  %2 = "scf.for"(%i, %i, %i, %f) ({  // error: 8: scf.for: result 0 must be f32; found i32
  ^bb0(%k: i32, %c: f32):
    scf.yield %c : f32  // error: 5: scf.yield: operand 0 must be i32; found f32
  }) : (i32, i32, i32, f32) -> i32
  "scf.if"(%i) ({  // error: 3: scf.if: operand 0 must be i1; found i32
    scf.yield
  }, {}) : (i32) -> ()
  %3 = "scf.if"(%b) ({  // error: 8: scf.if: region 1 is empty
    scf.yield %f : f32
  }, {}) : (i1) -> f32
  %4 = scf.if %b -> (f32) {
    scf.yield %f : f32
  } else {
    scf.yield %i : i32  // error: 5: scf.yield: operand 0 must be f32; found i32
  }
  %5 = scf.if %b -> (f32) {
    scf.yield  // error: 5: scf.yield: the number of operands must be 1; found 0
  } else {
    gpu.barrier  // error: 5: gpu.barrier: the block must end in scf.yield
  }
  %6 = scf.while (%k = %i) : (i32) -> f32 {
    scf.condition(%b) %k : i32  // error: 5: scf.condition: value 0 must be f32; found i32
  } do {
  ^bb0(%k: f32):
    scf.yield %k : f32  // error: 5: scf.yield: operand 0 must be i32; found f32
  }
  scf.while (%k = %i) : (i32) -> () {  // error: 3: scf.while: the number of 'after' arguments must be 0; found 1
    scf.yield  // error: 5: scf.yield: the block must end in scf.condition
  } do {
  ^bb0(%k: f32):
    scf.yield %i : i32
  }
  tt.return  // error: 3: tt.return: only the last operation of a block may end it
  gpu.barrier  // error: 3: gpu.barrier: the block must end in tt.return
}
