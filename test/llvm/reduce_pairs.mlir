// Two neighbours in two lanes, as a sort compares them: a shuffle for each element, or for each two of 16 bits.
// options: --emit llir
#x = #ttg.linear<{register = [[1, 0]], lane = [[0, 1], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#y = #ttg.linear<{register = [[1]], lane = [[0], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<128x2xi16, #x>) {
    // CHECK: call i32 @neso.shfl_bfly(i32 -1, i32 %{{.*}}, i32 1, i32 31)
    // CHECK-NOT: shfl
    // CHECK-NOT: barrier
    %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: i16, %b: i16):
      %c = arith.xori %a, %b : i16
      tt.reduce.return %c : i16
    }) {allocation.offset = 0 : i32} : (tensor<128x2xi16, #x>) -> tensor<128xi16, #y>
    // CHECK: call void @use(
    tt.call @use(%0) : (tensor<128xi16, #y>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<128xi16, #y>) attributes {noinline = true} {
    tt.return
  }
}
