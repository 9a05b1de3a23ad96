// Products: K, M, N, the batch, element types, scales.
tt.func @f(%a: tensor<16x64xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %b64: tensor<64x16xf16>, %c8: tensor<8x16xf32>, %v: tensor<16xf32>, %b32: tensor<64x16xf32>, %bi: tensor<64x16xi16>, %a3: tensor<2x16x64xf16>, %b3: tensor<4x64x16xf16>, %c3: tensor<2x16x16xf32>, %s: tensor<16x4xi8>, %c32: tensor<16x32xf32>) {
  %0 = "tt.dot"(%a, %b, %c) : (tensor<16x64xf16>, tensor<32x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>  // error: 8: tt.dot: K of operand 1 must be 64, as in operand 0; found 32
  %1 = "tt.dot"(%a, %b64, %c8) : (tensor<16x64xf16>, tensor<64x16xf16>, tensor<8x16xf32>) -> tensor<8x16xf32>  // error: 8: tt.dot: M of operand 2 must be 16, as in operand 0; found 8
  %2 = "tt.dot"(%a, %b64, %c32) : (tensor<16x64xf16>, tensor<64x16xf16>, tensor<16x32xf32>) -> tensor<16x32xf32>  // error: 8: tt.dot: N of operand 2 must be 16, as in operand 1; found 32
  %3 = "tt.dot"(%v, %v, %v) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>  // error: 8: tt.dot: the rank of operand 0 must be 2 or 3; found 1
  %4 = "tt.dot"(%a, %b32, %c) : (tensor<16x64xf16>, tensor<64x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>  // error: 8: tt.dot: the bits of the elements of operand 1 must be 16; found 32
  %5 = "tt.dot"(%a, %bi, %c) : (tensor<16x64xf16>, tensor<64x16xi16>, tensor<16x16xf32>) -> tensor<16x16xf32>  // error: 8: tt.dot: the element of operand 1 must be a float, as that of operand 0; found i16
  %6 = "tt.dot"(%a3, %b3, %c3) : (tensor<2x16x64xf16>, tensor<4x64x16xf16>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>  // error: 8: tt.dot: the batch of operand 1 must be 2, as in operand 0; found 4
  %7 = "tt.dot"(%a3, %b64, %c) : (tensor<2x16x64xf16>, tensor<64x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>  // error: 8: tt.dot: the rank of operand 1 must be 3; found 2
  %8 = "tt.dot"(%a, %b64, %c) : (tensor<16x64xf16>, tensor<64x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf16>  // error: 8: tt.dot: the result must be tensor<16x16xf32>; found tensor<16x16xf16>
  %9 = "tt.dot"(%a, %b64, %c) <{inputPrecision = 9 : i32}> : (tensor<16x64xf16>, tensor<64x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>  // error: 8: tt.dot: attribute 'inputPrecision' must be a value of its enumeration; found 9 : i32
  %10 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xf16>, tensor<16x4xi8> * tensor<32x16xf16> -> tensor<16x16xf32>  // error: 9: tt.dot_scaled: K of operand 1 must be 64, as in operand 0; found 32
  %11 = tt.dot_scaled %a, %b64 scale %s, %c8 lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xf16> * tensor<64x16xf16>, tensor<16x4xi8> -> tensor<8x16xf32>  // error: 9: tt.dot_scaled: M of operand 2 must be 16, as in operand 0; found 8
  %12 = tt.dot_scaled %a scale %v, %b64, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xf16>, tensor<16xf32> * tensor<64x16xf16> -> tensor<16x16xf32>  // error: 9: tt.dot_scaled: the rank of the scale of operand 0 must be 2; found 1
  %13 = tt.dot_scaled %a scale %c, %b64, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xf16>, tensor<16x16xf32> * tensor<64x16xf16> -> tensor<16x16xf32>  // error: 9: tt.dot_scaled: dimension 1 of the scale of operand 0 must be K / 32 or K / 16, K being 64; found 16
  %14 = tt.dot_scaled %a, %b64, %c32 lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x32xf32>  // error: 9: tt.dot_scaled: N of operand 2 must be 16, as in operand 1; found 32
  tt.return
}
