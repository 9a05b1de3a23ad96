// A scan: in the thread, five doublings over the lanes, one shuffle for what precedes a lane, and the totals of all warps.
// options: --emit llir
#x = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<512xi32, #x>) {
    // CHECK-COUNT-6: call i32 @neso.shfl_idx(
    // CHECK-NOT: shfl
    // CHECK: call void @neso.barrier()
    // CHECK: load <4 x i32>
    // CHECK-NOT: barrier
    // CHECK-NOT: shfl
    %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.scan.return %c : i32
    }) {allocation.offset = 0 : i32} : (tensor<512xi32, #x>) -> tensor<512xi32, #x>
    // CHECK: call void @use(
    tt.call @use(%0) : (tensor<512xi32, #x>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<512xi32, #x>) attributes {noinline = true} {
    tt.return
  }
}
