// A copy to a slot that nothing has read since the last wait needs no barrier behind what was read since, but one behind the wait; any
// other copy needs both.
// options: --pass=allocate,barriers
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @behind
  // CHECK: scf.for
  // CHECK-NEXT: ttg.async_wait
  // CHECK: gpu.barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.yield
  tt.func public @behind(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %n: i32, %r: i32, %w: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf16, #rows>
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #s, #m, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<64x64xf16, #rows>) : i32 {
      %t = ttg.async_wait {num = 1 : i32}
      %from = ttg.memdesc_index %ring[%r] : !ttg.memdesc<3x64x64xf16, #s, #m, mutable> -> !ttg.memdesc<64x64xf16, #s, #m, mutable>
      %x = ttg.local_load %from : !ttg.memdesc<64x64xf16, #s, #m, mutable> -> tensor<64x64xf16, #rows>
      %to = ttg.memdesc_index %ring[%w] : !ttg.memdesc<3x64x64xf16, #s, #m, mutable> -> !ttg.memdesc<64x64xf16, #s, #m, mutable>
      %c = ttg.async_copy_global_to_local %p, %to {neso.free_slot} : tensor<64x64x!tt.ptr<f16>, #rows> -> <64x64xf16, #s, #m, mutable>
      %g = ttg.async_commit_group
      %b = arith.addf %a, %x : tensor<64x64xf16, #rows>
      scf.yield %b : tensor<64x64xf16, #rows>
    }
    tt.store %p, %sum : tensor<64x64x!tt.ptr<f16>, #rows>
    tt.return
  }
  // CHECK-LABEL: @in_front
  // CHECK: scf.for
  // CHECK-NEXT: ttg.async_wait
  // CHECK: gpu.barrier
  // CHECK-NEXT: ttg.async_copy_global_to_local
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.yield
  tt.func public @in_front(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %n: i32, %r: i32, %w: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf16, #rows>
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #s, #m, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<64x64xf16, #rows>) : i32 {
      %t = ttg.async_wait {num = 1 : i32}
      %to = ttg.memdesc_index %ring[%w] : !ttg.memdesc<3x64x64xf16, #s, #m, mutable> -> !ttg.memdesc<64x64xf16, #s, #m, mutable>
      %c = ttg.async_copy_global_to_local %p, %to {neso.free_slot} : tensor<64x64x!tt.ptr<f16>, #rows> -> <64x64xf16, #s, #m, mutable>
      %g = ttg.async_commit_group
      %from = ttg.memdesc_index %ring[%r] : !ttg.memdesc<3x64x64xf16, #s, #m, mutable> -> !ttg.memdesc<64x64xf16, #s, #m, mutable>
      %x = ttg.local_load %from : !ttg.memdesc<64x64xf16, #s, #m, mutable> -> tensor<64x64xf16, #rows>
      %b = arith.addf %a, %x : tensor<64x64xf16, #rows>
      scf.yield %b : tensor<64x64xf16, #rows>
    }
    tt.store %p, %sum : tensor<64x64x!tt.ptr<f16>, #rows>
    tt.return
  }
  // CHECK-LABEL: @any
  // CHECK: scf.for
  // CHECK: gpu.barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK: gpu.barrier
  // CHECK-NEXT: ttg.async_copy_global_to_local
  tt.func public @any(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %n: i32, %r: i32, %w: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf16, #rows>
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #s, #m, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<64x64xf16, #rows>) : i32 {
      %t = ttg.async_wait {num = 1 : i32}
      %from = ttg.memdesc_index %ring[%r] : !ttg.memdesc<3x64x64xf16, #s, #m, mutable> -> !ttg.memdesc<64x64xf16, #s, #m, mutable>
      %x = ttg.local_load %from : !ttg.memdesc<64x64xf16, #s, #m, mutable> -> tensor<64x64xf16, #rows>
      %to = ttg.memdesc_index %ring[%w] : !ttg.memdesc<3x64x64xf16, #s, #m, mutable> -> !ttg.memdesc<64x64xf16, #s, #m, mutable>
      %c = ttg.async_copy_global_to_local %p, %to : tensor<64x64x!tt.ptr<f16>, #rows> -> <64x64xf16, #s, #m, mutable>
      %g = ttg.async_commit_group
      %b = arith.addf %a, %x : tensor<64x64xf16, #rows>
      scf.yield %b : tensor<64x64xf16, #rows>
    }
    tt.store %p, %sum : tensor<64x64x!tt.ptr<f16>, #rows>
    tt.return
  }
}
