// A block pointer carried by a loop: its offsets are carried, base, shape and strides stay outside.
// run: neso opt --pass=rewrite-tensor-pointer,canonicalize,cse,dce --no-loc %s
module {
  // CHECK-LABEL: @f
  // CHECK-NOT: tt.make_tensor_ptr
  // CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i64)
  // CHECK: %[[AT:.*]] = tt.splat %[[O]] : i64 -> tensor<16xi64>
  // CHECK: %[[LOW:.*]] = arith.cmpi sge, %{{.*}} : tensor<1x16xi64>
  // CHECK: %[[HIGH:.*]] = arith.cmpi slt, %{{.*}} : tensor<1x16xi64>
  // CHECK: arith.andi %[[LOW]], %[[HIGH]]
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x16x!tt.ptr<f32>>
  // CHECK: tt.store %{{[^,]*}}, %{{[^,]*}} : tensor<8x16x!tt.ptr<f32>>
  // CHECK: %[[N:.*]] = arith.addi %[[O]], %{{.*}} : i64
  // CHECK: scf.yield %[[N]] : i64
  tt.func public @f(%p: !tt.ptr<f32>, %rows: i64, %cols: i64, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c1 = arith.constant 1 : i64
    %b = tt.make_tensor_ptr %p, [%rows, %cols], [%cols, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
    %r = scf.for %i = %c0 to %n step %c16 iter_args(%q = %b) -> (!tt.ptr<tensor<8x16xf32>>) : i32 {
      %v = tt.load %q {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<8x16xf32>>
      tt.store %q, %v : !tt.ptr<tensor<8x16xf32>>
      %next = tt.advance %q, [%c0, %c16] : <tensor<8x16xf32>>
      scf.yield %next : !tt.ptr<tensor<8x16xf32>>
    }
    tt.return
  }
}
