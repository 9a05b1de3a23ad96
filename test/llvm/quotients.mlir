// A quotient that is known to be equal in a thread's registers is computed once: two shifts of one index, where four stand side by side.
// options: --emit ptx --kernel rows
#v = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .visible .entry rows(
  // CHECK-COUNT-2: cvt.rn.f32.s32
  // CHECK-NOT: cvt.rn.f32.s32
  // CHECK: ret;
  tt.func public @rows(%o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %pid = tt.get_program_id x : i32
    %size = arith.constant 1024 : i32
    %from = arith.muli %pid, %size : i32
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #v>
    %fs = tt.splat %from : i32 -> tensor<1024xi32, #v>
    %i = arith.addi %fs, %r : tensor<1024xi32, #v>
    %four = arith.constant dense<4> : tensor<1024xi32, #v>
    %k = arith.divsi %i, %four : tensor<1024xi32, #v>
    %f = arith.sitofp %k : tensor<1024xi32, #v> to tensor<1024xf32, #v>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #v>
    %p = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>, #v>, tensor<1024xi32, #v>
    tt.store %p, %f : tensor<1024x!tt.ptr<f32>, #v>
    tt.return
  }
}
