// Tiles that threads bring to products of warp groups: what they wrote is fenced before the barrier behind which a product reads
// it. The barrier in front of a write, behind the product that read the same bytes before, has no fence: nothing is unfenced there.
// Copies that have arrived wait for the fence of what threads compute besides.
// options: --pass=convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,dce,pipeline,allocate,barriers --verify-each --stress --no-loc --num-stages 1 --target sm_90a
module {
  // CHECK-LABEL: @turns
  // CHECK: scf.for
  // CHECK-NOT: ttng.fence_async_shared
  // CHECK: gpu.barrier
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: gpu.barrier
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttng.fence_async_shared
  // CHECK: gpu.barrier
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: gpu.barrier
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttng.fence_async_shared
  // CHECK: scf.yield
  tt.func public @turns(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4096 = arith.constant 4096 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %o = tt.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %sa = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %a0 = tt.addptr %sa, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %a = tt.load %a0 : tensor<64x64x!tt.ptr<f16>>
    %sb = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %b0 = tt.addptr %sb, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
      %at = arith.muli %i, %c4096 : i32
      %off = tt.splat %at : i32 -> tensor<64x64xi32>
      %ap = tt.addptr %a0, %off : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %bp = tt.addptr %b0, %off : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %k = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
      %d = tt.dot %a, %k, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %v = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
      %p = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
      %e = tt.dot %p, %v, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d, %e : tensor<64x64xf32>, tensor<64x64xf32>
    } {tt.num_stages = 1 : i32}
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %op = tt.addptr %so, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %op, %x#1 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @one
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK-NOT: ttng.fence_async_shared
  // CHECK: gpu.barrier
  // CHECK: ttg.local_alloc
  // CHECK: ttng.fence_async_shared
  // CHECK-NEXT: gpu.barrier
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: ttng.fence_async_shared
  // CHECK: scf.yield
  tt.func public @one(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4096 = arith.constant 4096 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %o = tt.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %sa = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %a0 = tt.addptr %sa, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %sb = tt.splat %pb : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
    %b0 = tt.addptr %sb, %o : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
    %x = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.muli %i, %c4096 : i32
      %off = tt.splat %at : i32 -> tensor<64x64xi32>
      %ap = tt.addptr %a0, %off : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %bp = tt.addptr %b0, %off : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
      %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
      %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>>
      %w = arith.sitofp %b : tensor<64x64xi8> to tensor<64x64xf16>
      %d = tt.dot %a, %w, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } {tt.num_stages = 3 : i32}
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %op = tt.addptr %so, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %op, %x : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
