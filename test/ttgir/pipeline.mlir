// Loads that feed a dot are copied to a ring ahead of time; the copies of iterations that never come are masked; an iteration waits for
// its own copies, and its barrier stands before the next ones. What cannot be copied goes through registers, or stays; each
// loop and load says why.
// options: --pass=convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,pipeline,cse,dce,allocate,barriers --verify-each --stress --no-loc --num-stages 4 --target sm_80
module {
  // CHECK-LABEL: @direct
  // CHECK: %[[RA:.*]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<5x64x64xf16, {{.*}}, #smem, mutable>
  // CHECK: %[[RB:.*]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<5x64x64xf16, {{.*}}, #smem, mutable>
  // CHECK: %[[SOME:.*]] = arith.cmpi slt, %c0, %n : i32
  // CHECK: ttg.async_copy_global_to_local {{.*}} mask {{.*}} {contiguity = 8 : i32}
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %[[READ:x_[0-9]*]] = %c0, %[[LAST:x_[0-9]*]] =
  // CHECK-NEXT: ttg.async_wait {num = 3 : i32}
  // CHECK: arith.subi %n, %i : i32
  // CHECK: arith.cmpi ugt
  // CHECK: ttg.memdesc_index %[[RA]][%[[LAST]]]
  // CHECK: ttg.memdesc_index %[[RA]][%[[READ]]]
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NOT: gpu.barrier
  // CHECK: ttg.memdesc_index %[[RB]][%[[READ]]]
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: ttg.async_copy_global_to_local {{.*}} neso.free_slot
  // CHECK-NEXT: ttg.async_copy_global_to_local {{.*}} neso.free_slot
  // CHECK-NEXT: ttg.async_commit_group
  // CHECK: scf.yield {{.*}}, %[[READ]] :
  // CHECK-NEXT: {neso.pipeline = ["loop: 5 stages, 3 groups pending, 81920 bytes", "load 0: copied 4 ahead, 16 bytes at once, 5 slots of 8192 bytes", "load 1: copied 4 ahead, 16 bytes at once, 5 slots of 8192 bytes"]
  // CHECK-NEXT: ttg.async_wait {num = 0 : i32}
  // CHECK-NEXT: ttg.local_dealloc %[[RA]]
  // CHECK-NEXT: ttg.local_dealloc %[[RB]]
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
    } {tt.num_stages = 5 : i32}
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %op = tt.addptr %so, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %op, %x : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
