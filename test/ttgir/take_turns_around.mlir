// Where what threads compute stands between products, the turn goes from the second one into the next iteration.
// run: NESO_TURNS=auto neso opt --pass=take-turns --verify-each --stress --no-loc %s
// CHECK: gpu.begin_turns
// CHECK-NEXT: gpu.take_turn
// CHECK-NEXT: scf.for
// CHECK-NOT: gpu.take_turn
// CHECK: ttng.warp_group_dot
// CHECK-NEXT: gpu.pass_turn
// CHECK: ttng.wait_free {{.*}}{neso.issuer = 1 : i32}
// CHECK: %[[P:acc[_0-9]*]] = arith.truncf
// CHECK: gpu.compute_first {{.*}}%[[P]]
// CHECK-NEXT: gpu.take_turn
// CHECK-NEXT: ttng.warp_group_dot
// CHECK-NOT: gpu.pass_turn
// CHECK: scf.yield
// CHECK: gpu.pass_turn {last_round = true}
#linear = #ttg.linear<{register = [[32, 0], [64, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]], block = []}>
#linear1 = #ttg.linear<{register = [[32], [64]], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8], [16]], block = []}>
#linear2 = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]], block = []}>
#linear3 = #ttg.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0], [0]], block = []}>
#linear4 = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0], [0, 0]], block = []}>
#linear5 = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []}>
#linear6 = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []}>
#shared = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]]}, alignment = 16>
#shared1 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0], [64, 0], [0, 32]]}, alignment = 16>
#shared2 = #ttg.shared_linear<{offset = []}, alignment = 16>
#shared3 = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32], [0, 64]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.shared = 147520 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @chain(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %s: !tt.tensordesc<tensor<128x64xf16, #shared>> {neso.map = array<i64: 1, -1, -1, 2147483632, -1, 2147483632, -1, 64, -1, 1>, neso.map_pointers}, %acc: !tt.tensordesc<tensor<128x64xf16, #shared>> {neso.map = array<i64: 2, -1, -1, 2147483632, -1, 2147483632, -1, 64, -1, 1>, neso.map_pointers}, %arg7: !tt.tensordesc<tensor<128x64xf32, #shared1>> {neso.map = array<i64: 3, -1, -1, 2147483632, -1, 2147483632, -1, 64, -1, 1>, neso.map_pointers}) attributes {noinline = false} {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %x = tt.splat %a : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #linear>
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #linear1>
    %x_0 = tt.expand_dims %0 {axis = 1 : i32} : tensor<128xi32, #linear1> -> tensor<128x1xi32, #linear>
    %x_1 = arith.constant dense<64> : tensor<128x1xi32, #linear>
    %x_2 = arith.muli %x_0, %x_1 : tensor<128x1xi32, #linear>
    %x_3 = tt.addptr %x, %x_2 : tensor<128x1x!tt.ptr<f16>, #linear>, tensor<128x1xi32, #linear>
    %x_4 = tt.broadcast %x_3 : tensor<128x1x!tt.ptr<f16>, #linear> -> tensor<128x64x!tt.ptr<f16>, #linear2>
    %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #linear3>
    %x_5 = tt.expand_dims %1 {axis = 0 : i32} : tensor<64xi32, #linear3> -> tensor<1x64xi32, #linear4>
    %x_6 = tt.broadcast %x_5 : tensor<1x64xi32, #linear4> -> tensor<128x64xi32, #linear2>
    %x_7 = tt.addptr %x_4, %x_6 : tensor<128x64x!tt.ptr<f16>, #linear2>, tensor<128x64xi32, #linear2>
    %x_8 = tt.load %x_7 : tensor<128x64x!tt.ptr<f16>, #linear2>
    %s_9 = arith.constant 128 : i32
    %s_10 = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable>
    %acc_11 = ttg.local_alloc {allocation.offset = 65536 : i32} : () -> !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable>
    %2 = ttg.local_alloc {allocation.offset = 147456 : i32} : () -> !ttg.memdesc<4x1xi64, #shared2, #smem, mutable>
    %3 = ttg.memdesc_index %2[%c0_i32] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %3 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %4 = ttg.memdesc_index %2[%c1_i32] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %4 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c2_i32 = arith.constant 2 : i32
    %5 = ttg.memdesc_index %2[%c2_i32] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %5 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c3_i32 = arith.constant 3 : i32
    %6 = ttg.memdesc_index %2[%c3_i32] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %6 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %7 = ttg.local_alloc {allocation.offset = 147488 : i32} : () -> !ttg.memdesc<4x1xi64, #shared2, #smem, mutable>
    %8 = ttg.memdesc_index %7[%c0_i32] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %8 {count = 8 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %9 = ttg.memdesc_index %7[%c1_i32] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %9 {count = 8 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %10 = ttg.memdesc_index %7[%c2_i32] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %10 {count = 8 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %11 = ttg.memdesc_index %7[%c3_i32] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %11 {count = 8 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %12 = arith.cmpi slt, %c0_i32, %n : i32
    %s_12 = arith.muli %c0_i32, %s_9 : i32
    %13 = ttg.memdesc_index %s_10[%c0_i32] : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %14 = ttg.memdesc_index %acc_11[%c0_i32] : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ttng.barrier_expect %3, %12 {size = 32768 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.async_tma_copy_global_to_local %s[%s_12, %c0_i32] %13, %3, %12 : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ttng.async_tma_copy_global_to_local %acc[%s_12, %c0_i32] %14, %3, %12 : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %acc_13 = arith.subi %n, %c0_i32 : i32
    %acc_14 = arith.cmpi ugt, %acc_13, %c1_i32 : i32
    %acc_15 = arith.andi %12, %acc_14 : i1
    %acc_16 = arith.addi %c0_i32, %c1_i32 : i32
    %s_17 = arith.muli %acc_16, %s_9 : i32
    %15 = ttg.memdesc_index %s_10[%c1_i32] : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %16 = ttg.memdesc_index %acc_11[%c1_i32] : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ttng.barrier_expect %4, %acc_15 {size = 32768 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.async_tma_copy_global_to_local %s[%s_17, %c0_i32] %15, %4, %acc_15 : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ttng.async_tma_copy_global_to_local %acc[%s_17, %c0_i32] %16, %4, %acc_15 : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %17 = ttg.local_alloc %x_8 {allocation.offset = 131072 : i32} : (tensor<128x64xf16, #linear2>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    gpu.barrier
    %acc_18 = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #linear5>
    %s_19 = arith.constant dense<0.000000e+00> : tensor<128x128xf32, #linear6>
    ttng.fence_async_shared {bCluster = false}
    gpu.barrier
    %18:5 = scf.for %i = %c0_i32 to %n step %c1_i32 iter_args(%acc_20 = %acc_18, %arg10 = %c0_i32, %arg11 = %c2_i32, %arg12 = %c0_i32, %arg13 = %c0_i32) -> (tensor<128x64xf32, #linear5>, i32, i32, i32, i32)  : i32 {
      %s_21 = arith.addi %arg10, %c1_i32 : i32
      %s_22 = arith.cmpi eq, %arg10, %c3_i32 : i32
      %s_23 = arith.select %s_22, %c0_i32, %s_21 : i32
      %s_24 = arith.addi %arg11, %c1_i32 : i32
      %s_25 = arith.cmpi eq, %arg11, %c3_i32 : i32
      %s_26 = arith.select %s_25, %c0_i32, %s_24 : i32
      %21 = ttg.memdesc_index %7[%arg11] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      %22 = arith.cmpi eq, %s_26, %c2_i32 : i32
      %23 = arith.xori %arg12, %c1_i32 : i32
      ttng.arrive_barrier %21 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      %24 = ttg.memdesc_index %2[%arg10] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.wait_barrier %24, %arg13 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      %25 = arith.cmpi eq, %s_23, %c0_i32 : i32
      %26 = arith.xori %arg13, %c1_i32 : i32
      %27 = arith.subi %n, %i : i32
      %28 = arith.cmpi ugt, %27, %c2_i32 : i32
      %29 = arith.addi %i, %c2_i32 : i32
      %s_27 = arith.muli %29, %s_9 : i32
      %30 = ttg.memdesc_index %s_10[%arg11] : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      %31 = ttg.memdesc_index %acc_11[%arg11] : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      %32 = ttg.memdesc_index %2[%arg11] : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      %s_28 = ttg.memdesc_index %s_10[%arg10] : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      %s_29 = ttg.memdesc_trans %s_28 {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x128xf16, #shared3, #smem, mutable>
      %s_30 = ttng.warp_group_dot %17, %s_29, %s_19 {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared3, #smem, mutable> -> tensor<128x128xf32, #linear6>
      ttng.wait_free %21, %arg12, %28 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.barrier_expect %32, %28 {size = 32768 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.async_tma_copy_global_to_local %s[%s_27, %c0_i32] %30, %32, %28 {neso.free_slot} : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      ttng.async_tma_copy_global_to_local %acc[%s_27, %c0_i32] %31, %32, %28 {neso.free_slot} : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      %s_31 = ttng.warp_group_dot_wait %s_30 {pendings = 0 : i32} : tensor<128x128xf32, #linear6>
      %acc_32 = math.exp2 %s_31 : tensor<128x128xf32, #linear6>
      %acc_33 = arith.truncf %acc_32 : tensor<128x128xf32, #linear6> to tensor<128x128xf16, #linear6>
      %acc_34 = ttg.memdesc_index %acc_11[%arg10] : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      %acc_35 = ttng.warp_group_dot %acc_33, %acc_34, %acc_20 {inputPrecision = 0 : i32, isAsync = true} : tensor<128x128xf16, #linear6> * !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #linear5>
      %acc_36 = ttng.warp_group_dot_wait %acc_35 {pendings = 1 : i32} : tensor<128x64xf32, #linear5>
      %33 = arith.select %22, %23, %arg12 : i32
      %34 = arith.select %25, %26, %arg13 : i32
      scf.yield %acc_36, %s_23, %s_26, %33, %34 : tensor<128x64xf32, #linear5>, i32, i32, i32, i32
    } {neso.pipeline = ["loop: 3 stages, 1 groups pending, 131072 bytes", "load 0: copied by TMA 2 ahead, 4 slots of 16384 bytes", "load 1: copied by TMA 2 ahead, 4 slots of 16384 bytes"]}
    %19 = ttng.warp_group_dot_wait %18#0 {pendings = 0 : i32} : tensor<128x64xf32, #linear5>
    ttng.fence_async_shared {bCluster = false}
    gpu.barrier
    ttng.inval_barrier %3 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %4 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %5 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %6 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttg.local_dealloc %2 : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %8 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %9 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %10 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %11 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttg.local_dealloc %7 : !ttg.memdesc<4x1xi64, #shared2, #smem, mutable>
    ttg.local_dealloc %s_10 : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable>
    ttg.local_dealloc %acc_11 : !ttg.memdesc<4x128x64xf16, #shared, #smem, mutable>
    %20 = ttg.local_alloc %19 {allocation.offset = 0 : i32} : (tensor<128x64xf32, #linear5>) -> !ttg.memdesc<128x64xf32, #shared1, #smem>
    ttng.fence_async_shared {bCluster = false}
    gpu.barrier
    ttng.async_tma_copy_local_to_global %arg7[%c0_i32, %c0_i32] %20 : !tt.tensordesc<tensor<128x64xf32, #shared1>>, !ttg.memdesc<128x64xf32, #shared1, #smem>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    ttg.local_dealloc %20 : !ttg.memdesc<128x64xf32, #shared1, #smem>
    tt.return
  }
}
