// A product marked neso.late is done an iteration later: the first iteration but for it in front of the loop, its last one behind it. In between
// the others are issued first, then it, from the slot of the iteration before; each is waited for where it is used, and a wait for it holds
// its first operand. Nothing of it where the loop has no iteration.
// options: --pass=rotate-products,cse,dce --verify-each --stress --no-loc
// CHECK-NOT: neso.late
// CHECK: %[[R:.*]] = scf.if {{.*}} -> (tensor<128x128xf32, #[[ACC:linear[0-9]*]]>) {
// CHECK: ttng.arrive_barrier
// CHECK: ttng.wait_barrier
// CHECK: %[[S0:.*]] = ttng.warp_group_dot %{{[^ ]*}}, {{.*}} {inputPrecision = 0 : i32} : !ttg.memdesc
// CHECK: %[[E0:.*]] = math.exp2 %[[S0]]
// CHECK: %[[P0:.*]] = arith.truncf %[[E0]]
// CHECK: %[[L:.*]]:{{[0-9]*}} = scf.for {{.*}} iter_args({{.*}}%[[P:acc[_0-9]*]] = %[[P0]]
// CHECK: ttng.arrive_barrier
// CHECK: ttng.wait_barrier
// CHECK: %[[S:.*]] = ttng.warp_group_dot {{.*}} {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc
// CHECK: %[[A:.*]] = ttng.warp_group_dot %[[P]], {{.*}} {inputPrecision = 0 : i32, isAsync = true} : tensor
// CHECK: ttng.wait_free
// CHECK-NEXT: ttng.barrier_expect
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK: %[[SW:.*]] = ttng.warp_group_dot_wait %[[S]] {pendings = 1 : i32}
// CHECK: %[[E:.*]] = math.exp2 %[[SW]]
// CHECK: gpu.compute_first %[[E]]
// CHECK: %[[AW:.*]]:2 = ttng.warp_group_dot_wait %[[A]], %[[P]] {pendings = 0 : i32}
// CHECK-NEXT: %[[PN:.*]] = arith.truncf %[[E]]
// CHECK: scf.yield {{.*}}%[[PN]], {{.*}}%[[AW]]#0
// CHECK: %[[LAST:.*]] = ttng.warp_group_dot %[[L]]#
// CHECK: scf.yield %[[LAST]]
// CHECK: } else {
// CHECK-NEXT: scf.yield
#linear = #ttg.linear<{register = [[16, 0], [32, 0], [64, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], warp = [[2, 0], [4, 0], [8, 0]], block = []}>
#linear1 = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []}>
#linear2 = #ttg.linear<{register = [[16], [32], [64]], lane = [[0], [0], [0], [0], [1]], warp = [[2], [4], [8]], block = []}>
#linear3 = #ttg.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [0]], warp = [[0], [0], [0]], block = []}>
#linear4 = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 0]], warp = [[0, 0], [0, 0], [0, 0]], block = []}>
#linear5 = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0], [4, 0], [8, 0]], block = []}>
#linear6 = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32], [0, 64]], lane = [[8, 0], [16, 0], [32, 0], [64, 0], [0, 1]], warp = [[0, 2], [0, 4], [0, 8]], block = []}>
#shared = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0], [0, 64]]}, alignment = 16>
#shared1 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0], [64, 0], [0, 32], [0, 64]]}, alignment = 16>
#shared2 = #ttg.shared_linear<{offset = []}, alignment = 16>
#shared3 = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32], [0, 64], [64, 0]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @chain(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %s: !tt.tensordesc<tensor<128x128xf16, #shared>> {neso.map = array<i64: 1, -1, -1, 2147483647, -1, 2147483647, -1, 128, -1, 1>, neso.map_pointers}, %acc: !tt.tensordesc<tensor<128x128xf16, #shared>> {neso.map = array<i64: 2, -1, -1, 2147483647, -1, 2147483647, -1, 128, -1, 1>, neso.map_pointers}, %arg7: !tt.tensordesc<tensor<128x128xf32, #shared1>> {neso.map = array<i64: 3, -1, -1, 2147483647, -1, 2147483647, -1, 128, -1, 1>, neso.map_pointers}) attributes {noinline = false} {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %x = arith.constant dense<128> : tensor<128x1xi32, #linear>
    %acc_0 = arith.constant dense<0.000000e+00> : tensor<128x128xf32, #linear1>
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #linear2>
    %1 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #linear3>
    %x_1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<128xi32, #linear2> -> tensor<128x1xi32, #linear>
    %x_2 = arith.muli %x_1, %x : tensor<128x1xi32, #linear>
    %x_3 = tt.splat %a : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #linear>
    %x_4 = tt.addptr %x_3, %x_2 : tensor<128x1x!tt.ptr<f16>, #linear>, tensor<128x1xi32, #linear>
    %x_5 = tt.expand_dims %1 {axis = 0 : i32} : tensor<128xi32, #linear3> -> tensor<1x128xi32, #linear4>
    %x_6 = tt.broadcast %x_4 : tensor<128x1x!tt.ptr<f16>, #linear> -> tensor<128x128x!tt.ptr<f16>, #linear5>
    %x_7 = tt.broadcast %x_5 : tensor<1x128xi32, #linear4> -> tensor<128x128xi32, #linear5>
    %x_8 = tt.addptr %x_6, %x_7 : tensor<128x128x!tt.ptr<f16>, #linear5>, tensor<128x128xi32, #linear5>
    %x_9 = tt.load %x_8 : tensor<128x128x!tt.ptr<f16>, #linear5>
    %2 = ttg.local_alloc %x_9 : (tensor<128x128xf16, #linear5>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    %s_10 = arith.constant 128 : i32
    %s_11 = ttg.local_alloc : () -> !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable>
    %acc_12 = ttg.local_alloc : () -> !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable>
    %3 = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #shared2, #smem, mutable>
    %c0_i32_13 = arith.constant 0 : i32
    %4 = ttg.memdesc_index %3[%c0_i32_13] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %4 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c1_i32_14 = arith.constant 1 : i32
    %5 = ttg.memdesc_index %3[%c1_i32_14] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %5 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c2_i32 = arith.constant 2 : i32
    %6 = ttg.memdesc_index %3[%c2_i32] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %6 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %7 = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64, #shared2, #smem, mutable>
    %c0_i32_15 = arith.constant 0 : i32
    %8 = ttg.memdesc_index %7[%c0_i32_15] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %8 {count = 8 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c1_i32_16 = arith.constant 1 : i32
    %9 = ttg.memdesc_index %7[%c1_i32_16] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %9 {count = 8 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c2_i32_17 = arith.constant 2 : i32
    %10 = ttg.memdesc_index %7[%c2_i32_17] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.init_barrier %10 {count = 8 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c0_i32_18 = arith.constant 0 : i32
    %11 = arith.cmpi slt, %c0_i32, %n : i32
    %s_19 = arith.muli %c0_i32, %s_10 : i32
    %12 = ttg.memdesc_index %s_11[%c0_i32_18] : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
    %13 = ttg.memdesc_index %acc_12[%c0_i32_18] : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
    %14 = ttg.memdesc_index %3[%c0_i32_18] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.barrier_expect %14, %11 {size = 65536 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.async_tma_copy_global_to_local %s[%s_19, %c0_i32] %12, %14, %11 : !tt.tensordesc<tensor<128x128xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
    ttng.async_tma_copy_global_to_local %acc[%s_19, %c0_i32] %13, %14, %11 : !tt.tensordesc<tensor<128x128xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
    %acc_20 = arith.constant 0 : i32
    %acc_21 = arith.constant 1 : i32
    %acc_22 = arith.constant 2 : i32
    %acc_23 = arith.constant 2 : i32
    %acc_24 = arith.constant 0 : i32
    gpu.barrier
    %acc_25 = arith.constant 0 : i32
    %15:5 = scf.for %i = %c0_i32 to %n step %c1_i32 iter_args(%acc_32 = %acc_0, %arg10 = %acc_20, %arg11 = %acc_21, %arg12 = %acc_24, %arg13 = %acc_25) -> (tensor<128x128xf32, #linear1>, i32, i32, i32, i32)  : i32 {
      %s_33 = arith.constant 1 : i32
      %s_34 = arith.addi %arg10, %s_33 : i32
      %s_35 = arith.cmpi eq, %arg10, %acc_22 : i32
      %s_36 = arith.select %s_35, %acc_20, %s_34 : i32
      %s_37 = arith.constant 1 : i32
      %s_38 = arith.addi %arg11, %s_37 : i32
      %s_39 = arith.cmpi eq, %arg11, %acc_23 : i32
      %s_40 = arith.select %s_39, %acc_20, %s_38 : i32
      %22 = ttg.memdesc_index %7[%arg11] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      %c1_i32_41 = arith.constant 1 : i32
      %23 = arith.cmpi eq, %s_40, %acc_21 : i32
      %24 = arith.xori %arg12, %c1_i32_41 : i32
      ttng.arrive_barrier %22 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      %25 = ttg.memdesc_index %3[%arg10] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.wait_barrier %25, %arg13 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      %c1_i32_42 = arith.constant 1 : i32
      %26 = arith.cmpi eq, %s_36, %acc_25 : i32
      %27 = arith.xori %arg13, %c1_i32_42 : i32
      %28 = arith.subi %n, %i : i32
      %c1_i32_43 = arith.constant 1 : i32
      %29 = arith.cmpi ugt, %28, %c1_i32_43 : i32
      %c1_i32_44 = arith.constant 1 : i32
      %30 = arith.addi %i, %c1_i32_44 : i32
      %s_45 = arith.muli %30, %s_10 : i32
      %31 = ttg.memdesc_index %s_11[%arg11] : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
      %32 = ttg.memdesc_index %acc_12[%arg11] : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
      %33 = ttg.memdesc_index %3[%arg11] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      %s_46 = arith.muli %i, %s_10 : i32
      %s_47 = ttg.memdesc_index %s_11[%arg10] : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
      %s_48 = ttg.local_load %s_47 : !ttg.memdesc<128x128xf16, #shared, #smem, mutable> -> tensor<128x128xf16, #linear5>
      %s_49 = tt.trans %s_48 {order = array<i32: 1, 0>} : tensor<128x128xf16, #linear5> -> tensor<128x128xf16, #linear6>
      %s_50 = ttg.memdesc_index %s_11[%arg10] : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
      %s_51 = ttg.memdesc_trans %s_50 {order = array<i32: 1, 0>} : !ttg.memdesc<128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared3, #smem, mutable>
      %s_52 = ttng.warp_group_dot %2, %s_51, %acc_0 {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x128xf16, #shared3, #smem, mutable> -> tensor<128x128xf32, #linear1>
      ttng.wait_free %22, %arg12, %29 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.barrier_expect %33, %29 {size = 65536 : i32} : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.async_tma_copy_global_to_local %s[%s_45, %c0_i32] %31, %33, %29 {neso.free_slot} : !tt.tensordesc<tensor<128x128xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
      ttng.async_tma_copy_global_to_local %acc[%s_45, %c0_i32] %32, %33, %29 {neso.free_slot} : !tt.tensordesc<tensor<128x128xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
      %acc_53 = math.exp2 %s_52 : tensor<128x128xf32, #linear1>
      %acc_54 = arith.truncf %acc_53 : tensor<128x128xf32, #linear1> to tensor<128x128xf16, #linear1>
      %acc_55 = ttg.memdesc_index %acc_12[%arg10] : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
      %acc_56 = ttng.warp_group_dot %acc_54, %acc_55, %acc_32 {inputPrecision = 0 : i32, neso.late} : tensor<128x128xf16, #linear1> * !ttg.memdesc<128x128xf16, #shared, #smem, mutable> -> tensor<128x128xf32, #linear1>
      %34 = arith.select %23, %24, %arg12 : i32
      %35 = arith.select %26, %27, %arg13 : i32
      scf.yield %acc_56, %s_36, %s_40, %34, %35 : tensor<128x128xf32, #linear1>, i32, i32, i32, i32
    } {neso.pipeline = ["loop: 2 stages, 0 groups pending, 196608 bytes", "load 0: copied by TMA 1 ahead, 3 slots of 32768 bytes", "load 1: copied by TMA 1 ahead, 3 slots of 32768 bytes"]}
    %c0_i32_26 = arith.constant 0 : i32
    %16 = ttg.memdesc_index %3[%c0_i32_26] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %16 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c1_i32_27 = arith.constant 1 : i32
    %17 = ttg.memdesc_index %3[%c1_i32_27] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %17 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c2_i32_28 = arith.constant 2 : i32
    %18 = ttg.memdesc_index %3[%c2_i32_28] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %18 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttg.local_dealloc %3 : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable>
    %c0_i32_29 = arith.constant 0 : i32
    %19 = ttg.memdesc_index %7[%c0_i32_29] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %19 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c1_i32_30 = arith.constant 1 : i32
    %20 = ttg.memdesc_index %7[%c1_i32_30] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %20 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    %c2_i32_31 = arith.constant 2 : i32
    %21 = ttg.memdesc_index %7[%c2_i32_31] : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.inval_barrier %21 : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttg.local_dealloc %7 : !ttg.memdesc<3x1xi64, #shared2, #smem, mutable>
    ttg.local_dealloc %s_11 : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable>
    ttg.local_dealloc %acc_12 : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable>
    tt.descriptor_store %arg7[%c0_i32, %c0_i32], %15#0 : !tt.tensordesc<tensor<128x128xf32, #shared1>>, tensor<128x128xf32, #linear1>
    tt.return
  }
}
