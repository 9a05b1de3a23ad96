// As Triton 3.6 writes it for sm_90: it is read, and its layouts fit and follow from one another.
// run: neso opt --pass=dce,coalesce --verify-each --stress --no-loc %s
// run: codegen_tool --emit ttgir %s
// CHECK: "ttg.num-warps" = 4
// It gets its place in shared memory before it is lowered.
// CHECK: ttg.shared = {{[1-9]}}
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @transpose(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32 {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %c64_i32 = arith.constant 64 : i32
    %rows = tt.get_program_id x : i32
    %rows_0 = arith.muli %rows, %c64_i32 : i32
    %rows_1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rows_2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %rows_3 = tt.splat %rows_0 : i32 -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rows_4 = tt.splat %rows_0 : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %rows_5 = arith.addi %rows_3, %rows_1 : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rows_6 = arith.addi %rows_4, %rows_2 : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %cols = tt.get_program_id y : i32
    %cols_7 = arith.muli %cols, %c64_i32 : i32
    %cols_8 = tt.splat %cols_7 : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %cols_9 = tt.splat %cols_7 : i32 -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %cols_10 = arith.addi %cols_8, %rows_2 : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %cols_11 = arith.addi %cols_9, %rows_1 : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %v = tt.expand_dims %rows_5 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %v_12 = tt.splat %M : i32 -> tensor<64x1xi32, #blocked>
    %v_13 = arith.cmpi slt, %v, %v_12 : tensor<64x1xi32, #blocked>
    %v_14 = tt.expand_dims %cols_10 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %v_15 = tt.splat %N : i32 -> tensor<1x64xi32, #blocked>
    %v_16 = arith.cmpi slt, %v_14, %v_15 : tensor<1x64xi32, #blocked>
    %v_17 = tt.broadcast %v_13 : tensor<64x1xi1, #blocked> -> tensor<64x64xi1, #blocked>
    %v_18 = tt.broadcast %v_16 : tensor<1x64xi1, #blocked> -> tensor<64x64xi1, #blocked>
    %v_19 = arith.andi %v_17, %v_18 : tensor<64x64xi1, #blocked>
    %v_20 = tt.splat %N : i32 -> tensor<64x1xi32, #blocked>
    %v_21 = arith.muli %v, %v_20 : tensor<64x1xi32, #blocked>
    %v_22 = tt.splat %x : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>, #blocked>
    %v_23 = tt.addptr %v_22, %v_21 : tensor<64x1x!tt.ptr<f32>, #blocked>, tensor<64x1xi32, #blocked>
    %v_24 = tt.broadcast %v_23 : tensor<64x1x!tt.ptr<f32>, #blocked> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %v_25 = tt.broadcast %v_14 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %v_26 = tt.addptr %v_24, %v_25 : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %v_27 = tt.load %v_26, %v_19 : tensor<64x64x!tt.ptr<f32>, #blocked>
    %0 = tt.trans %v_27 {order = array<i32: 1, 0>} : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
    %1 = tt.expand_dims %cols_11 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %2 = arith.cmpi slt, %1, %v_20 : tensor<64x1xi32, #blocked>
    %3 = tt.expand_dims %rows_6 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %4 = tt.splat %M : i32 -> tensor<1x64xi32, #blocked>
    %5 = arith.cmpi slt, %3, %4 : tensor<1x64xi32, #blocked>
    %6 = tt.broadcast %2 : tensor<64x1xi1, #blocked> -> tensor<64x64xi1, #blocked>
    %7 = tt.broadcast %5 : tensor<1x64xi1, #blocked> -> tensor<64x64xi1, #blocked>
    %8 = arith.andi %6, %7 : tensor<64x64xi1, #blocked>
    %9 = arith.muli %1, %v_12 : tensor<64x1xi32, #blocked>
    %10 = tt.splat %o : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>, #blocked>
    %11 = tt.addptr %10, %9 : tensor<64x1x!tt.ptr<f32>, #blocked>, tensor<64x1xi32, #blocked>
    %12 = tt.broadcast %11 : tensor<64x1x!tt.ptr<f32>, #blocked> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %13 = tt.broadcast %3 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %14 = tt.addptr %12, %13 : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %15 = ttg.convert_layout %0 : tensor<64x64xf32, #blocked1> -> tensor<64x64xf32, #blocked>
    tt.store %14, %15, %8 : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
