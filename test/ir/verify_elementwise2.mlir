// Ops of many operands that work element by element, and constants.
tt.func @f(%i: i32, %f: f32, %t: tensor<4xi32>, %u: tensor<8xi32>, %x: tensor<4xf32>, %p: !tt.ptr<f32>, %bp: !tt.ptr<tensor<4xf32>>) {
  %0 = "arith.constant"() <{value = 1 : i32}> : () -> i64  // error: 8: arith.constant: the result must be i32; found i64
  %1 = "arith.constant"() : () -> i64  // error: 8: arith.constant: attribute 'value' is missing
  %2 = "tt.addptr"(%p, %f) : (!tt.ptr<f32>, f32) -> !tt.ptr<f32>  // error: 8: tt.addptr: operand 1 must be integers; found f32
  %3 = "tt.addptr"(%p, %t) : (!tt.ptr<f32>, tensor<4xi32>) -> !tt.ptr<f32>  // error: 8: tt.addptr: the shape of operand 1 must be as that of operand 0, !tt.ptr<f32>; found tensor<4xi32>
  %4 = "tt.addptr"(%bp, %i) : (!tt.ptr<tensor<4xf32>>, i32) -> !tt.ptr<tensor<4xf32>>  // error: 8: tt.addptr: operand 0 must be pointers; found !tt.ptr<tensor<4xf32>>  // error: 8: tt.addptr: result 0 must be pointers; found !tt.ptr<tensor<4xf32>>
  %5 = "tt.extern_elementwise"(%x, %u) <{libname = "", libpath = "", symbol = "f", pure = true}> : (tensor<4xf32>, tensor<8xi32>) -> tensor<4xf32>  // error: 8: tt.extern_elementwise: the shape of operand 1 must be that of tensor<4xf32>; found tensor<8xi32>
  %6 = "tt.extern_elementwise"(%x) <{libname = "", libpath = "", pure = true}> : (tensor<4xf32>) -> tensor<4xf32>  // error: 8: tt.extern_elementwise: attribute 'symbol' is missing
  %7 = "tt.elementwise_inline_asm"(%x) <{asm_string = "", constraints = "", pure = true, packed_element = 0 : i32}> : (tensor<4xf32>) -> tensor<4xf32>  // error: 8: tt.elementwise_inline_asm: attribute 'packed_element' must be at least 1; found 0
  %8 = "tt.elementwise_inline_asm"(%x) <{asm_string = "", constraints = "", pure = true, packed_element = 1 : i32}> : (tensor<4xf32>) -> tensor<8xf32>  // error: 8: tt.elementwise_inline_asm: the shape of result 0 must be that of tensor<4xf32>; found tensor<8xf32>
  %9 = "tt.clampf"(%f, %f, %f) : (f32, f32, f32) -> f32  // error: 8: tt.clampf: attribute 'propagateNan' is missing
  %10 = "tt.clampf"(%f, %f, %f) <{propagateNan = 7 : i32}> : (f32, f32, f32) -> f32  // error: 9: tt.clampf: attribute 'propagateNan' must be a value of its enumeration; found 7 : i32
  %11 = "tt.get_program_id"() <{axis = 3 : i32}> : () -> i32  // error: 9: tt.get_program_id: attribute 'axis' must be a value of its enumeration; found 3 : i32
  %12 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i64  // error: 9: tt.get_program_id: result 0 must be i32; found i64
  "tt.print"(%i) <{prefix = "", hex = false, isSigned = array<i32>}> : (i32) -> ()  // error: 3: tt.print: the length of 'isSigned' must be 1; found 0
  "tt.assert"(%i) <{message = ""}> : (i32) -> ()  // error: 3: tt.assert: operand 0 must be i1, or a tile of it; found i32
  "tt.assert"(%t) : (tensor<4xi32>) -> ()  // error: 3: tt.assert: attribute 'message' is missing  // error: 3: tt.assert: operand 0 must be i1, or a tile of it; found tensor<4xi32>
  %13 = "tt.histogram"(%x) : (tensor<4xf32>) -> tensor<4xi32>  // error: 9: tt.histogram: the element of operand 0 must be an integer; found f32
  tt.return
}
