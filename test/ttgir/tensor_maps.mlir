// A loop's descriptor loads go to rings by TMA: a barrier for each slot, one announcement for the tiles of an iteration, parity that turns
// with the slots' numbers, no copy for iterations that never come. What no map can be is left to pointers: rows by number, descriptors that are chosen,
// an address that is computed.
// options: --pass=map-descriptors,lower-descriptors,canonicalize,dce,convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,pipeline,tensor-copies,cse,dce,allocate,barriers --verify-each --stress --no-loc --num-stages 3 --target sm_90a
module {
  // CHECK-LABEL: @ring
  // CHECK-SAME: {neso.map = array<i64: 0, 5, 1, 1, 2, 1, 3, 1, 4, 1>}
  // CHECK-SAME: {neso.map = array<i64: 6, 11, 7, 1, 8, 1, 9, 1, 10, 1>}
  // CHECK: %[[BARRIERS:.*]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<3x1xi64
  // CHECK-COUNT-3: ttng.init_barrier {{.*}} {count = 1 : i32}
  // CHECK: %[[SOME:.*]] = arith.cmpi slt
  // CHECK: ttng.barrier_expect {{.*}}, %[[SOME]] {size = 4096 : i32}
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local
  // CHECK: ttng.barrier_expect
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local
  // CHECK: scf.for
  // CHECK: gpu.barrier
  // CHECK-NEXT: %[[ONE:.*]] = ttg.memdesc_index %[[BARRIERS]]
  // CHECK-NEXT: ttng.wait_barrier %[[ONE]], %[[PARITY:.*]] :
  // CHECK: arith.xori %[[PARITY]]
  // CHECK-NOT: gpu.barrier
  // CHECK: ttng.barrier_expect
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local {{.*}} {neso.free_slot}
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local {{.*}} {neso.free_slot}
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.yield
  // CHECK: neso.pipeline = ["loop: 3 stages, 1 groups pending, 12288 bytes", "load 0: copied by TMA 2 ahead, 3 slots of 2048 bytes", "load 1: copied by TMA 2 ahead, 3 slots of 2048 bytes"]
  // CHECK: gpu.barrier
  // CHECK-NEXT: ttng.inval_barrier
  // CHECK: tt.return
  tt.func public @ring(%a: !tt.tensordesc<tensor<32x32xf16>>, %b: !tt.tensordesc<tensor<32x32xf16>>, %n: i32, %o: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %r = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
      %x = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<tensor<32x32xf16>> -> tensor<32x32xf16>
      %y = tt.descriptor_load %b[%k, %c0] : !tt.tensordesc<tensor<32x32xf16>> -> tensor<32x32xf16>
      %d = tt.dot %x, %y, %acc : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    %p = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    tt.store %p, %r : tensor<32x32x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @by_pointers
  // CHECK-NOT: neso.map
  // CHECK-NOT: ttng.async_tma
  // CHECK-COUNT-3: tt.load
  // CHECK: tt.return
  tt.func public @by_pointers(%a: !tt.tensordesc<tensor<1x64xf16>>, %p: !tt.ptr<f16>, %q: !tt.ptr<f16>, %c: i1, %n: i32, %o: !tt.ptr<f16>) {
    %c0 = arith.constant 0 : i32
    %s = arith.constant 64 : i64
    %one = arith.constant 1 : i64
    %rows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %x = tt.descriptor_gather %a[%rows, %c0] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
    %either = arith.select %c, %p, %q : !tt.ptr<f16>
    %d = tt.make_tensor_descriptor %either, [%n, %n], [%s, %one] : <f16>, <tensor<32x64xf16>>
    %y = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
    %moved = tt.addptr %p, %n : !tt.ptr<f16>, i32
    %e = tt.make_tensor_descriptor %moved, [%n, %n], [%s, %one] : <f16>, <tensor<32x64xf16>>
    %z = tt.descriptor_load %e[%c0, %c0] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
    %v = arith.addf %x, %y : tensor<32x64xf16>
    %w = arith.addf %v, %z : tensor<32x64xf16>
    %t = tt.splat %o : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    tt.store %t, %w : tensor<32x64x!tt.ptr<f16>>
    tt.return
  }
}
