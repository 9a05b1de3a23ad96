// An operand from outside a loop waits in shared memory where a thread would hold more than it has registers for: 128 words that are
// carried, 64 of the first product, 64 of the operand. With half as many rows it stays in registers.
// run: neso opt --pass=convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,licm,stage-operands,dce --verify-each --no-loc --num-stages 3 --target sm_80 %s
module {
  // CHECK-LABEL: @crowded
  // CHECK: %[[Q:.*]] = tt.load {{.*}}128x128x!tt.ptr
  // CHECK: %[[M:.*]] = ttg.local_alloc %[[Q]] : (tensor<128x128xf16, #{{.*}}>) -> !ttg.memdesc<128x128xf16,
  // CHECK: scf.for
  // CHECK: %[[K:.*]] = ttg.convert_layout %kt
  // CHECK-NEXT: %[[O:.*]] = ttg.local_load %[[M]]
  // CHECK-NEXT: tt.dot %[[O]], %[[K]]
  // CHECK: scf.yield
  tt.func public @crowded(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %none = arith.constant dense<0.0> : tensor<128x64xf32>
    %c128 = arith.constant dense<128> : tensor<128x1xi32>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %rows = arith.muli %r1, %c128 : tensor<128x1xi32>
    %rb = tt.broadcast %rows : tensor<128x1xi32> -> tensor<128x128xi32>
    %cb = tt.broadcast %r0 : tensor<1x128xi32> -> tensor<128x128xi32>
    %off = arith.addi %rb, %cb : tensor<128x128xi32>
    %qs = tt.splat %q : !tt.ptr<f16> -> tensor<128x128x!tt.ptr<f16>>
    %qp = tt.addptr %qs, %off : tensor<128x128x!tt.ptr<f16>>, tensor<128x128xi32>
    %qv = tt.load %qp : tensor<128x128x!tt.ptr<f16>>
    %s = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %c128s = arith.constant dense<128> : tensor<64x1xi32>
    %srows = arith.muli %s1, %c128s : tensor<64x1xi32>
    %sb = tt.broadcast %srows : tensor<64x1xi32> -> tensor<64x128xi32>
    %sc = tt.broadcast %r0 : tensor<1x128xi32> -> tensor<64x128xi32>
    %soff = arith.addi %sb, %sc : tensor<64x128xi32>
    %ks = tt.splat %k : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
    %kp = tt.addptr %ks, %soff : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %kv = tt.load %kp : tensor<64x128x!tt.ptr<f16>>
      %kt = tt.trans %kv {order = array<i32: 1, 0>} : tensor<64x128xf16> -> tensor<128x64xf16>
      %d = tt.dot %qv, %kt, %none, inputPrecision = tf32 : tensor<128x128xf16> * tensor<128x64xf16> -> tensor<128x64xf32>
      %p = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xf16>
      %e = tt.dot %p, %kv, %acc, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %e : tensor<128x128xf32>
    }
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
    %op = tt.addptr %os, %off : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
    tt.store %op, %sum : tensor<128x128x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @roomy
  // CHECK-NOT: ttg.local_alloc
  tt.func public @roomy(%q: tensor<64x128xf16>, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %ks = tt.splat %k : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %kv = tt.load %ks : tensor<128x64x!tt.ptr<f16>>
      %d = tt.dot %q, %kv, %acc, inputPrecision = tf32 : tensor<64x128xf16> * tensor<128x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tt.return %sum : tensor<64x64xf32>
  }
}
