// not a test: a kernel of interp_bench.c
module {
  tt.func public @matmul_static_k(%a_ptr: !tt.ptr<f32>, %b_ptr: !tt.ptr<f32>, %c_ptr: !tt.ptr<f32>, %N: i32) attributes {noinline = false} {
    %c32_i32 = arith.constant 32 : i32
    %c512_i32 = arith.constant 512 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_0 = arith.constant dense<512> : tensor<64x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %rm = tt.get_program_id x : i32
    %rm_1 = arith.muli %rm, %c64_i32 : i32
    %rm_2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rm_3 = tt.splat %rm_1 : i32 -> tensor<64xi32>
    %rm_4 = arith.addi %rm_3, %rm_2 : tensor<64xi32>
    %rn = tt.get_program_id y : i32
    %rn_5 = arith.muli %rn, %c64_i32 : i32
    %rn_6 = tt.splat %rn_5 : i32 -> tensor<64xi32>
    %rn_7 = arith.addi %rn_6, %rm_2 : tensor<64xi32>
    %rk = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %acc = scf.for %k = %c0_i32 to %c512_i32 step %c32_i32 iter_args(%acc_8 = %cst) -> (tensor<64x64xf32>)  : i32 {
      %acc_9 = tt.expand_dims %rm_4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %acc_10 = arith.muli %acc_9, %cst_0 : tensor<64x1xi32>
      %acc_11 = tt.splat %a_ptr : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
      %acc_12 = tt.addptr %acc_11, %acc_10 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
      %acc_13 = tt.splat %k : i32 -> tensor<32xi32>
      %acc_14 = arith.addi %acc_13, %rk : tensor<32xi32>
      %acc_15 = tt.expand_dims %acc_14 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %acc_16 = tt.broadcast %acc_12 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x32x!tt.ptr<f32>>
      %acc_17 = tt.broadcast %acc_15 : tensor<1x32xi32> -> tensor<64x32xi32>
      %acc_18 = tt.addptr %acc_16, %acc_17 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
      %acc_19 = tt.load %acc_18 : tensor<64x32x!tt.ptr<f32>>
      %acc_20 = tt.expand_dims %acc_14 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %acc_21 = tt.splat %N : i32 -> tensor<32x1xi32>
      %acc_22 = arith.muli %acc_20, %acc_21 : tensor<32x1xi32>
      %acc_23 = tt.splat %b_ptr : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
      %acc_24 = tt.addptr %acc_23, %acc_22 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
      %acc_25 = tt.expand_dims %rn_7 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %acc_26 = tt.broadcast %acc_24 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
      %acc_27 = tt.broadcast %acc_25 : tensor<1x64xi32> -> tensor<32x64xi32>
      %acc_28 = tt.addptr %acc_26, %acc_27 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
      %acc_29 = tt.load %acc_28 : tensor<32x64x!tt.ptr<f32>>
      %acc_30 = tt.dot %acc_19, %acc_29, %acc_8 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
      scf.yield %acc_30 : tensor<64x64xf32>
    }
    %0 = tt.expand_dims %rm_4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %1 = tt.splat %N : i32 -> tensor<64x1xi32>
    %2 = arith.muli %0, %1 : tensor<64x1xi32>
    %3 = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %4 = tt.addptr %3, %2 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %5 = tt.expand_dims %rn_7 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %6 = tt.broadcast %4 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %7 = tt.broadcast %5 : tensor<1x64xi32> -> tensor<64x64xi32>
    %8 = tt.addptr %6, %7 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %8, %acc : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
