// Block pointers and tensor descriptors.
tt.func @f(%p: !tt.ptr<f32>, %ph: !tt.ptr<f16>, %i: i32, %l: i64, %bp: !tt.ptr<tensor<4x4xf32>>, %d: !tt.tensordesc<tensor<4x4xf32>>, %r: !tt.tensordesc<tensor<1x4xf32>>, %x: tensor<4x4xf32>, %y: tensor<4x8xf32>, %n: tensor<8xi32>, %n2: tensor<2x4xi32>, %w: tensor<8xi64>) {
  %0 = tt.make_tensor_ptr %p, [%l], [%l], [%i] {order = array<i32: 1, 0>} : <tensor<4x4xf32>>  // error: 8: tt.make_tensor_ptr: the number of operands must be 7; found 4
  %1 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l], [%i, %i] {order = array<i32: 1, 1>} : <tensor<4x4xf32>>  // error: 8: tt.make_tensor_ptr: attribute 'order' must be an order of 2 dimensions; found array<i32: 1, 1>
  %2 = "tt.make_tensor_ptr"(%ph, %l, %l, %i) <{order = array<i32: 0>, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!tt.ptr<f16>, i64, i64, i32) -> !tt.ptr<tensor<4xf32>>  // error: 8: tt.make_tensor_ptr: what operand 0 points to must be f32; found f16
  %3 = "tt.make_tensor_ptr"(%p, %i, %l, %i) <{order = array<i32: 0>, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!tt.ptr<f32>, i32, i64, i32) -> !tt.ptr<tensor<4xf32>>  // error: 8: tt.make_tensor_ptr: operand 1 must be i64; found i32
  %4 = tt.advance %bp, [%i] : <tensor<4x4xf32>>  // error: 8: tt.advance: the number of offsets must be 2; found 1
  %5 = "tt.advance"(%p, %i) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>  // error: 8: tt.advance: operand 0 must be a block pointer; found !tt.ptr<f32>  // error: 8: tt.advance: result 0 must be a block pointer; found !tt.ptr<f32>
  %6 = tt.make_tensor_descriptor %p, [%i], [%l] : <f32>, <tensor<4x4xf32>>  // error: 8: tt.make_tensor_descriptor: the number of operands must be 5; found 3
  %7 = tt.make_tensor_descriptor %ph, [%i], [%l] : <f16>, <tensor<4xf32>>  // error: 8: tt.make_tensor_descriptor: what operand 0 points to must be f32; found f16
  %8 = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<4x4xf32>> -> tensor<4x4xf32>  // error: 8: tt.descriptor_load: the number of indices must be 2; found 1
  %9 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<4x4xf32>> -> tensor<4x8xf32>  // error: 8: tt.descriptor_load: the number of elements of the result must be 16; found 32
  tt.descriptor_store %d[%i, %i], %y : !tt.tensordesc<tensor<4x4xf32>>, tensor<4x8xf32>  // error: 3: tt.descriptor_store: the number of elements of operand 1 must be 16; found 32
  tt.descriptor_store %d[%i], %x : !tt.tensordesc<tensor<4x4xf32>>, tensor<4x4xf32>  // error: 3: tt.descriptor_store: the number of indices must be 2; found 1
  "tt.descriptor_reduce"(%d, %x, %i, %i) <{kind = 12 : i32}> : (!tt.tensordesc<tensor<4x4xf32>>, tensor<4x4xf32>, i32, i32) -> ()  // error: 3: tt.descriptor_reduce: attribute 'kind' must be a value of its enumeration; found 12 : i32
  %10 = tt.descriptor_gather %d[%n, %i] : (!tt.tensordesc<tensor<4x4xf32>>, tensor<8xi32>, i32) -> tensor<8x4xf32>  // error: 9: tt.descriptor_gather: dimension 0 of the descriptor's block must be 1; found 4
  %11 = tt.descriptor_gather %r[%n, %i] : (!tt.tensordesc<tensor<1x4xf32>>, tensor<8xi32>, i32) -> tensor<4x4xf32>  // error: 9: tt.descriptor_gather: the result must be tensor<8x4xf32>; found tensor<4x4xf32>
  %12 = tt.descriptor_gather %r[%n2, %i] : (!tt.tensordesc<tensor<1x4xf32>>, tensor<2x4xi32>, i32) -> tensor<8x4xf32>  // error: 9: tt.descriptor_gather: the rank of operand 1 must be 1; found 2
  %13 = tt.descriptor_gather %r[%w, %i] : (!tt.tensordesc<tensor<1x4xf32>>, tensor<8xi64>, i32) -> tensor<8x4xf32>  // error: 9: tt.descriptor_gather: the element of operand 1 must be i32; found i64
  tt.descriptor_scatter %r[%n, %i], %x : !tt.tensordesc<tensor<1x4xf32>>, tensor<8xi32>, i32, tensor<4x4xf32>  // error: 3: tt.descriptor_scatter: operand 3 must be tensor<8x4xf32>; found tensor<4x4xf32>
  tt.return
}
