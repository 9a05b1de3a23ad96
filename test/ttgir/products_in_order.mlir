// Attention's second product reads 64 registers a thread, adds up in 64, and the next iteration's first product makes 128: a thread has no registers for
// all of that, so the second one ends before the first one begins, and does not go on into the next iteration.
// options: --pass=convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,pipeline,cse,dce,allocate,barriers --verify-each --no-loc --num-stages 2 --target sm_90a
module {
  // CHECK-LABEL: @attention
  // CHECK: scf.for
  // CHECK: %[[S:.*]] = ttng.warp_group_dot {{.*}} {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc
  // CHECK: ttng.warp_group_dot_wait %[[S]] {pendings = 0 : i32}
  // CHECK: %[[O:.*]] = ttng.warp_group_dot {{.*}} {inputPrecision = 0 : i32, isAsync = true} : tensor
  // CHECK: %[[W:.*]]:2 = ttng.warp_group_dot_wait %[[O]], {{.*}} {pendings = 0 : i32}
  // CHECK: scf.yield %[[W]]#0
  tt.func public @attention(%pq: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pk: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pv: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8192 = arith.constant 8192 : i32
    %none = arith.constant dense<0.0> : tensor<128x128xf32>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %r = tt.make_range {start = 0 : i32, end = 8192 : i32} : tensor<8192xi32>
    %o = tt.reshape %r : tensor<8192xi32> -> tensor<128x64xi32>
    %sq = tt.splat %pq : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
    %q0 = tt.addptr %sq, %o : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %q = tt.load %q0 : tensor<128x64x!tt.ptr<f16>>
    %sk = tt.splat %pk : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
    %k0 = tt.addptr %sk, %o : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %sv = tt.splat %pv : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
    %v0 = tt.addptr %sv, %o : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
      %at = arith.muli %i, %c8192 : i32
      %s = tt.splat %at : i32 -> tensor<128x64xi32>
      %k1 = tt.addptr %k0, %s : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
      %v1 = tt.addptr %v0, %s : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
      %k = tt.load %k1 : tensor<128x64x!tt.ptr<f16>>
      %t = tt.trans %k {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
      %qk = tt.dot %q, %t, %none, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      %e = math.exp2 %qk : tensor<128x128xf32>
      %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xf16>
      %v = tt.load %v1 : tensor<128x64x!tt.ptr<f16>>
      %d = tt.dot %p, %v, %acc, inputPrecision = tf32 : tensor<128x128xf16> * tensor<128x64xf16> -> tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
    %o0 = tt.addptr %so, %o : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
    tt.store %o0, %sum : tensor<128x64x!tt.ptr<f32>>
    tt.return
  }
}
