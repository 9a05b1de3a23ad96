// A matmul that Triton 3.6 pipelined for sm_80: asynchronous copies, a ring of buffers, operands and results of mma.sync. It is read, its
// layouts fit, and it gets its place in shared memory; the copies, the fragments and the instructions come out.
// run: neso opt --pass=dce,coalesce --verify-each --stress --no-loc --target sm_80 %s
// run: codegen_tool --target sm_80 --emit ttgir %s
// run: codegen_tool --target sm_80 %s
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.shared = {{[1-9]}}
// CHECK: cp.async
// CHECK: ldmatrix
// CHECK: mma.sync
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @matmul_kernel(%a_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32 {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}, %sam: i32 {tt.divisibility = 16 : i32}, %sbk: i32 {tt.divisibility = 16 : i32}, %scm: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<128x128xf32, #mma>
    %c31_i32 = arith.constant 31 : i32
    %c127_i32 = arith.constant 127 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<32x128xf16, #blocked>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<128x32xf16, #blocked1>
    %c8_i32 = arith.constant 8 : i32
    %c128_i32 = arith.constant 128 : i32
    %c32_i32 = arith.constant 32 : i32
    %cst_2 = arith.constant dense<32> : tensor<128x32xi32, #blocked1>
    %c-1_i32 = arith.constant -1 : i32
    %c2_i32 = arith.constant 2 : i32
    %pid = tt.get_program_id x : i32
    %npm = arith.addi %M, %c127_i32 : i32
    %npm_3 = arith.divsi %npm, %c128_i32 : i32
    %npn = arith.addi %N, %c127_i32 : i32
    %npn_4 = arith.divsi %npn, %c128_i32 : i32
    %per = arith.muli %npn_4, %c8_i32 : i32
    %gid = arith.divsi %pid, %per : i32
    %first = arith.muli %gid, %c8_i32 : i32
    %gsz = arith.subi %npm_3, %first : i32
    %gsz_5 = arith.minsi %gsz, %c8_i32 : i32
    %pm = arith.remsi %pid, %per : i32
    %pm_6 = arith.remsi %pm, %gsz_5 : i32
    %pm_7 = arith.addi %first, %pm_6 : i32
    %pn = arith.divsi %pm, %gsz_5 : i32
    %rm = arith.muli %pm_7, %c128_i32 : i32
    %rm_8 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %rm_9 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rm_10 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %rm_11 = tt.splat %rm : i32 -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %rm_12 = tt.splat %rm : i32 -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rm_13 = arith.addi %rm_11, %rm_8 : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %rm_14 = arith.addi %rm_12, %rm_9 : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rm_15 = tt.splat %M : i32 -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %rm_16 = arith.remsi %rm_13, %rm_15 : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %rn = arith.muli %pn, %c128_i32 : i32
    %rn_17 = tt.splat %rn : i32 -> tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %rn_18 = arith.addi %rn_17, %rm_10 : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %rn_19 = tt.splat %N : i32 -> tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %rn_20 = arith.remsi %rn_18, %rn_19 : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %a = tt.expand_dims %rm_16 {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<128x1xi32, #blocked1>
    %a_21 = tt.splat %sam : i32 -> tensor<128x1xi32, #blocked1>
    %a_22 = arith.muli %a, %a_21 : tensor<128x1xi32, #blocked1>
    %a_23 = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #blocked1>
    %a_24 = tt.addptr %a_23, %a_22 : tensor<128x1x!tt.ptr<f16>, #blocked1>, tensor<128x1xi32, #blocked1>
    %a_25 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %a_26 = tt.expand_dims %a_25 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x32xi32, #blocked1>
    %a_27 = tt.broadcast %a_24 : tensor<128x1x!tt.ptr<f16>, #blocked1> -> tensor<128x32x!tt.ptr<f16>, #blocked1>
    %a_28 = tt.broadcast %a_26 : tensor<1x32xi32, #blocked1> -> tensor<128x32xi32, #blocked1>
    %a_29 = tt.addptr %a_27, %a_28 : tensor<128x32x!tt.ptr<f16>, #blocked1>, tensor<128x32xi32, #blocked1>
    %b = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %b_30 = tt.expand_dims %b {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %b_31 = tt.splat %sbk : i32 -> tensor<32x1xi32, #blocked>
    %b_32 = arith.muli %b_30, %b_31 : tensor<32x1xi32, #blocked>
    %b_33 = tt.splat %b_ptr : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>, #blocked>
    %b_34 = tt.addptr %b_33, %b_32 : tensor<32x1x!tt.ptr<f16>, #blocked>, tensor<32x1xi32, #blocked>
    %b_35 = tt.expand_dims %rn_20 {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
    %b_36 = tt.broadcast %b_34 : tensor<32x1x!tt.ptr<f16>, #blocked> -> tensor<32x128x!tt.ptr<f16>, #blocked>
    %b_37 = tt.broadcast %b_35 : tensor<1x128xi32, #blocked> -> tensor<32x128xi32, #blocked>
    %b_38 = tt.addptr %b_36, %b_37 : tensor<32x128x!tt.ptr<f16>, #blocked>, tensor<32x128xi32, #blocked>
    %0 = arith.addi %K, %c31_i32 : i32
    %1 = arith.divsi %0, %c32_i32 : i32
    %b_39 = arith.muli %sbk, %c32_i32 : i32
    %b_40 = tt.splat %b_39 : i32 -> tensor<32x128xi32, #blocked>
    %av = ttg.local_alloc : () -> !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable>
    %bv = ttg.local_alloc : () -> !ttg.memdesc<2x32x128xf16, #shared1, #smem, mutable>
    %acc = arith.cmpi sgt, %1, %c0_i32 : i32
    %av_41 = tt.splat %K : i32 -> tensor<1x32xi32, #blocked1>
    %av_42 = arith.cmpi slt, %a_26, %av_41 : tensor<1x32xi32, #blocked1>
    %av_43 = tt.broadcast %av_42 : tensor<1x32xi1, #blocked1> -> tensor<128x32xi1, #blocked1>
    %av_44 = ttg.memdesc_index %av[%c0_i32] : !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x32xf16, #shared, #smem, mutable>
    %acc_45 = tt.splat %acc : i1 -> tensor<128x32xi1, #blocked1>
    %acc_46 = arith.andi %acc_45, %av_43 : tensor<128x32xi1, #blocked1>
    %av_47 = ttg.async_copy_global_to_local %a_29, %av_44 mask %acc_46 other %cst_1 {contiguity = 8 : i32} : tensor<128x32x!tt.ptr<f16>, #blocked1> -> <128x32xf16, #shared, #smem, mutable>
    %av_48 = ttg.async_commit_group tokens %av_47
    %bv_49 = tt.splat %K : i32 -> tensor<32x1xi32, #blocked>
    %bv_50 = arith.cmpi slt, %b_30, %bv_49 : tensor<32x1xi32, #blocked>
    %bv_51 = tt.broadcast %bv_50 : tensor<32x1xi1, #blocked> -> tensor<32x128xi1, #blocked>
    %bv_52 = ttg.memdesc_index %bv[%c0_i32] : !ttg.memdesc<2x32x128xf16, #shared1, #smem, mutable> -> !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>
    %acc_53 = tt.splat %acc : i1 -> tensor<32x128xi1, #blocked>
    %acc_54 = arith.andi %acc_53, %bv_51 : tensor<32x128xi1, #blocked>
    %bv_55 = ttg.async_copy_global_to_local %b_38, %bv_52 mask %acc_54 other %cst_0 {contiguity = 8 : i32} : tensor<32x128x!tt.ptr<f16>, #blocked> -> <32x128xf16, #shared1, #smem, mutable>
    %bv_56 = ttg.async_commit_group tokens %bv_55
    %acc_57 = arith.cmpi sgt, %1, %c1_i32 : i32
    %a_58 = tt.addptr %a_29, %cst_2 : tensor<128x32x!tt.ptr<f16>, #blocked1>, tensor<128x32xi32, #blocked1>
    %b_59 = tt.addptr %b_38, %b_40 : tensor<32x128x!tt.ptr<f16>, #blocked>, tensor<32x128xi32, #blocked>
    %av_60 = arith.subi %K, %c32_i32 : i32
    %av_61 = tt.splat %av_60 : i32 -> tensor<1x32xi32, #blocked1>
    %av_62 = arith.cmpi slt, %a_26, %av_61 : tensor<1x32xi32, #blocked1>
    %av_63 = tt.broadcast %av_62 : tensor<1x32xi1, #blocked1> -> tensor<128x32xi1, #blocked1>
    %av_64 = ttg.memdesc_index %av[%c1_i32] : !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x32xf16, #shared, #smem, mutable>
    %acc_65 = tt.splat %acc_57 : i1 -> tensor<128x32xi1, #blocked1>
    %acc_66 = arith.andi %acc_65, %av_63 : tensor<128x32xi1, #blocked1>
    %av_67 = ttg.async_copy_global_to_local %a_58, %av_64 mask %acc_66 other %cst_1 {contiguity = 8 : i32} : tensor<128x32x!tt.ptr<f16>, #blocked1> -> <128x32xf16, #shared, #smem, mutable>
    %av_68 = ttg.async_commit_group tokens %av_67
    %bv_69 = tt.splat %av_60 : i32 -> tensor<32x1xi32, #blocked>
    %bv_70 = arith.cmpi slt, %b_30, %bv_69 : tensor<32x1xi32, #blocked>
    %bv_71 = tt.broadcast %bv_70 : tensor<32x1xi1, #blocked> -> tensor<32x128xi1, #blocked>
    %bv_72 = ttg.memdesc_index %bv[%c1_i32] : !ttg.memdesc<2x32x128xf16, #shared1, #smem, mutable> -> !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>
    %acc_73 = tt.splat %acc_57 : i1 -> tensor<32x128xi1, #blocked>
    %acc_74 = arith.andi %acc_73, %bv_71 : tensor<32x128xi1, #blocked>
    %bv_75 = ttg.async_copy_global_to_local %b_59, %bv_72 mask %acc_74 other %cst_0 {contiguity = 8 : i32} : tensor<32x128x!tt.ptr<f16>, #blocked> -> <32x128xf16, #shared1, #smem, mutable>
    %bv_76 = ttg.async_commit_group tokens %bv_75
    %acc_77:9 = scf.for %acc_79 = %c0_i32 to %1 step %c1_i32 iter_args(%acc_80 = %cst, %a_81 = %a_58, %b_82 = %b_59, %arg13 = %c1_i32, %acc_83 = %c-1_i32, %av_84 = %av_48, %av_85 = %av_68, %bv_86 = %bv_56, %bv_87 = %bv_76) -> (tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked1>, tensor<32x128x!tt.ptr<f16>, #blocked>, i32, i32, !ttg.async.token, !ttg.async.token, !ttg.async.token, !ttg.async.token)  : i32 {
      %acc_88 = arith.subi %1, %c2_i32 : i32
      %acc_89 = arith.cmpi slt, %acc_79, %acc_88 : i32
      %acc_90 = arith.addi %acc_83, %c1_i32 : i32
      %acc_91 = arith.cmpi sge, %acc_90, %c2_i32 : i32
      %acc_92 = arith.select %acc_91, %c0_i32, %acc_90 : i32
      %av_93 = ttg.async_wait %av_84, %bv_86 {num = 2 : i32}
      %av_94 = ttg.memdesc_index %av[%acc_92] : !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x32xf16, #shared, #smem, mutable>
      %av_95 = ttg.local_load %av_94 token %av_93 : !ttg.memdesc<128x32xf16, #shared, #smem, mutable> -> tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
      %bv_96 = ttg.memdesc_index %bv[%acc_92] : !ttg.memdesc<2x32x128xf16, #shared1, #smem, mutable> -> !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>
      %bv_97 = ttg.local_load %bv_96 token %av_93 : !ttg.memdesc<32x128xf16, #shared1, #smem, mutable> -> tensor<32x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
      %acc_98 = tt.dot %av_95, %bv_97, %acc_80, inputPrecision = tf32 : tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<32x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<128x128xf32, #mma>
      %a_99 = tt.addptr %a_81, %cst_2 : tensor<128x32x!tt.ptr<f16>, #blocked1>, tensor<128x32xi32, #blocked1>
      %b_100 = tt.addptr %b_82, %b_40 : tensor<32x128x!tt.ptr<f16>, #blocked>, tensor<32x128xi32, #blocked>
      %acc_101 = arith.addi %arg13, %c1_i32 : i32
      %acc_102 = arith.cmpi sge, %acc_101, %c2_i32 : i32
      %acc_103 = arith.select %acc_102, %c0_i32, %acc_101 : i32
      %acc_104 = arith.addi %acc_79, %c2_i32 : i32
      %av_105 = arith.muli %acc_104, %c32_i32 : i32
      %av_106 = arith.subi %K, %av_105 : i32
      %av_107 = tt.splat %av_106 : i32 -> tensor<1x32xi32, #blocked1>
      %av_108 = arith.cmpi slt, %a_26, %av_107 : tensor<1x32xi32, #blocked1>
      %av_109 = tt.broadcast %av_108 : tensor<1x32xi1, #blocked1> -> tensor<128x32xi1, #blocked1>
      %av_110 = ttg.memdesc_index %av[%acc_103] : !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x32xf16, #shared, #smem, mutable>
      %acc_111 = tt.splat %acc_89 : i1 -> tensor<128x32xi1, #blocked1>
      %acc_112 = arith.andi %acc_111, %av_109 : tensor<128x32xi1, #blocked1>
      %av_113 = ttg.async_copy_global_to_local %a_99, %av_110 mask %acc_112 other %cst_1 {contiguity = 8 : i32} : tensor<128x32x!tt.ptr<f16>, #blocked1> -> <128x32xf16, #shared, #smem, mutable>
      %av_114 = ttg.async_commit_group tokens %av_113
      %bv_115 = tt.splat %av_106 : i32 -> tensor<32x1xi32, #blocked>
      %bv_116 = arith.cmpi slt, %b_30, %bv_115 : tensor<32x1xi32, #blocked>
      %bv_117 = tt.broadcast %bv_116 : tensor<32x1xi1, #blocked> -> tensor<32x128xi1, #blocked>
      %bv_118 = ttg.memdesc_index %bv[%acc_103] : !ttg.memdesc<2x32x128xf16, #shared1, #smem, mutable> -> !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>
      %acc_119 = tt.splat %acc_89 : i1 -> tensor<32x128xi1, #blocked>
      %acc_120 = arith.andi %acc_119, %bv_117 : tensor<32x128xi1, #blocked>
      %bv_121 = ttg.async_copy_global_to_local %b_100, %bv_118 mask %acc_120 other %cst_0 {contiguity = 8 : i32} : tensor<32x128x!tt.ptr<f16>, #blocked> -> <32x128xf16, #shared1, #smem, mutable>
      %bv_122 = ttg.async_commit_group tokens %bv_121
      scf.yield %acc_98, %a_99, %b_100, %acc_103, %acc_92, %av_85, %av_114, %bv_87, %bv_122 : tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked1>, tensor<32x128x!tt.ptr<f16>, #blocked>, i32, i32, !ttg.async.token, !ttg.async.token, !ttg.async.token, !ttg.async.token
    }
    %acc_78 = ttg.async_wait {num = 0 : i32}
    ttg.local_dealloc %bv : !ttg.memdesc<2x32x128xf16, #shared1, #smem, mutable>
    ttg.local_dealloc %av : !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable>
    %c = arith.truncf %acc_77#0 : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
    %2 = tt.expand_dims %rm_14 {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<128x1xi32, #blocked>
    %3 = tt.splat %M : i32 -> tensor<128x1xi32, #blocked>
    %4 = arith.cmpi slt, %2, %3 : tensor<128x1xi32, #blocked>
    %5 = tt.expand_dims %rn_18 {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
    %6 = tt.splat %N : i32 -> tensor<1x128xi32, #blocked>
    %7 = arith.cmpi slt, %5, %6 : tensor<1x128xi32, #blocked>
    %8 = tt.broadcast %4 : tensor<128x1xi1, #blocked> -> tensor<128x128xi1, #blocked>
    %9 = tt.broadcast %7 : tensor<1x128xi1, #blocked> -> tensor<128x128xi1, #blocked>
    %10 = arith.andi %8, %9 : tensor<128x128xi1, #blocked>
    %11 = tt.splat %scm : i32 -> tensor<128x1xi32, #blocked>
    %12 = arith.muli %2, %11 : tensor<128x1xi32, #blocked>
    %13 = tt.splat %c_ptr : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #blocked>
    %14 = tt.addptr %13, %12 : tensor<128x1x!tt.ptr<f16>, #blocked>, tensor<128x1xi32, #blocked>
    %15 = tt.broadcast %14 : tensor<128x1x!tt.ptr<f16>, #blocked> -> tensor<128x128x!tt.ptr<f16>, #blocked>
    %16 = tt.broadcast %5 : tensor<1x128xi32, #blocked> -> tensor<128x128xi32, #blocked>
    %17 = tt.addptr %15, %16 : tensor<128x128x!tt.ptr<f16>, #blocked>, tensor<128x128xi32, #blocked>
    %18 = ttg.convert_layout %c : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #blocked>
    tt.store %17, %18, %10 : tensor<128x128x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
