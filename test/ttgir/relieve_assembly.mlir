// Assembly between a load and its first use may store where it loads: the load does not become a copy, which would be under way meanwhile.
// options: --pass=relieve-registers,dce --verify-each --stress --no-loc --target sm_90a
// CHECK-LABEL: @crowd
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.elementwise_inline_asm
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.return
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [], block = []}>
#linear1 = #ttg.linear<{register = [[2], [4], [8], [16], [32]], lane = [[0], [0], [0], [0], [1]], warp = [], block = []}>
#linear2 = #ttg.linear<{register = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], warp = [], block = []}>
#linear3 = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [0]], warp = [], block = []}>
#linear4 = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @crowd(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %b = arith.constant 4096 : i32
    %d = arith.constant 8192 : i32
    %a = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #linear>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #linear1>
    %at = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32, #linear1> -> tensor<64x1xi32, #linear2>
    %at_0 = arith.constant dense<64> : tensor<64x1xi32, #linear2>
    %at_1 = arith.muli %at, %at_0 : tensor<64x1xi32, #linear2>
    %at_2 = tt.broadcast %at_1 : tensor<64x1xi32, #linear2> -> tensor<64x64xi32, #linear>
    %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #linear3>
    %at_3 = tt.expand_dims %1 {axis = 0 : i32} : tensor<64xi32, #linear3> -> tensor<1x64xi32, #linear4>
    %at_4 = tt.broadcast %at_3 : tensor<1x64xi32, #linear4> -> tensor<64x64xi32, #linear>
    %at_5 = arith.addi %at_2, %at_4 : tensor<64x64xi32, #linear>
    %a_6 = tt.addptr %a, %at_5 : tensor<64x64x!tt.ptr<f32>, #linear>, tensor<64x64xi32, #linear>
    %a_7 = tt.load %a_6 : tensor<64x64x!tt.ptr<f32>, #linear>
    %b_8 = tt.addptr %x, %b : !tt.ptr<f32>, i32
    %b_9 = tt.splat %b_8 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #linear>
    %b_10 = tt.addptr %b_9, %at_5 : tensor<64x64x!tt.ptr<f32>, #linear>, tensor<64x64xi32, #linear>
    %b_11 = tt.load %b_10 : tensor<64x64x!tt.ptr<f32>, #linear>
    %d_12 = tt.addptr %x, %d : !tt.ptr<f32>, i32
    %d_13 = tt.splat %d_12 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #linear>
    %d_14 = tt.addptr %d_13, %at_5 : tensor<64x64x!tt.ptr<f32>, #linear>, tensor<64x64xi32, #linear>
    %d_15 = tt.load %d_14 : tensor<64x64x!tt.ptr<f32>, #linear>
    %asm = tt.elementwise_inline_asm "st.global.u32 [$1], 0; mov.u32 $0, 0;" {constraints = "=r,l", packed_element = 1 : i32, pure = false} %x : !tt.ptr<f32> -> i32
    %s = arith.mulf %d_15, %d_15 : tensor<64x64xf32, #linear>
    %2 = "tt.reduce"(%s) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %19 = arith.addf %arg2, %arg3 : f32
      tt.reduce.return %19 : f32
    }) : (tensor<64x64xf32, #linear>) -> tensor<64xf32, #linear3>
    %3 = "tt.reduce"(%2) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %19 = arith.addf %arg2, %arg3 : f32
      tt.reduce.return %19 : f32
    }) : (tensor<64xf32, #linear3>) -> f32
    %4 = tt.splat %3 : f32 -> tensor<64x64xf32, #linear>
    %5 = arith.mulf %d_15, %4 : tensor<64x64xf32, #linear>
    %6 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #linear>
    %7 = tt.addptr %6, %at_5 : tensor<64x64x!tt.ptr<f32>, #linear>, tensor<64x64xi32, #linear>
    tt.store %7, %5 : tensor<64x64x!tt.ptr<f32>, #linear>
    %t = arith.mulf %b_11, %b_11 : tensor<64x64xf32, #linear>
    %8 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %19 = arith.addf %arg2, %arg3 : f32
      tt.reduce.return %19 : f32
    }) : (tensor<64x64xf32, #linear>) -> tensor<64xf32, #linear3>
    %9 = "tt.reduce"(%8) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %19 = arith.addf %arg2, %arg3 : f32
      tt.reduce.return %19 : f32
    }) : (tensor<64xf32, #linear3>) -> f32
    %10 = tt.addptr %o, %b : !tt.ptr<f32>, i32
    %11 = tt.splat %9 : f32 -> tensor<64x64xf32, #linear>
    %12 = arith.mulf %b_11, %11 : tensor<64x64xf32, #linear>
    %13 = tt.splat %10 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #linear>
    %14 = tt.addptr %13, %at_5 : tensor<64x64x!tt.ptr<f32>, #linear>, tensor<64x64xi32, #linear>
    tt.store %14, %12 : tensor<64x64x!tt.ptr<f32>, #linear>
    %15 = tt.addptr %o, %d : !tt.ptr<f32>, i32
    %16 = arith.mulf %a_7, %11 : tensor<64x64xf32, #linear>
    %17 = tt.splat %15 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #linear>
    %18 = tt.addptr %17, %at_5 : tensor<64x64x!tt.ptr<f32>, #linear>, tensor<64x64xi32, #linear>
    tt.store %18, %16 : tensor<64x64x!tt.ptr<f32>, #linear>
    tt.return
  }
}
