// not a test: a kernel of interp_bench.c
module {
  tt.func public @softmax_kernel(%o_ptr: !tt.ptr<f32>, %i_ptr: !tt.ptr<f32>, %stride_i: i32, %stride_o: i32, %n_cols: i32) attributes {noinline = false} {
    %x = arith.constant dense<0xFF800000> : tensor<4096xf32>
    %row = tt.get_program_id x : i32
    %cols = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
    %m = tt.splat %n_cols : i32 -> tensor<4096xi32>
    %m_0 = arith.cmpi slt, %cols, %m : tensor<4096xi32>
    %x_1 = arith.muli %row, %stride_i : i32
    %x_2 = tt.addptr %i_ptr, %x_1 : !tt.ptr<f32>, i32
    %x_3 = tt.splat %x_2 : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %x_4 = tt.addptr %x_3, %cols : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %x_5 = tt.load %x_4, %m_0, %x : tensor<4096x!tt.ptr<f32>>
    %x_6 = "tt.reduce"(%x_5) <{axis = 0 : i32}> ({
    ^bb0(%x_11: f32, %x_12: f32):
      %x_13 = arith.maxnumf %x_11, %x_12 : f32
      tt.reduce.return %x_13 : f32
    }) : (tensor<4096xf32>) -> f32
    %x_7 = tt.splat %x_6 : f32 -> tensor<4096xf32>
    %x_8 = arith.subf %x_5, %x_7 : tensor<4096xf32>
    %e = math.exp %x_8 : tensor<4096xf32>
    %y = "tt.reduce"(%e) <{axis = 0 : i32}> ({
    ^bb0(%y_11: f32, %y_12: f32):
      %y_13 = arith.addf %y_11, %y_12 : f32
      tt.reduce.return %y_13 : f32
    }) : (tensor<4096xf32>) -> f32
    %y_9 = tt.splat %y : f32 -> tensor<4096xf32>
    %y_10 = arith.divf %e, %y_9 : tensor<4096xf32>
    %0 = arith.muli %row, %stride_o : i32
    %1 = tt.addptr %o_ptr, %0 : !tt.ptr<f32>, i32
    %2 = tt.splat %1 : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %3 = tt.addptr %2, %cols : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    tt.store %3, %y_10, %m_0 : tensor<4096x!tt.ptr<f32>>
    tt.return
  }
}
