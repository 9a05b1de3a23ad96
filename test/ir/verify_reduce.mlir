// Reductions, scans, maps: axes, shapes, bodies.
tt.func @f(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>, %i: tensor<4x8xi32>) {
  %0 = "tt.reduce"(%x) <{axis = 2 : i32}> ({  // error: 8: tt.reduce: attribute 'axis' must be from 0 to 1; found 2
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = "tt.reduce"(%x) <{axis = 1 : i32}> ({  // error: 8: tt.reduce: result 0 must be tensor<4xf32>; found tensor<8xf32>
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  %2:2 = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({  // error: 10: tt.reduce: the shape of operand 1 must be as that of operand 0, tensor<4x8xf32>; found tensor<8x4xf32>
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<4x8xf32>, tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %3 = "tt.reduce"(%x) <{axis = 1 : i32}> ({  // error: 8: tt.reduce: the number of body arguments must be 2; found 1
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  %4:2 = "tt.reduce"(%x, %i) <{axis = 1 : i32}> ({  // error: 10: tt.reduce: body argument 1 must be i32; found f32  // error: 10: tt.reduce: body argument 2 must be f32; found i32
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    tt.reduce.return %a, %c : f32, i32
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %5 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    scf.yield %a : f32  // error: 5: scf.yield: the block must end in tt.reduce.return
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  %6 = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a, %b : f32, f32  // error: 5: tt.scan.return: the number of operands must be 1; found 2
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({  // error: 8: tt.scan: result 0 must be tensor<4x8xf32>; found tensor<8x4xf32>
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %8 = "tt.map_elementwise"(%x) <{pack = 0 : i32}> ({  // error: 8: tt.map_elementwise: attribute 'pack' must be from 1 to 1024; found 0
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %9 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %a : f32  // error: 5: tt.map_elementwise.return: the number of operands must be 2; found 1
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %10 = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({  // error: 9: tt.map_elementwise: attribute 'pack' must be a divisor of the last dim; found 3
  ^bb0(%a: f32, %b: f32, %c: f32):
    tt.map_elementwise.return %a, %b, %c : f32, f32, f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}
