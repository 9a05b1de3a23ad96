// A descriptor argument becomes pointer, shape, strides and padding; every access is masked.
// run: neso opt --pass=lower-descriptors,cse --no-loc %s
module {
  // CHECK: tt.func public @f(%{{[^:]*}}: !tt.ptr<f16>, %[[R:[^:]*]]: i64, %[[C:[^:]*]]: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %[[NAN:[^:]*]]: i1, %n: i32 {tt.divisibility = 16 : i32})
  // CHECK: arith.select %[[NAN]], %{{.*}} : tensor<16x32xf16>
  // CHECK: tt.load {{.*}} : tensor<16x32x!tt.ptr<f16>>
  // CHECK: tt.store {{.*}} : tensor<16x32x!tt.ptr<f16>>
  // CHECK: tt.atomic_rmw fadd, {{.*}} -> tensor<16x32xf16>
  tt.func public @f(%d: !tt.tensordesc<tensor<16x32xf16>>, %n: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %v = tt.descriptor_load %d[%c0, %n] : !tt.tensordesc<tensor<16x32xf16>> -> tensor<16x32xf16>
    tt.descriptor_store %d[%c0, %n], %v : !tt.tensordesc<tensor<16x32xf16>>, tensor<16x32xf16>
    tt.descriptor_reduce add, %d[%c0, %n], %v : !tt.tensordesc<tensor<16x32xf16>>, tensor<16x32xf16>
    tt.return
  }
}
