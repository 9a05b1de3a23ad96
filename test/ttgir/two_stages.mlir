// With two stages what a copy brings is needed in the next iteration: the copies stand first of all, behind the barrier, before anything is read.
// options: --pass=convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,pipeline,cse,dce,allocate,barriers --verify-each --stress --no-loc --num-stages 2 --target sm_80
module {
  // CHECK-LABEL: @direct
  // CHECK: %[[RA:.*]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<2x64x64xf16, {{.*}}, #smem, mutable>
  // CHECK: scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %[[READ:x_[0-9]*]] = %c0, %[[LAST:x_[0-9]*]] =
  // CHECK-NEXT: ttg.async_wait {num = 0 : i32}
  // CHECK-NOT: ttg.local_load
  // CHECK: %[[TO:.*]] = ttg.memdesc_index %[[RA]][%[[LAST]]]
  // CHECK: gpu.barrier
  // CHECK-NEXT: ttg.async_copy_global_to_local {{.*}}, %[[TO]] mask {{.*}} neso.free_slot
  // CHECK: ttg.async_copy_global_to_local {{.*}} neso.free_slot
  // CHECK-NEXT: ttg.async_commit_group
  // CHECK-NOT: gpu.barrier
  // CHECK: ttg.memdesc_index %[[RA]][%[[READ]]]
  // CHECK: ttg.local_load
  // CHECK: ttg.local_load
  // CHECK-NEXT: tt.dot
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.yield
  tt.func public @direct(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
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
    %x = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.muli %i, %c4096 : i32
      %off = tt.splat %at : i32 -> tensor<64x64xi32>
      %ap = tt.addptr %a0, %off : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %bp = tt.addptr %b0, %off : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
      %b = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %op = tt.addptr %so, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %op, %x : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
