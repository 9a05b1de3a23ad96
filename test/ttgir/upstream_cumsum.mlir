// As Triton 3.6 writes it for sm_90: it is read, and its layouts fit and follow from one another.
// options: --pass=dce,coalesce --verify-each --stress --no-loc
// CHECK: "ttg.num-warps" = 8
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cumsum_rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<4096xf32, #blocked>
    %row = tt.get_program_id x : i32
    %cols = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, #blocked>
    %v = tt.splat %N : i32 -> tensor<4096xi32, #blocked>
    %v_0 = arith.cmpi slt, %cols, %v : tensor<4096xi32, #blocked>
    %v_1 = arith.muli %row, %N : i32
    %v_2 = tt.addptr %x, %v_1 : !tt.ptr<f32>, i32
    %v_3 = tt.splat %v_2 : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #blocked>
    %v_4 = tt.addptr %v_3, %cols : tensor<4096x!tt.ptr<f32>, #blocked>, tensor<4096xi32, #blocked>
    %v_5 = tt.load %v_4, %v_0, %cst : tensor<4096x!tt.ptr<f32>, #blocked>
    %0 = tt.addptr %o, %v_1 : !tt.ptr<f32>, i32
    %1 = tt.splat %0 : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #blocked>
    %2 = tt.addptr %1, %cols : tensor<4096x!tt.ptr<f32>, #blocked>, tensor<4096xi32, #blocked>
    %3 = "tt.scan"(%v_5) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      %4 = arith.addf %arg3, %arg4 : f32
      tt.scan.return %4 : f32
    }) : (tensor<4096xf32, #blocked>) -> tensor<4096xf32, #blocked>
    tt.store %2, %3, %v_0 : tensor<4096x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
