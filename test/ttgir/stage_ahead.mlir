// What a product takes turned round is turned an iteration ahead: in front of the loop for its first iteration, in it behind the product, for
// the other of two tiles, fenced there. The wait for copies of the source's order, and the barrier behind it, are gone.
// options: --pass=stage-ahead,cse,dce --verify-each --stress --no-loc
// CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<4x32x64xf8E4M3FN
// CHECK: %[[TURNED:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf8E4M3FN
// CHECK: ttg.async_wait {num = 2 : i32}
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[H0:.*]] = ttg.local_load {{.*}}memdesc<32x64xf8E4M3FN
// CHECK-NEXT: %[[T0:.*]] = ttg.memdesc_index %[[TURNED]][%c0_i32]
// CHECK-NEXT: ttg.local_store %[[H0]], %[[T0]]
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: scf.for {{.*}} %[[READ:.*]] = %c0_i32, {{.*}}, %[[THIS:[a-z0-9_]*]] = %c0_i32) ->
// CHECK-NOT: ttg.async_wait
// CHECK-NOT: gpu.barrier
// CHECK: %[[NEXT:.*]] = arith.select {{.*}}, %c0_i32, {{.*}} : i32
// CHECK-NOT: ttg.async_wait
// CHECK: %[[OTHER:.*]] = arith.xori %[[THIS]], %c1_i32
// CHECK: %[[MINE:.*]] = ttg.memdesc_index %[[TURNED]][%[[THIS]]]
// CHECK: ttng.warp_group_dot {{.*}}, %[[MINE]],
// CHECK-NEXT: ttg.async_wait {num = 1 : i32}
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[S:.*]] = ttg.memdesc_index %[[RING]][%[[NEXT]]]
// CHECK-NEXT: %[[H:.*]] = ttg.local_load %[[S]]
// CHECK-NEXT: %[[T:.*]] = ttg.memdesc_index %[[TURNED]][%[[OTHER]]]
// CHECK-NEXT: ttg.local_store %[[H]], %[[T]]
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK: scf.yield {{.*}}%[[OTHER]] :
// CHECK: ttg.local_dealloc %[[TURNED]]
#linear = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#linear1 = #ttg.linear<{register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#linear2 = #ttg.linear<{register = [[1], [2], [4], [8]], lane = [[16], [32], [0], [0], [0]], warp = [[0], [0]], block = []}>
#linear3 = #ttg.linear<{register = [], lane = [[0], [0], [1], [2], [4]], warp = [[8], [16]], block = []}>
#linear4 = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 32], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = []}>
#linear5 = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#linear6 = #ttg.linear<{register = [[1, 0], [2, 0], [16, 0], [0, 1]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#shared = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 16], [8, 0], [16, 0], [32, 0]]}, alignment = 16>
#shared1 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0], [0, 32]]}, alignment = 16>
#shared2 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 16], [8, 32], [16, 0]]}, alignment = 16>
#shared3 = #ttg.shared_linear<{offset = []}, alignment = 16>
#shared4 = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [16, 4], [0, 8], [0, 16], [0, 32]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @turned(%a: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %K: i32, %x: !tt.tensordesc<tensor<64x32xf8E4M3FN, #shared>> {neso.map = array<i64: 0, -1, -1, 2147483632, -1, 2147483632, -1, 128, -1, 1>, neso.map_pointers}, %arg5: !tt.tensordesc<tensor<64x64xf32, #shared1>> {neso.map = array<i64: 2, -1, -1, 2147483632, -1, 2147483632, -1, 64, -1, 1>, neso.map_pointers}) attributes {noinline = false} {
    %acc = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #linear>
    %c0_i32 = arith.constant 0 : i32
    %c32_i32 = arith.constant 32 : i32
    %y = arith.constant dense<128> : tensor<32x1xi32, #linear1>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #linear2>
    %1 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #linear3>
    %y_0 = tt.splat %b : !tt.ptr<f8E4M3FN> -> tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1>
    %y_1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<64xi32, #linear2> -> tensor<1x64xi32, #linear4>
    %y_2 = tt.broadcast %y_1 : tensor<1x64xi32, #linear4> -> tensor<32x64xi32, #linear5>
    %x_3 = ttg.local_alloc : () -> !ttg.memdesc<4x64x32xf8E4M3FN, #shared, #smem, mutable>
    %y_4 = ttg.local_alloc : () -> !ttg.memdesc<4x32x64xf8E4M3FN, #shared2, #smem, mutable>
    %2 = ttg.local_alloc : () -> !ttg.memdesc<4x1xi64, #shared3, #smem, mutable>
    %c0_i32_5 = arith.constant 0 : i32
    %3 = ttg.memdesc_index %2[%c0_i32_5] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.init_barrier %3 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    %c1_i32 = arith.constant 1 : i32
    %4 = ttg.memdesc_index %2[%c1_i32] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.init_barrier %4 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    %c2_i32 = arith.constant 2 : i32
    %5 = ttg.memdesc_index %2[%c2_i32] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.init_barrier %5 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    %c3_i32 = arith.constant 3 : i32
    %6 = ttg.memdesc_index %2[%c3_i32] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.init_barrier %6 {count = 1 : i32} : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    %c0_i32_6 = arith.constant 0 : i32
    %x_7 = tt.splat %c0_i32 : i32 -> tensor<32xi32, #linear3>
    %x_8 = arith.addi %x_7, %1 : tensor<32xi32, #linear3>
    %y_9 = tt.expand_dims %x_8 {axis = 1 : i32} : tensor<32xi32, #linear3> -> tensor<32x1xi32, #linear1>
    %y_10 = arith.muli %y_9, %y : tensor<32x1xi32, #linear1>
    %y_11 = tt.addptr %y_0, %y_10 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1>, tensor<32x1xi32, #linear1>
    %y_12 = tt.broadcast %y_11 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1> -> tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>
    %y_13 = tt.addptr %y_12, %y_2 : tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>, tensor<32x64xi32, #linear5>
    %y_14 = arith.cmpi slt, %c0_i32, %K : i32
    %y_15 = tt.splat %y_14 : i1 -> tensor<32x64xi1, #linear5>
    %y_16 = ttg.memdesc_index %y_4[%c0_i32_6] : !ttg.memdesc<4x32x64xf8E4M3FN, #shared2, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared2, #smem, mutable>
    %y_17 = ttg.async_copy_global_to_local %y_13, %y_16 mask %y_15 {contiguity = 16 : i32} : tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5> -> <32x64xf8E4M3FN, #shared2, #smem, mutable>
    %7 = ttg.async_commit_group
    %8 = ttg.memdesc_index %x_3[%c0_i32_6] : !ttg.memdesc<4x64x32xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable>
    %9 = ttg.memdesc_index %2[%c0_i32_6] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.barrier_expect %9, %y_14 {size = 2048 : i32} : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.async_tma_copy_global_to_local %x[%c0_i32, %c0_i32] %8, %9, %y_14 : !tt.tensordesc<tensor<64x32xf8E4M3FN, #shared>>, !ttg.memdesc<1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable>
    %x_18 = arith.constant 1 : i32
    %y_19 = arith.constant 32 : i32
    %y_20 = arith.addi %c0_i32, %y_19 : i32
    %x_21 = tt.splat %y_20 : i32 -> tensor<32xi32, #linear3>
    %x_22 = arith.addi %x_21, %1 : tensor<32xi32, #linear3>
    %y_23 = tt.expand_dims %x_22 {axis = 1 : i32} : tensor<32xi32, #linear3> -> tensor<32x1xi32, #linear1>
    %y_24 = arith.muli %y_23, %y : tensor<32x1xi32, #linear1>
    %y_25 = tt.addptr %y_0, %y_24 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1>, tensor<32x1xi32, #linear1>
    %y_26 = tt.broadcast %y_25 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1> -> tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>
    %y_27 = tt.addptr %y_26, %y_2 : tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>, tensor<32x64xi32, #linear5>
    %y_28 = arith.subi %K, %c0_i32 : i32
    %y_29 = arith.constant 32 : i32
    %y_30 = arith.cmpi ugt, %y_28, %y_29 : i32
    %y_31 = arith.andi %y_14, %y_30 : i1
    %y_32 = tt.splat %y_31 : i1 -> tensor<32x64xi1, #linear5>
    %y_33 = ttg.memdesc_index %y_4[%x_18] : !ttg.memdesc<4x32x64xf8E4M3FN, #shared2, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared2, #smem, mutable>
    %y_34 = ttg.async_copy_global_to_local %y_27, %y_33 mask %y_32 {contiguity = 16 : i32} : tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5> -> <32x64xf8E4M3FN, #shared2, #smem, mutable>
    %10 = ttg.async_commit_group
    %11 = ttg.memdesc_index %x_3[%x_18] : !ttg.memdesc<4x64x32xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable>
    %12 = ttg.memdesc_index %2[%x_18] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.barrier_expect %12, %y_31 {size = 2048 : i32} : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.async_tma_copy_global_to_local %x[%c0_i32, %y_20] %11, %12, %y_31 : !tt.tensordesc<tensor<64x32xf8E4M3FN, #shared>>, !ttg.memdesc<1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable>
    %x_35 = arith.constant 2 : i32
    %y_36 = arith.constant 64 : i32
    %y_37 = arith.addi %c0_i32, %y_36 : i32
    %x_38 = tt.splat %y_37 : i32 -> tensor<32xi32, #linear3>
    %x_39 = arith.addi %x_38, %1 : tensor<32xi32, #linear3>
    %y_40 = tt.expand_dims %x_39 {axis = 1 : i32} : tensor<32xi32, #linear3> -> tensor<32x1xi32, #linear1>
    %y_41 = arith.muli %y_40, %y : tensor<32x1xi32, #linear1>
    %y_42 = tt.addptr %y_0, %y_41 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1>, tensor<32x1xi32, #linear1>
    %y_43 = tt.broadcast %y_42 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1> -> tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>
    %y_44 = tt.addptr %y_43, %y_2 : tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>, tensor<32x64xi32, #linear5>
    %y_45 = arith.constant 64 : i32
    %y_46 = arith.cmpi ugt, %y_28, %y_45 : i32
    %y_47 = arith.andi %y_14, %y_46 : i1
    %y_48 = tt.splat %y_47 : i1 -> tensor<32x64xi1, #linear5>
    %y_49 = ttg.memdesc_index %y_4[%x_35] : !ttg.memdesc<4x32x64xf8E4M3FN, #shared2, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared2, #smem, mutable>
    %y_50 = ttg.async_copy_global_to_local %y_44, %y_49 mask %y_48 {contiguity = 16 : i32} : tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5> -> <32x64xf8E4M3FN, #shared2, #smem, mutable>
    %13 = ttg.async_commit_group
    %14 = ttg.memdesc_index %x_3[%x_35] : !ttg.memdesc<4x64x32xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable>
    %15 = ttg.memdesc_index %2[%x_35] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.barrier_expect %15, %y_47 {size = 2048 : i32} : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.async_tma_copy_global_to_local %x[%c0_i32, %y_37] %14, %15, %y_47 : !tt.tensordesc<tensor<64x32xf8E4M3FN, #shared>>, !ttg.memdesc<1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable>
    %x_51 = arith.constant 0 : i32
    %x_52 = arith.constant 3 : i32
    %x_53 = arith.constant 3 : i32
    %x_54 = arith.constant 0 : i32
    %16:4 = scf.for %i = %c0_i32 to %K step %c32_i32 iter_args(%acc_59 = %acc, %arg8 = %x_51, %arg9 = %x_52, %arg10 = %x_54) -> (tensor<64x64xf32, #linear>, i32, i32, i32)  : i32 {
      %22 = ttg.async_wait {num = 2 : i32}
      %c1_i32_60 = arith.constant 1 : i32
      %23 = arith.addi %arg8, %c1_i32_60 : i32
      %24 = arith.cmpi eq, %arg8, %x_53 : i32
      %25 = arith.select %24, %x_51, %23 : i32
      gpu.barrier
      %26 = ttg.memdesc_index %2[%arg8] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
      ttng.wait_barrier %26, %arg10 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
      %c1_i32_61 = arith.constant 1 : i32
      %27 = arith.cmpi eq, %25, %x_54 : i32
      %28 = arith.xori %arg10, %c1_i32_61 : i32
      %y_62 = arith.constant 96 : i32
      %y_63 = arith.addi %i, %y_62 : i32
      %x_64 = tt.splat %y_63 : i32 -> tensor<32xi32, #linear3>
      %x_65 = arith.addi %x_64, %1 : tensor<32xi32, #linear3>
      %y_66 = tt.expand_dims %x_65 {axis = 1 : i32} : tensor<32xi32, #linear3> -> tensor<32x1xi32, #linear1>
      %y_67 = arith.muli %y_66, %y : tensor<32x1xi32, #linear1>
      %y_68 = tt.addptr %y_0, %y_67 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1>, tensor<32x1xi32, #linear1>
      %y_69 = tt.broadcast %y_68 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1> -> tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>
      %y_70 = tt.addptr %y_69, %y_2 : tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>, tensor<32x64xi32, #linear5>
      %y_71 = arith.subi %K, %i : i32
      %y_72 = arith.constant 96 : i32
      %y_73 = arith.cmpi ugt, %y_71, %y_72 : i32
      %y_74 = tt.splat %y_73 : i1 -> tensor<32x64xi1, #linear5>
      %y_75 = ttg.memdesc_index %y_4[%arg9] : !ttg.memdesc<4x32x64xf8E4M3FN, #shared2, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared2, #smem, mutable>
      %29 = ttg.memdesc_index %x_3[%arg9] : !ttg.memdesc<4x64x32xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable>
      %30 = ttg.memdesc_index %2[%arg9] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
      %x_76 = tt.splat %i : i32 -> tensor<32xi32, #linear3>
      %x_77 = arith.addi %x_76, %1 : tensor<32xi32, #linear3>
      %y_78 = tt.expand_dims %x_77 {axis = 1 : i32} : tensor<32xi32, #linear3> -> tensor<32x1xi32, #linear1>
      %y_79 = arith.muli %y_78, %y : tensor<32x1xi32, #linear1>
      %y_80 = tt.addptr %y_0, %y_79 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1>, tensor<32x1xi32, #linear1>
      %y_81 = tt.broadcast %y_80 : tensor<32x1x!tt.ptr<f8E4M3FN>, #linear1> -> tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>
      %y_82 = tt.addptr %y_81, %y_2 : tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5>, tensor<32x64xi32, #linear5>
      %acc_83 = ttg.memdesc_index %x_3[%arg8] : !ttg.memdesc<4x64x32xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable>
      %y_84 = ttg.memdesc_index %y_4[%arg8] : !ttg.memdesc<4x32x64xf8E4M3FN, #shared2, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared2, #smem, mutable>
      %y_85 = ttg.local_load %y_84 : !ttg.memdesc<32x64xf8E4M3FN, #shared2, #smem, mutable> -> tensor<32x64xf8E4M3FN, #linear6>
      %acc_86 = ttg.local_alloc %y_85 : (tensor<32x64xf8E4M3FN, #linear6>) -> !ttg.memdesc<32x64xf8E4M3FN, #shared4, #smem>
      %acc_87 = ttng.warp_group_dot %acc_83, %acc_86, %acc_59 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable> * !ttg.memdesc<32x64xf8E4M3FN, #shared4, #smem> -> tensor<64x64xf32, #linear>
      %y_88 = ttg.async_copy_global_to_local %y_70, %y_75 mask %y_74 {contiguity = 16 : i32, neso.free_slot} : tensor<32x64x!tt.ptr<f8E4M3FN>, #linear5> -> <32x64xf8E4M3FN, #shared2, #smem, mutable>
      %31 = ttg.async_commit_group
      ttng.barrier_expect %30, %y_73 {size = 2048 : i32} : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
      ttng.async_tma_copy_global_to_local %x[%c0_i32, %y_63] %29, %30, %y_73 {neso.free_slot} : !tt.tensordesc<tensor<64x32xf8E4M3FN, #shared>>, !ttg.memdesc<1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<64x32xf8E4M3FN, #shared, #smem, mutable>
      %acc_89 = ttng.warp_group_dot_wait %acc_87 {pendings = 0 : i32} : tensor<64x64xf32, #linear>
      %32 = arith.select %27, %28, %arg10 : i32
      scf.yield %acc_89, %25, %arg8, %32 : tensor<64x64xf32, #linear>, i32, i32, i32
    } {neso.pipeline = ["loop: 4 stages, 2 groups pending, 16384 bytes", "load 0: copied by TMA 3 ahead, 4 slots of 2048 bytes", "load 1: copied 3 ahead, 16 bytes at once, 4 slots of 2048 bytes"]}
    %17 = ttg.async_wait {num = 0 : i32}
    %c0_i32_55 = arith.constant 0 : i32
    %18 = ttg.memdesc_index %2[%c0_i32_55] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.inval_barrier %18 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    %c1_i32_56 = arith.constant 1 : i32
    %19 = ttg.memdesc_index %2[%c1_i32_56] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.inval_barrier %19 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    %c2_i32_57 = arith.constant 2 : i32
    %20 = ttg.memdesc_index %2[%c2_i32_57] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.inval_barrier %20 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    %c3_i32_58 = arith.constant 3 : i32
    %21 = ttg.memdesc_index %2[%c3_i32_58] : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable> -> !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttng.inval_barrier %21 : !ttg.memdesc<1xi64, #shared3, #smem, mutable>
    ttg.local_dealloc %2 : !ttg.memdesc<4x1xi64, #shared3, #smem, mutable>
    ttg.local_dealloc %x_3 : !ttg.memdesc<4x64x32xf8E4M3FN, #shared, #smem, mutable>
    ttg.local_dealloc %y_4 : !ttg.memdesc<4x32x64xf8E4M3FN, #shared2, #smem, mutable>
    tt.descriptor_store %arg5[%c0_i32, %c0_i32], %16#0 : !tt.tensordesc<tensor<64x64xf32, #shared1>>, tensor<64x64xf32, #linear>
    tt.return
  }
}
