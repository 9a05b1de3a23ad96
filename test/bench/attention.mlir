// not a test: a kernel of interp_bench.c
module {
  tt.func public @attn_kernel(%Q: !tt.ptr<f16>, %K: !tt.ptr<f16>, %V: !tt.ptr<f16>, %O: !tt.ptr<f16>, %scale: f32, %N: i32, %H: i32, %sz: i32, %sh: i32, %sn: i32) attributes {noinline = false} {
    %li = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0xFF800000> : tensor<128x64xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
    %c1_i32 = arith.constant 1 : i32
    %cst_1 = arith.constant 1.44269502 : f32
    %mi = arith.constant dense<0xFF800000> : tensor<128xf32>
    %c128_i32 = arith.constant 128 : i32
    %start = tt.get_program_id x : i32
    %hz = tt.get_program_id y : i32
    %base = arith.divsi %hz, %H : i32
    %base_2 = arith.extsi %base : i32 to i64
    %base_3 = arith.extsi %sz : i32 to i64
    %base_4 = arith.muli %base_2, %base_3 : i64
    %base_5 = arith.remsi %hz, %H : i32
    %base_6 = arith.extsi %base_5 : i32 to i64
    %base_7 = arith.extsi %sh : i32 to i64
    %base_8 = arith.muli %base_6, %base_7 : i64
    %base_9 = arith.addi %base_4, %base_8 : i64
    %om = arith.muli %start, %c128_i32 : i32
    %om_10 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %om_11 = tt.splat %om : i32 -> tensor<128xi32>
    %om_12 = arith.addi %om_11, %om_10 : tensor<128xi32>
    %on = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %q = tt.addptr %Q, %base_9 : !tt.ptr<f16>, i64
    %q_13 = tt.expand_dims %om_12 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %q_14 = tt.splat %sn : i32 -> tensor<128x1xi32>
    %q_15 = arith.muli %q_13, %q_14 : tensor<128x1xi32>
    %q_16 = tt.splat %q : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %q_17 = tt.addptr %q_16, %q_15 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %q_18 = tt.expand_dims %on {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %q_19 = tt.broadcast %q_17 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %q_20 = tt.broadcast %q_18 : tensor<1x64xi32> -> tensor<128x64xi32>
    %q_21 = tt.addptr %q_19, %q_20 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %q_22 = tt.load %q_21 : tensor<128x64x!tt.ptr<f16>>
    %qs = arith.mulf %scale, %cst_1 : f32
    %hi = arith.addi %start, %c1_i32 : i32
    %hi_23 = arith.muli %hi, %c128_i32 : i32
    %acc:3 = scf.for %n = %c0_i32 to %hi_23 step %c64_i32 iter_args(%mi_27 = %mi, %li_28 = %li, %acc_29 = %cst_0) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>)  : i32 {
      %k = tt.addptr %K, %base_9 : !tt.ptr<f16>, i64
      %k_30 = tt.splat %n : i32 -> tensor<64xi32>
      %k_31 = arith.addi %k_30, %on : tensor<64xi32>
      %k_32 = tt.expand_dims %k_31 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %k_33 = tt.splat %sn : i32 -> tensor<1x64xi32>
      %k_34 = arith.muli %k_32, %k_33 : tensor<1x64xi32>
      %k_35 = tt.splat %k : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
      %k_36 = tt.addptr %k_35, %k_34 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
      %k_37 = tt.expand_dims %on {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %k_38 = tt.broadcast %k_36 : tensor<1x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %k_39 = tt.broadcast %k_37 : tensor<64x1xi32> -> tensor<64x64xi32>
      %k_40 = tt.addptr %k_38, %k_39 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %k_41 = tt.load %k_40 : tensor<64x64x!tt.ptr<f16>>
      %qk = tt.dot %q_22, %k_41, %cst_0, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
      %qk_42 = tt.splat %qs : f32 -> tensor<128x64xf32>
      %qk_43 = arith.mulf %qk, %qk_42 : tensor<128x64xf32>
      %qk_44 = tt.broadcast %q_13 : tensor<128x1xi32> -> tensor<128x64xi32>
      %qk_45 = tt.broadcast %k_32 : tensor<1x64xi32> -> tensor<128x64xi32>
      %qk_46 = arith.cmpi sge, %qk_44, %qk_45 : tensor<128x64xi32>
      %qk_47 = arith.select %qk_46, %qk_43, %cst : tensor<128x64xi1>, tensor<128x64xf32>
      %mn = "tt.reduce"(%qk_47) <{axis = 1 : i32}> ({
      ^bb0(%mn_70: f32, %mn_71: f32):
        %mn_72 = arith.maxnumf %mn_70, %mn_71 : f32
        tt.reduce.return %mn_72 : f32
      }) : (tensor<128x64xf32>) -> tensor<128xf32>
      %mn_48 = arith.maxnumf %mi_27, %mn : tensor<128xf32>
      %p = tt.expand_dims %mn_48 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
      %p_49 = tt.broadcast %p : tensor<128x1xf32> -> tensor<128x64xf32>
      %p_50 = arith.subf %qk_47, %p_49 : tensor<128x64xf32>
      %p_51 = math.exp2 %p_50 : tensor<128x64xf32>
      %al = arith.subf %mi_27, %mn_48 : tensor<128xf32>
      %al_52 = math.exp2 %al : tensor<128xf32>
      %li_53 = arith.mulf %li_28, %al_52 : tensor<128xf32>
      %li_54 = "tt.reduce"(%p_51) <{axis = 1 : i32}> ({
      ^bb0(%li_70: f32, %li_71: f32):
        %li_72 = arith.addf %li_70, %li_71 : f32
        tt.reduce.return %li_72 : f32
      }) : (tensor<128x64xf32>) -> tensor<128xf32>
      %li_55 = arith.addf %li_53, %li_54 : tensor<128xf32>
      %acc_56 = tt.expand_dims %al_52 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
      %acc_57 = tt.broadcast %acc_56 : tensor<128x1xf32> -> tensor<128x64xf32>
      %acc_58 = arith.mulf %acc_29, %acc_57 : tensor<128x64xf32>
      %v = tt.addptr %V, %base_9 : !tt.ptr<f16>, i64
      %v_59 = tt.expand_dims %k_31 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %v_60 = tt.splat %sn : i32 -> tensor<64x1xi32>
      %v_61 = arith.muli %v_59, %v_60 : tensor<64x1xi32>
      %v_62 = tt.splat %v : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %v_63 = tt.addptr %v_62, %v_61 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %v_64 = tt.broadcast %v_63 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %v_65 = tt.broadcast %q_18 : tensor<1x64xi32> -> tensor<64x64xi32>
      %v_66 = tt.addptr %v_64, %v_65 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %v_67 = tt.load %v_66 : tensor<64x64x!tt.ptr<f16>>
      %acc_68 = arith.truncf %p_51 : tensor<128x64xf32> to tensor<128x64xf16>
      %acc_69 = tt.dot %acc_68, %v_67, %acc_58, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
      scf.yield %mn_48, %li_55, %acc_69 : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
    }
    %acc_24 = tt.expand_dims %acc#1 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %acc_25 = tt.broadcast %acc_24 : tensor<128x1xf32> -> tensor<128x64xf32>
    %acc_26 = arith.divf %acc#2, %acc_25 : tensor<128x64xf32>
    %0 = tt.addptr %O, %base_9 : !tt.ptr<f16>, i64
    %1 = tt.splat %0 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %2 = tt.addptr %1, %q_15 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %3 = tt.broadcast %2 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %4 = tt.addptr %3, %q_20 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %5 = arith.truncf %acc_26 : tensor<128x64xf32> to tensor<128x64xf16>
    tt.store %4, %5 : tensor<128x64x!tt.ptr<f16>>
    tt.return
  }
}
