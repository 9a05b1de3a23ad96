// Shapes of results that follow from operands and attributes.
tt.func @f(%i: i32, %f: f32, %t: tensor<4xi32>, %q: tensor<4x8xf32>, %j: tensor<4x8xi32>, %two: tensor<4x2xf32>, %one: tensor<1x8xf32>) {
  %0 = "tt.make_range"() <{start = 4 : i32, end = 4 : i32}> : () -> tensor<4xi32>  // error: 8: tt.make_range: attribute 'end' must be above 4, the start; found 4
  %1 = "tt.make_range"() <{start = 0 : i32, end = 8 : i32}> : () -> tensor<4xi32>  // error: 8: tt.make_range: the result must be tensor<8xi32>; found tensor<4xi32>
  %2 = "tt.make_range"() <{start = 0 : i32, end = 12 : i32}> : () -> tensor<12xi32>  // error: 8: tt.make_range: result 0 must be a tile with a power of two of elements, at most 2^20; found tensor<12xi32>
  %3 = "tt.splat"(%f) : (f32) -> tensor<4xi32>  // error: 8: tt.splat: the element of the result must be f32; found i32
  %4 = "tt.splat"(%t) : (tensor<4xi32>) -> tensor<4xi32>  // error: 8: tt.splat: operand 0 must be a scalar or a pointer; found tensor<4xi32>
  %5 = "tt.unsplat"(%t) : (tensor<4xi32>) -> i32  // error: 8: tt.unsplat: the number of elements of operand 0 must be 1; found 4
  %6 = "tt.expand_dims"(%t) <{axis = 2 : i32}> : (tensor<4xi32>) -> tensor<4x1xi32>  // error: 8: tt.expand_dims: attribute 'axis' must be from 0 to 1; found 2
  %7 = "tt.expand_dims"(%t) <{axis = 0 : i32}> : (tensor<4xi32>) -> tensor<4x1xi32>  // error: 8: tt.expand_dims: the result must be tensor<1x4xi32>; found tensor<4x1xi32>
  %8 = "tt.broadcast"(%one) : (tensor<1x8xf32>) -> tensor<4x16xf32>  // error: 8: tt.broadcast: dimension 1 of the result must be 8; found 16
  %9 = "tt.broadcast"(%t) : (tensor<4xi32>) -> tensor<4x4xi32>  // error: 8: tt.broadcast: the rank of the result must be 1; found 2
  %10 = "tt.reshape"(%q) : (tensor<4x8xf32>) -> tensor<4x4xf32>  // error: 9: tt.reshape: the number of elements of the result must be 32; found 16
  %11 = "tt.trans"(%q) <{order = array<i32: 0, 0>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>  // error: 9: tt.trans: attribute 'order' must be an order of 2 dimensions; found array<i32: 0, 0>
  %12 = "tt.trans"(%q) <{order = array<i32: 1, 0>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>  // error: 9: tt.trans: the result must be tensor<8x4xf32>; found tensor<4x8xf32>
  %13 = "tt.cat"(%q, %q) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>  // error: 9: tt.cat: the number of elements of the result must be 64; found 32
  %14 = "tt.join"(%q, %q) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>  // error: 9: tt.join: the result must be tensor<4x8x2xf32>; found tensor<2x4x8xf32>
  %15:2 = "tt.split"(%q) : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>)  // error: 11: tt.split: the last dimension of operand 0 must be 2; found 8
  %16:2 = "tt.split"(%two) : (tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4xi32>)  // error: 11: tt.split: result 1 must be tensor<4xf32>; found tensor<4xi32>
  %17 = "tt.gather"(%q, %t) <{axis = 0 : i32}> : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4xf32>  // error: 9: tt.gather: the rank of operand 1 must be 2; found 1
  %18 = "tt.gather"(%q, %j) <{axis = 5 : i32}> : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>  // error: 9: tt.gather: attribute 'axis' must be from 0 to 1; found 5
  tt.return
}
