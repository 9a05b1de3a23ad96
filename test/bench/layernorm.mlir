// not a test: a kernel of interp_bench.c
module {
  tt.func public @layernorm_kernel(%X: !tt.ptr<f32>, %Y: !tt.ptr<f32>, %W: !tt.ptr<f32>, %B: !tt.ptr<f32>, %Mean: !tt.ptr<f32>, %Rstd: !tt.ptr<f32>, %stride: i32, %N: i32, %eps: f32) attributes {noinline = false} {
    %rstd = arith.constant 1.000000e+00 : f32
    %cst = arith.constant dense<0.000000e+00> : tensor<4096xf32>
    %row = tt.get_program_id x : i32
    %cols = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
    %m = tt.splat %N : i32 -> tensor<4096xi32>
    %m_0 = arith.cmpi slt, %cols, %m : tensor<4096xi32>
    %x = arith.muli %row, %stride : i32
    %x_1 = tt.addptr %X, %x : !tt.ptr<f32>, i32
    %x_2 = tt.splat %x_1 : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %x_3 = tt.addptr %x_2, %cols : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %x_4 = tt.load %x_3, %m_0, %cst : tensor<4096x!tt.ptr<f32>>
    %mean = "tt.reduce"(%x_4) <{axis = 0 : i32}> ({
    ^bb0(%mean_18: f32, %mean_19: f32):
      %mean_20 = arith.addf %mean_18, %mean_19 : f32
      tt.reduce.return %mean_20 : f32
    }) : (tensor<4096xf32>) -> f32
    %mean_5 = arith.sitofp %N : i32 to f32
    %mean_6 = arith.divf %mean, %mean_5 : f32
    %d = tt.splat %mean_6 : f32 -> tensor<4096xf32>
    %d_7 = arith.subf %x_4, %d : tensor<4096xf32>
    %d_8 = arith.select %m_0, %d_7, %cst : tensor<4096xi1>, tensor<4096xf32>
    %var = arith.mulf %d_8, %d_8 : tensor<4096xf32>
    %var_9 = "tt.reduce"(%var) <{axis = 0 : i32}> ({
    ^bb0(%var_18: f32, %var_19: f32):
      %var_20 = arith.addf %var_18, %var_19 : f32
      tt.reduce.return %var_20 : f32
    }) : (tensor<4096xf32>) -> f32
    %var_10 = arith.divf %var_9, %mean_5 : f32
    %rstd_11 = arith.addf %var_10, %eps : f32
    %rstd_12 = math.sqrt %rstd_11 : f32
    %rstd_13 = arith.divf %rstd, %rstd_12 : f32
    %0 = tt.addptr %Mean, %row : !tt.ptr<f32>, i32
    tt.store %0, %mean_6 : !tt.ptr<f32>
    %1 = tt.addptr %Rstd, %row : !tt.ptr<f32>, i32
    tt.store %1, %rstd_13 : !tt.ptr<f32>
    %w = tt.splat %W : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %w_14 = tt.addptr %w, %cols : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %w_15 = tt.load %w_14, %m_0 : tensor<4096x!tt.ptr<f32>>
    %b = tt.splat %B : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %b_16 = tt.addptr %b, %cols : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %b_17 = tt.load %b_16, %m_0 : tensor<4096x!tt.ptr<f32>>
    %2 = tt.addptr %Y, %x : !tt.ptr<f32>, i32
    %3 = tt.splat %2 : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %4 = tt.addptr %3, %cols : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %5 = tt.splat %rstd_13 : f32 -> tensor<4096xf32>
    %6 = arith.mulf %d_8, %5 : tensor<4096xf32>
    %7 = arith.mulf %6, %w_15 : tensor<4096xf32>
    %8 = arith.addf %7, %b_17 : tensor<4096xf32>
    tt.store %4, %8, %m_0 : tensor<4096x!tt.ptr<f32>>
    tt.return
  }
}
