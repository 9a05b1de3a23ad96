// Of rows and columns many elements of a thread have one difference: a tile of products has 32 sums in a thread, and 18 differences.
// options: --emit ptx --kernel bias
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .visible .entry bias(
  // CHECK-COUNT-18: cvt.rn.f32.s32
  // CHECK-NOT: cvt.rn.f32.s32
  // CHECK: ret;
  tt.func public @bias(%o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %pid = tt.get_program_id x : i32
    %size = arith.constant 64 : i32
    %from = arith.muli %pid, %size : i32
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %fs = tt.splat %from : i32 -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %ns = tt.splat %n : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %i = arith.addi %fs, %r : tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %j = arith.addi %ns, %c : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %i1 = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<64x1xi32, #mma>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xi32, #mma>
    %ib = tt.broadcast %i1 : tensor<64x1xi32, #mma> -> tensor<64x64xi32, #mma>
    %jb = tt.broadcast %j1 : tensor<1x64xi32, #mma> -> tensor<64x64xi32, #mma>
    %d = arith.subi %ib, %jb : tensor<64x64xi32, #mma>
    %f = arith.sitofp %d : tensor<64x64xi32, #mma> to tensor<64x64xf32, #mma>
    %c64 = arith.constant dense<64> : tensor<64x64xi32, #mma>
    %rows = arith.muli %ib, %c64 : tensor<64x64xi32, #mma>
    %cb = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xi32, #mma>
    %cbb = tt.broadcast %cb : tensor<1x64xi32, #mma> -> tensor<64x64xi32, #mma>
    %at = arith.addi %rows, %cbb : tensor<64x64xi32, #mma>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %p = tt.addptr %os, %at : tensor<64x64x!tt.ptr<f32>, #mma>, tensor<64x64xi32, #mma>
    tt.store %p, %f : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}
