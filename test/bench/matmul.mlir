// not a test: a kernel of interp_bench.c
module {
  tt.func public @matmul_kernel(%a_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<f16>, %c_ptr: !tt.ptr<f16>, %M: i32, %N: i32, %K: i32, %sam: i32, %sak: i32, %sbk: i32, %sbn: i32, %scm: i32, %scn: i32) attributes {noinline = false} {
    %c63_i32 = arith.constant 63 : i32
    %acc = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
    %c127_i32 = arith.constant 127 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xf16>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %c128_i32 = arith.constant 128 : i32
    %c8_i32 = arith.constant 8 : i32
    %pid = tt.get_program_id x : i32
    %npm = arith.addi %M, %c127_i32 : i32
    %npm_1 = arith.divsi %npm, %c128_i32 : i32
    %npn = arith.addi %N, %c127_i32 : i32
    %npn_2 = arith.divsi %npn, %c128_i32 : i32
    %per = arith.muli %npn_2, %c8_i32 : i32
    %gid = arith.divsi %pid, %per : i32
    %first = arith.muli %gid, %c8_i32 : i32
    %gsz = arith.subi %npm_1, %first : i32
    %gsz_3 = arith.minsi %gsz, %c8_i32 : i32
    %pm = arith.remsi %pid, %per : i32
    %pm_4 = arith.remsi %pm, %gsz_3 : i32
    %pm_5 = arith.addi %first, %pm_4 : i32
    %pn = arith.divsi %pm, %gsz_3 : i32
    %rm = arith.muli %pm_5, %c128_i32 : i32
    %rm_6 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %rm_7 = tt.splat %rm : i32 -> tensor<128xi32>
    %rm_8 = arith.addi %rm_7, %rm_6 : tensor<128xi32>
    %rm_9 = tt.splat %M : i32 -> tensor<128xi32>
    %rm_10 = arith.remsi %rm_8, %rm_9 : tensor<128xi32>
    %rn = arith.muli %pn, %c128_i32 : i32
    %rn_11 = tt.splat %rn : i32 -> tensor<128xi32>
    %rn_12 = arith.addi %rn_11, %rm_6 : tensor<128xi32>
    %rn_13 = tt.splat %N : i32 -> tensor<128xi32>
    %rn_14 = arith.remsi %rn_12, %rn_13 : tensor<128xi32>
    %rk = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %a = tt.expand_dims %rm_10 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %a_15 = tt.splat %sam : i32 -> tensor<128x1xi32>
    %a_16 = arith.muli %a, %a_15 : tensor<128x1xi32>
    %a_17 = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %a_18 = tt.addptr %a_17, %a_16 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %a_19 = tt.expand_dims %rk {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %a_20 = tt.splat %sak : i32 -> tensor<1x64xi32>
    %a_21 = arith.muli %a_19, %a_20 : tensor<1x64xi32>
    %a_22 = tt.broadcast %a_18 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %a_23 = tt.broadcast %a_21 : tensor<1x64xi32> -> tensor<128x64xi32>
    %a_24 = tt.addptr %a_22, %a_23 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %b = tt.expand_dims %rk {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %b_25 = tt.splat %sbk : i32 -> tensor<64x1xi32>
    %b_26 = arith.muli %b, %b_25 : tensor<64x1xi32>
    %b_27 = tt.splat %b_ptr : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %b_28 = tt.addptr %b_27, %b_26 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %b_29 = tt.expand_dims %rn_14 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %b_30 = tt.splat %sbn : i32 -> tensor<1x128xi32>
    %b_31 = arith.muli %b_29, %b_30 : tensor<1x128xi32>
    %b_32 = tt.broadcast %b_28 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x128x!tt.ptr<f16>>
    %b_33 = tt.broadcast %b_31 : tensor<1x128xi32> -> tensor<64x128xi32>
    %b_34 = tt.addptr %b_32, %b_33 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %0 = arith.addi %K, %c63_i32 : i32
    %1 = arith.divsi %0, %c64_i32 : i32
    %acc_35:3 = scf.for %k = %c0_i32 to %1 step %c1_i32 iter_args(%a_36 = %a_24, %b_37 = %b_34, %acc_38 = %acc) -> (tensor<128x64x!tt.ptr<f16>>, tensor<64x128x!tt.ptr<f16>>, tensor<128x128xf32>)  : i32 {
      %av = arith.muli %k, %c64_i32 : i32
      %av_39 = arith.subi %K, %av : i32
      %av_40 = tt.splat %av_39 : i32 -> tensor<1x64xi32>
      %av_41 = arith.cmpi slt, %a_19, %av_40 : tensor<1x64xi32>
      %av_42 = tt.broadcast %av_41 : tensor<1x64xi1> -> tensor<128x64xi1>
      %av_43 = tt.load %a_36, %av_42, %cst_0 : tensor<128x64x!tt.ptr<f16>>
      %bv = tt.splat %av_39 : i32 -> tensor<64x1xi32>
      %bv_44 = arith.cmpi slt, %b, %bv : tensor<64x1xi32>
      %bv_45 = tt.broadcast %bv_44 : tensor<64x1xi1> -> tensor<64x128xi1>
      %bv_46 = tt.load %b_37, %bv_45, %cst : tensor<64x128x!tt.ptr<f16>>
      %acc_47 = tt.dot %av_43, %bv_46, %acc_38, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      %a_48 = arith.muli %sak, %c64_i32 : i32
      %a_49 = tt.splat %a_48 : i32 -> tensor<128x64xi32>
      %a_50 = tt.addptr %a_36, %a_49 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
      %b_51 = arith.muli %sbk, %c64_i32 : i32
      %b_52 = tt.splat %b_51 : i32 -> tensor<64x128xi32>
      %b_53 = tt.addptr %b_37, %b_52 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
      scf.yield %a_50, %b_53, %acc_47 : tensor<128x64x!tt.ptr<f16>>, tensor<64x128x!tt.ptr<f16>>, tensor<128x128xf32>
    }
    %c = arith.truncf %acc_35#2 : tensor<128x128xf32> to tensor<128x128xf16>
    %2 = tt.expand_dims %rm_8 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %3 = tt.splat %M : i32 -> tensor<128x1xi32>
    %4 = arith.cmpi slt, %2, %3 : tensor<128x1xi32>
    %5 = tt.expand_dims %rn_12 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %6 = tt.splat %N : i32 -> tensor<1x128xi32>
    %7 = arith.cmpi slt, %5, %6 : tensor<1x128xi32>
    %8 = tt.broadcast %4 : tensor<128x1xi1> -> tensor<128x128xi1>
    %9 = tt.broadcast %7 : tensor<1x128xi1> -> tensor<128x128xi1>
    %10 = arith.andi %8, %9 : tensor<128x128xi1>
    %11 = tt.splat %scm : i32 -> tensor<128x1xi32>
    %12 = arith.muli %2, %11 : tensor<128x1xi32>
    %13 = tt.splat %c_ptr : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %14 = tt.addptr %13, %12 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %15 = tt.splat %scn : i32 -> tensor<1x128xi32>
    %16 = arith.muli %5, %15 : tensor<1x128xi32>
    %17 = tt.broadcast %14 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x128x!tt.ptr<f16>>
    %18 = tt.broadcast %16 : tensor<1x128xi32> -> tensor<128x128xi32>
    %19 = tt.addptr %17, %18 : tensor<128x128x!tt.ptr<f16>>, tensor<128x128xi32>
    tt.store %19, %c, %10 : tensor<128x128x!tt.ptr<f16>>
    tt.return
  }
}
