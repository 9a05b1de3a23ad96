// Loads, stores and atomics.
tt.func @f(%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf32>, %y: tensor<8xf32>, %i: tensor<4xi32>, %m: tensor<8xi1>, %k: tensor<4xi1>, %bp: !tt.ptr<tensor<4xf32>>, %pi: tensor<4x!tt.ptr<i32>>, %n: i32) {
  %0 = "tt.load"(%x) : (tensor<4xf32>) -> tensor<4xf32>  // error: 8: tt.load: operand 0 must be pointers; found tensor<4xf32>
  %1 = "tt.load"(%p) : (tensor<4x!tt.ptr<f32>>) -> tensor<4xi32>  // error: 8: tt.load: the result must be tensor<4xf32>; found tensor<4xi32>
  %2 = "tt.load"(%p, %m) : (tensor<4x!tt.ptr<f32>>, tensor<8xi1>) -> tensor<4xf32>  // error: 8: tt.load: the shape of the mask, operand 1, must be that of tensor<4x!tt.ptr<f32>>; found tensor<8xi1>
  %3 = "tt.load"(%p, %k, %i) : (tensor<4x!tt.ptr<f32>>, tensor<4xi1>, tensor<4xi32>) -> tensor<4xf32>  // error: 8: tt.load: operand 2 must be tensor<4xf32>; found tensor<4xi32>
  %4 = "tt.load"(%p, %i) : (tensor<4x!tt.ptr<f32>>, tensor<4xi32>) -> tensor<4xf32>  // error: 8: tt.load: operand 1 must be i1, or a tile of it; found tensor<4xi32>
  %5 = "tt.load"(%bp, %k) : (!tt.ptr<tensor<4xf32>>, tensor<4xi1>) -> tensor<4xf32>  // error: 8: tt.load: a block pointer's access must be without a mask; found tensor<4xi1>
  %6 = "tt.load"(%p) <{boundaryCheck = array<i32: 0>}> : (tensor<4x!tt.ptr<f32>>) -> tensor<4xf32>  // error: 8: tt.load: attribute 'boundaryCheck' must be empty but for block pointers; found 1 dimensions
  %7 = "tt.load"(%bp) <{boundaryCheck = array<i32: 1>}> : (!tt.ptr<tensor<4xf32>>) -> tensor<4xf32>  // error: 8: tt.load: a dimension of 'boundaryCheck' must be from 0 to 0; found 1
  %8 = "tt.load"(%p) <{cache = 9 : i32}> : (tensor<4x!tt.ptr<f32>>) -> tensor<4xf32>  // error: 8: tt.load: attribute 'cache' must be a value of its enumeration; found 9 : i32
  "tt.store"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()  // error: 3: tt.store: operand 0 must be pointers; found tensor<4xf32>
  "tt.store"(%p, %y) : (tensor<4x!tt.ptr<f32>>, tensor<8xf32>) -> ()  // error: 3: tt.store: operand 1 must be tensor<4xf32>; found tensor<8xf32>
  "tt.store"(%p, %x, %m) : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<8xi1>) -> ()  // error: 3: tt.store: the shape of the mask, operand 2, must be that of tensor<4x!tt.ptr<f32>>; found tensor<8xi1>
  "tt.store"(%bp, %x) <{boundaryCheck = array<i32: -1>}> : (!tt.ptr<tensor<4xf32>>, tensor<4xf32>) -> ()  // error: 3: tt.store: a dimension of 'boundaryCheck' must be from 0 to 0; found -1
  %9 = "tt.atomic_rmw"(%p, %i) <{atomic_rmw_op = 5 : i32, sem = 1 : i32, scope = 1 : i32}> : (tensor<4x!tt.ptr<f32>>, tensor<4xi32>) -> tensor<4xf32>  // error: 8: tt.atomic_rmw: operand 1 must be tensor<4xf32>; found tensor<4xi32>
  %10 = "tt.atomic_rmw"(%p, %x) <{atomic_rmw_op = 4 : i32, sem = 1 : i32, scope = 1 : i32}> : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>) -> tensor<4xf32>  // error: 9: tt.atomic_rmw: the element of operand 1 must be an integer; found f32
  %11 = "tt.atomic_rmw"(%pi, %i) <{atomic_rmw_op = 5 : i32, sem = 1 : i32, scope = 1 : i32}> : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>) -> tensor<4xi32>  // error: 9: tt.atomic_rmw: the element of operand 1 must be a float; found i32
  %12 = "tt.atomic_rmw"(%pi, %i, %m) <{atomic_rmw_op = 4 : i32, sem = 1 : i32, scope = 1 : i32}> : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>, tensor<8xi1>) -> tensor<4xi32>  // error: 9: tt.atomic_rmw: the shape of the mask, operand 2, must be that of tensor<4x!tt.ptr<i32>>; found tensor<8xi1>
  %13 = "tt.atomic_cas"(%pi, %i, %x) <{sem = 1 : i32, scope = 1 : i32}> : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xi32>  // error: 9: tt.atomic_cas: operand 2 must be tensor<4xi32>; found tensor<4xf32>
  tt.return
}
