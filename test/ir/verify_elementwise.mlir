// Elementwise ops and conversions: classes of types, one type for all, results that follow.
tt.func @f(%i: i32, %l: i64, %f: f32, %h: f16, %b: i1, %t: tensor<4xi32>, %u: tensor<8xi32>, %x: tensor<4xf32>, %m: tensor<8xi1>, %p: !tt.ptr<f32>, %bp: !tt.ptr<tensor<4xf32>>) {
  %0 = "arith.addi"(%f, %f) : (f32, f32) -> f32  // error: 8: arith.addi: operand 0 must be integers; found f32  // error: 8: arith.addi: operand 1 must be integers; found f32  // error: 8: arith.addi: result 0 must be integers; found f32
  %1 = "arith.addi"(%i, %l) : (i32, i64) -> i32  // error: 8: arith.addi: operand 1 must be i32; found i64
  %2 = "arith.addi"(%i, %i) : (i32, i32) -> i64  // error: 8: arith.addi: the result must be i32; found i64
  %3 = "arith.addf"(%x, %f) : (tensor<4xf32>, f32) -> tensor<4xf32>  // error: 8: arith.addf: operand 1 must be tensor<4xf32>; found f32
  %4 = "arith.cmpi"(%t, %t) <{predicate = 2 : i64}> : (tensor<4xi32>, tensor<4xi32>) -> i1  // error: 8: arith.cmpi: the result must be tensor<4xi1>; found i1
  %5 = "arith.cmpi"(%i, %i) <{predicate = 12 : i64}> : (i32, i32) -> i1  // error: 8: arith.cmpi: attribute 'predicate' must be a value of its enumeration; found 12 : i32
  %6 = "arith.cmpi"(%i, %i) : (i32, i32) -> i1  // error: 8: arith.cmpi: attribute 'predicate' is missing
  %7 = "arith.extsi"(%l) : (i64) -> i32  // error: 8: arith.extsi: the element of the result must be wider than i64; found i32
  %8 = "arith.trunci"(%i) : (i32) -> i64  // error: 8: arith.trunci: the element of the result must be narrower than i32; found i64
  %9 = "arith.extf"(%h) : (f16) -> bf16  // error: 8: arith.extf: the element of the result must be wider than f16; found bf16
  %10 = "arith.sitofp"(%f) : (f32) -> f32  // error: 9: arith.sitofp: operand 0 must be integers; found f32
  %11 = "arith.bitcast"(%i) : (i32) -> f16  // error: 9: arith.bitcast: the bits of the result must be 32; found 16
  %12 = "tt.bitcast"(%p) : (!tt.ptr<f32>) -> i64  // error: 9: tt.bitcast: the result must be a pointer exactly when the operand is; found i64
  %13 = "tt.fp_to_fp"(%f) : (f32) -> f16  // error: 9: tt.fp_to_fp: attribute 'rounding' is missing where bits are lost
  %14 = "tt.ptr_to_int"(%p) : (!tt.ptr<f32>) -> i32  // error: 9: tt.ptr_to_int: the element of the address must be i64; found i32
  %15 = "arith.select"(%m, %t, %t) : (tensor<8xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>  // error: 9: arith.select: the shape of operand 1 must be as that of operand 0, tensor<8xi1>; found tensor<4xi32>  // error: 9: arith.select: the shape of operand 2 must be as that of operand 0, tensor<8xi1>; found tensor<4xi32>  // error: 9: arith.select: the shape of result 0 must be as that of operand 0, tensor<8xi1>; found tensor<4xi32>
  tt.return
}
