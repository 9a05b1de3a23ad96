// As Triton 3.6 writes it for sm_90: it is read, and its layouts fit and follow from one another.
// options: --pass=dce,coalesce --verify-each --stress --no-loc
// CHECK: "ttg.num-warps" = 4
#blocked = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 32, 1], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#blocked2 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @sum_rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32 {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 2, parent = #blocked}>}>>
    %c1024_i32 = arith.constant 1024 : i32
    %c0_i32 = arith.constant 0 : i32
    %c4_i32 = arith.constant 4 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<4x1024xf32, #blocked1>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<4x128xf32, #ttg.slice<{dim = 2, parent = #blocked}>>
    %rows = tt.get_program_id x : i32
    %rows_2 = arith.muli %rows, %c4_i32 : i32
    %rows_3 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %rows_4 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #blocked2>
    %rows_5 = tt.splat %rows_2 : i32 -> tensor<4xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %rows_6 = tt.splat %rows_2 : i32 -> tensor<4xi32, #blocked2>
    %rows_7 = arith.addi %rows_5, %rows_3 : tensor<4xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %rows_8 = arith.addi %rows_6, %rows_4 : tensor<4xi32, #blocked2>
    %cols = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %v = tt.expand_dims %rows_7 {axis = 1 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<4x1xi32, #blocked1>
    %v_9 = tt.splat %M : i32 -> tensor<4x1xi32, #blocked1>
    %v_10 = arith.cmpi slt, %v, %v_9 : tensor<4x1xi32, #blocked1>
    %v_11 = tt.splat %N : i32 -> tensor<1x1024xi32, #blocked1>
    %v_12 = tt.broadcast %v_10 : tensor<4x1xi1, #blocked1> -> tensor<4x1024xi1, #blocked1>
    %v_13 = tt.splat %N : i32 -> tensor<4x1xi32, #blocked1>
    %v_14 = arith.muli %v, %v_13 : tensor<4x1xi32, #blocked1>
    %v_15 = tt.splat %x : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>, #blocked1>
    %v_16 = tt.addptr %v_15, %v_14 : tensor<4x1x!tt.ptr<f32>, #blocked1>, tensor<4x1xi32, #blocked1>
    %v_17 = tt.broadcast %v_16 : tensor<4x1x!tt.ptr<f32>, #blocked1> -> tensor<4x1024x!tt.ptr<f32>, #blocked1>
    %acc = scf.for %acc_20 = %c0_i32 to %N step %c1024_i32 iter_args(%acc_21 = %cst_1) -> (tensor<4x128xf32, #ttg.slice<{dim = 2, parent = #blocked}>>)  : i32 {
      %cols_22 = tt.splat %acc_20 : i32 -> tensor<1024xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
      %cols_23 = arith.addi %cols_22, %cols : tensor<1024xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
      %v_24 = tt.expand_dims %cols_23 {axis = 0 : i32} : tensor<1024xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x1024xi32, #blocked1>
      %v_25 = arith.cmpi slt, %v_24, %v_11 : tensor<1x1024xi32, #blocked1>
      %v_26 = tt.broadcast %v_25 : tensor<1x1024xi1, #blocked1> -> tensor<4x1024xi1, #blocked1>
      %v_27 = arith.andi %v_12, %v_26 : tensor<4x1024xi1, #blocked1>
      %v_28 = tt.broadcast %v_24 : tensor<1x1024xi32, #blocked1> -> tensor<4x1024xi32, #blocked1>
      %v_29 = tt.addptr %v_17, %v_28 : tensor<4x1024x!tt.ptr<f32>, #blocked1>, tensor<4x1024xi32, #blocked1>
      %v_30 = tt.load %v_29, %v_27, %cst_0 : tensor<4x1024x!tt.ptr<f32>, #blocked1>
      %acc_31 = tt.reshape %v_30 allow_reorder efficient_layout : tensor<4x1024xf32, #blocked1> -> tensor<4x128x8xf32, #blocked>
      %acc_32 = "tt.reduce"(%acc_31) <{axis = 2 : i32}> ({
      ^bb0(%acc_34: f32, %acc_35: f32):
        %acc_36 = arith.addf %acc_34, %acc_35 : f32
        tt.reduce.return %acc_36 : f32
      }) : (tensor<4x128x8xf32, #blocked>) -> tensor<4x128xf32, #ttg.slice<{dim = 2, parent = #blocked}>>
      %acc_33 = arith.addf %acc_21, %acc_32 : tensor<4x128xf32, #ttg.slice<{dim = 2, parent = #blocked}>>
      scf.yield %acc_33 : tensor<4x128xf32, #ttg.slice<{dim = 2, parent = #blocked}>>
    }
    %acc_18 = "tt.reduce"(%acc) <{axis = 1 : i32}> ({
    ^bb0(%acc_20: f32, %acc_21: f32):
      %acc_22 = arith.addf %acc_20, %acc_21 : f32
      tt.reduce.return %acc_22 : f32
    }) : (tensor<4x128xf32, #ttg.slice<{dim = 2, parent = #blocked}>>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 2, parent = #blocked}>}>>
    %acc_19 = arith.addf %acc_18, %cst : tensor<4xf32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 2, parent = #blocked}>}>>
    %0 = tt.splat %M : i32 -> tensor<4xi32, #blocked2>
    %1 = arith.cmpi slt, %rows_8, %0 : tensor<4xi32, #blocked2>
    %2 = tt.splat %o : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>, #blocked2>
    %3 = tt.addptr %2, %rows_8 : tensor<4x!tt.ptr<f32>, #blocked2>, tensor<4xi32, #blocked2>
    %4 = ttg.convert_layout %acc_19 : tensor<4xf32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 2, parent = #blocked}>}>> -> tensor<4xf32, #blocked2>
    tt.store %3, %4, %1 : tensor<4x!tt.ptr<f32>, #blocked2>
    tt.return
  }
}
