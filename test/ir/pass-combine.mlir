// Ops of the tile language merged: dot and add (only when the dot is used once), load and select, pointer sums.
// run: neso opt --pass=combine --no-loc %s
module {
  // CHECK-LABEL: @dots
  // CHECK: %[[D:.*]] = tt.dot %a, %b, %c, inputPrecision = tf32
  // CHECK-NEXT: %[[T:.*]] = tt.dot %a, %b, %{{.*}}
  // CHECK-NEXT: arith.addf %[[T]], %[[T]]
  tt.func public @dots(%p: tensor<16x16x!tt.ptr<f32>>, %a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>) {
    %z = arith.constant dense<0.0> : tensor<16x16xf32>
    %0 = tt.dot %a, %b, %z, inputPrecision = tf32 : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
    %1 = arith.addf %c, %0 : tensor<16x16xf32>
    %2 = tt.dot %a, %b, %z : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
    %3 = arith.addf %2, %2 : tensor<16x16xf32>
    tt.store %p, %1 : tensor<16x16x!tt.ptr<f32>>
    tt.store %p, %3 : tensor<16x16x!tt.ptr<f32>>
    tt.return
  }
  // A product does not go behind another one for the sake of a sum.
  // CHECK-LABEL: @late
  // CHECK: %[[E:.*]] = tt.dot %a, %b, %{{.*}}
  // CHECK: %[[F:.*]] = tt.dot %a, %b, %c
  // CHECK-NEXT: %[[G:.*]] = arith.mulf %[[F]], %c
  // CHECK-NEXT: arith.addf %[[E]], %[[G]]
  tt.func public @late(%p: tensor<16x16x!tt.ptr<f32>>, %a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>) {
    %z = arith.constant dense<0.0> : tensor<16x16xf32>
    %0 = tt.dot %a, %b, %z : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
    %1 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
    %2 = arith.mulf %1, %c : tensor<16x16xf32>
    %3 = arith.addf %0, %2 : tensor<16x16xf32>
    tt.store %p, %3 : tensor<16x16x!tt.ptr<f32>>
    tt.return
  }
  // 64-bit offsets add up; 32-bit ones could wrap unless both are constants.
  // CHECK-LABEL: @pointers
  // CHECK: %[[O:.*]] = arith.addi %i, %j : i64
  // CHECK-NEXT: tt.addptr %p, %[[O]] : !tt.ptr<f32>, i64
  // CHECK: tt.addptr %p, %k
  // CHECK-NEXT: tt.addptr %{{.*}}, %k
  tt.func public @pointers(%p: !tt.ptr<f32>, %i: i64, %j: i64, %k: i32, %v: f32) {
    %0 = tt.addptr %p, %i : !tt.ptr<f32>, i64
    %1 = tt.addptr %0, %j : !tt.ptr<f32>, i64
    tt.store %1, %v : !tt.ptr<f32>
    %2 = tt.addptr %p, %k : !tt.ptr<f32>, i32
    %3 = tt.addptr %2, %k : !tt.ptr<f32>, i32
    tt.store %3, %v : !tt.ptr<f32>
    tt.return
  }
  // A store in between keeps the load where it is.
  // CHECK-LABEL: @loads
  // CHECK: %[[L:.*]] = tt.load %p, %[[M:.*]], %x
  // CHECK-NEXT: tt.store %p, %[[L]]
  // CHECK: tt.load %p, %[[M]] :
  // CHECK: arith.select
  tt.func public @loads(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %x: tensor<8xf32>) {
    %m = tt.splat %c : i1 -> tensor<8xi1>
    %0 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    %1 = arith.select %c, %0, %x : tensor<8xf32>
    tt.store %p, %1 : tensor<8x!tt.ptr<f32>>
    %2 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    tt.store %p, %x : tensor<8x!tt.ptr<f32>>
    %3 = arith.select %c, %2, %x : tensor<8xf32>
    tt.store %p, %3 : tensor<8x!tt.ptr<f32>>
    tt.return
  }
  // Zero where the mask leaves out, computed twice: of the load. Not of a load with another value, nor of elements that the mask
  // lets through.
  // CHECK-LABEL: @left_out
  // CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00>
  // CHECK: %[[L:.*]] = tt.load %p, %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %p, %[[L]] : tensor<8x!tt.ptr<f32>>
  // CHECK: arith.select
  // CHECK: arith.select
  // CHECK: tt.return
  tt.func public @left_out(%p: tensor<8x!tt.ptr<f32>>, %i: tensor<8xi32>, %n: tensor<8xi32>, %more: tensor<8xi1>, %x: tensor<8xf32>) {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %a = arith.cmpi slt, %i, %n : tensor<8xi32>
    %b = arith.cmpi slt, %i, %n : tensor<8xi32>
    %m = arith.andi %more, %a : tensor<8xi1>
    %0 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    %1 = arith.select %b, %0, %zero : tensor<8xi1>, tensor<8xf32>
    tt.store %p, %1 : tensor<8x!tt.ptr<f32>>
    %2 = tt.load %p, %m, %x : tensor<8x!tt.ptr<f32>>
    %3 = arith.select %b, %2, %zero : tensor<8xi1>, tensor<8xf32>
    tt.store %p, %3 : tensor<8x!tt.ptr<f32>>
    %4 = tt.load %p, %a : tensor<8x!tt.ptr<f32>>
    %5 = arith.select %more, %4, %zero : tensor<8xi1>, tensor<8xf32>
    tt.store %p, %5 : tensor<8x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @product
  // CHECK: tt.dot %a, %b, %{{[a-z0-9_]*}} : tensor<16x8xf32> * tensor<8x32xf32> -> tensor<16x32xf32>
  tt.func public @product(%p: tensor<16x32x!tt.ptr<f32>>, %a: tensor<16x8xf32>, %b: tensor<8x32xf32>) {
    %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<16x8xf32> -> tensor<16x8x1xf32>
    %1 = tt.expand_dims %b {axis = 0 : i32} : tensor<8x32xf32> -> tensor<1x8x32xf32>
    %2 = tt.broadcast %0 : tensor<16x8x1xf32> -> tensor<16x8x32xf32>
    %3 = tt.broadcast %1 : tensor<1x8x32xf32> -> tensor<16x8x32xf32>
    %4 = arith.mulf %2, %3 : tensor<16x8x32xf32>
    %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tt.reduce.return %s : f32
    }) : (tensor<16x8x32xf32>) -> tensor<16x32xf32>
    tt.store %p, %5 : tensor<16x32x!tt.ptr<f32>>
    tt.return
  }
}
