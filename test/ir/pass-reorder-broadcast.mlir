// Elementwise ops go to the scalars and small tiles that were spread.
// run: neso opt --pass=reorder-broadcast --no-loc %s
module {
  // CHECK-LABEL: @f
  // CHECK-DAG: %[[K:.*]] = arith.constant dense<2> : tensor<4x1xi32>
  // CHECK: %[[A:.*]] = arith.addi %x, %y : i32
  // CHECK-NEXT: %[[S:.*]] = tt.splat %[[A]] : i32 -> tensor<8xi32>
  // CHECK-NEXT: tt.print {{.*}}%[[S]]
  // CHECK: %[[M:.*]] = arith.muli %{{.*}}, %[[K]] : tensor<4x1xi32>
  // CHECK: %[[X:.*]] = tt.splat %x : i32 -> tensor<4x1xi32>
  // CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %[[M]], %[[X]] : tensor<4x1xi32>
  // CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[C]] : tensor<4x1xi1> -> tensor<4x8xi1>
  // CHECK-NEXT: tt.print {{.*}}%[[B]]
  tt.func public @f(%x: i32, %y: i32, %t: tensor<4xi32>) {
    %k = arith.constant dense<2> : tensor<4x8xi32>
    %0 = tt.splat %x : i32 -> tensor<8xi32>
    %1 = tt.splat %y : i32 -> tensor<8xi32>
    %2 = arith.addi %0, %1 : tensor<8xi32>
    tt.print "a" {hex = false, isSigned = array<i32: 1>} : %2 : tensor<8xi32>
    %3 = tt.expand_dims %t {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
    %4 = tt.broadcast %3 : tensor<4x1xi32> -> tensor<4x8xi32>
    %5 = arith.muli %4, %k : tensor<4x8xi32>
    %6 = tt.splat %x : i32 -> tensor<4x8xi32>
    %7 = arith.cmpi slt, %5, %6 : tensor<4x8xi32>
    tt.print "b" {hex = false, isSigned = array<i32: 1>} : %7 : tensor<4x8xi1>
    tt.return
  }
}
