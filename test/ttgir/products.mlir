// A dot of 64 rows on sm_90a: operands are read from the ring, the result stays under way. A slot more would cost a CTA on each SM, so copies
// wait for a barrier that says that the product before has ended.
// options: --pass=convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,pipeline,cse,dce,allocate,barriers --verify-each --stress --no-loc --num-stages 3 --target sm_90a
module {
  // CHECK: #[[SWIZZLED:shared[0-9]*]] = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}, alignment = 16>
  // CHECK-LABEL: @direct
  // CHECK: %[[RA:.*]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<3x64x64xf16, #[[SWIZZLED]], #smem, mutable>
  // CHECK: scf.for
  // CHECK-NEXT: ttg.async_wait {num = 1 : i32}
  // CHECK: %[[A:.*]] = ttg.memdesc_index %[[RA]]
  // CHECK: ttng.fence_async_shared {bCluster = false}
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: %[[D:.*]] = ttng.warp_group_dot {{.*}} {inputPrecision = 0 : i32, isAsync = true}
  // CHECK-NEXT: %[[W:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
  // CHECK-NEXT: gpu.barrier
  // CHECK: ttg.async_copy_global_to_local {{.*}} neso.free_slot
  // CHECK: ttg.async_commit_group
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.yield %[[W]]
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
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
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.muli %i, %c4096 : i32
      %s = tt.splat %at : i32 -> tensor<64x64xi32>
      %pa1 = tt.addptr %a0, %s : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %pb1 = tt.addptr %b0, %s : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %x = tt.load %pa1 : tensor<64x64x!tt.ptr<f16>>
      %y = tt.load %pb1 : tensor<64x64x!tt.ptr<f16>>
      %d = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %o0 = tt.addptr %so, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %o0, %sum : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
