// A tile that is written from a loaded row on: through the map where the row is not negative, else by pointers. One that begins at a
// negative constant has no map.
// options: --pass=map-descriptors,lower-descriptors,canonicalize,dce --verify-each --no-loc --target sm_90a
module {
  // CHECK-LABEL: @loaded
  // CHECK-SAME: {neso.map = array<i64: 0, 5, 1, 1, 2, 1, 3, 1, 4, 1>}
  // CHECK: %[[ROW:.*]] = tt.load
  // CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %[[ROW]]
  // CHECK-NEXT: scf.if %[[INSIDE]]
  // CHECK-NEXT: tt.descriptor_store {{.*}}[%[[ROW]],
  // CHECK-NEXT: } else {
  // CHECK: tt.store {{.*}} : tensor<32x32x!tt.ptr<f16>>
  // CHECK: tt.return
  tt.func public @loaded(%o: !tt.tensordesc<tensor<32x32xf16>>, %rows: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %x = arith.constant dense<1.0> : tensor<32x32xf16>
    %row = tt.load %rows : !tt.ptr<i32>
    tt.descriptor_store %o[%row, %c0], %x : !tt.tensordesc<tensor<32x32xf16>>, tensor<32x32xf16>
    tt.return
  }
  // CHECK-LABEL: @negative
  // CHECK-NOT: neso.map
  // CHECK-NOT: scf.if
  // CHECK-NOT: tt.descriptor_store
  // CHECK: tt.return
  tt.func public @negative(%o: !tt.tensordesc<tensor<32x32xf16>>) {
    %c0 = arith.constant 0 : i32
    %up = arith.constant -8 : i32
    %x = arith.constant dense<1.0> : tensor<32x32xf16>
    tt.descriptor_store %o[%up, %c0], %x : !tt.tensordesc<tensor<32x32xf16>>, tensor<32x32xf16>
    tt.return
  }
}
