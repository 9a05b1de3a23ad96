// What waits in front of a loop for tiles that are loaded goes behind the copies of the first iterations; what those need stays.
// options: --pass=convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,pipeline,cse,dce --verify-each --stress --no-loc --num-stages 3 --target sm_90a
module {
  // The left operand is loaded and doubled, and goes to shared memory: after both copies have been started.
  // CHECK-LABEL: @waits
  // CHECK: %[[A:.*]] = tt.load
  // CHECK-NOT: arith.addf
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: %[[TWICE:.*]] = arith.addf %[[A]], %[[A]]
  // CHECK: ttg.local_alloc %[[TWICE]]
  // CHECK: scf.for
  tt.func public @waits(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4096 = arith.constant 4096 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %o = tt.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %sa = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %a0 = tt.addptr %sa, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %sb = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %b0 = tt.addptr %sb, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %a1 = tt.load %a0 : tensor<64x64x!tt.ptr<f16>>
    %a = arith.addf %a1, %a1 : tensor<64x64xf16>
    %x = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.muli %i, %c4096 : i32
      %off = tt.splat %at : i32 -> tensor<64x64xi32>
      %bp = tt.addptr %b0, %off : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %b = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %op = tt.addptr %so, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %op, %x : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
  // Offsets that were loaded are where the copies read: they are added up in front of them.
  // CHECK-LABEL: @needed
  // CHECK: %[[ROWS:.*]] = tt.load
  // CHECK: arith.addi {{.*}}%[[ROWS]]
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.for
  tt.func public @needed(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pr: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4096 = arith.constant 4096 : i32
    %c64 = arith.constant dense<64> : tensor<64xi32>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %half = arith.constant dense<0.5> : tensor<64x64xf16>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %sr = tt.splat %pr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %rp = tt.addptr %sr, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %rows = tt.load %rp : tensor<64x!tt.ptr<i32>>
    %more = arith.addi %rows, %r : tensor<64xi32>
    %first = arith.muli %more, %c64 : tensor<64xi32>
    %e = tt.expand_dims %first {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %f = tt.broadcast %e : tensor<64x1xi32> -> tensor<64x64xi32>
    %c = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %d = tt.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
    %o = arith.addi %f, %d : tensor<64x64xi32>
    %sb = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %b0 = tt.addptr %sb, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.muli %i, %c4096 : i32
      %off = tt.splat %at : i32 -> tensor<64x64xi32>
      %bp = tt.addptr %b0, %off : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %b = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
      %y = tt.dot %half, %b, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %op = tt.addptr %so, %d : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %op, %x : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
