// Selection, and shapes that a conversion must keep.
tt.func @f(%i: i32, %l: i64, %b: i1, %t: tensor<4xi32>) {
  %16 = "arith.select"(%b, %i, %l) : (i1, i32, i64) -> i32  // error: 9: arith.select: operand 2 must be i32; found i64
  %17 = "arith.extsi"(%t) : (tensor<4xi32>) -> i64  // error: 9: arith.extsi: the shape of result 0 must be as that of operand 0, tensor<4xi32>; found i64
  "llvm.intr.assume"(%i) : (i32) -> ()  // error: 3: llvm.intr.assume: operand 0 must be i1; found i32
  %18 = "arith.select"(%i, %i, %i) : (i32, i32, i32) -> i32  // error: 9: arith.select: operand 0 must be i1, or a tile of it; found i32
  tt.return
}
