// A layout whose lanes hold sums of bits of the axis is converted to one that a scan can follow, and back.
// options: --emit llir --warps 1
#x = #ttg.linear<{register = [[1]], lane = [[3], [4], [8], [16], [32]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<64xi32, #x>) {
    // CHECK: select i1
    // CHECK-COUNT-6: call i32 @neso.shfl_idx(
    // CHECK: call void @use(
    %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.scan.return %c : i32
    }) {allocation.offset = 0 : i32} : (tensor<64xi32, #x>) -> tensor<64xi32, #x>
    tt.call @use(%0) : (tensor<64xi32, #x>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<64xi32, #x>) attributes {noinline = true} {
    tt.return
  }
}
