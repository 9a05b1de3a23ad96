// A tile whose threads hold an element twice: converted for the scan and back, where lanes exchange registers of which one is
// a copy.
// options: --emit llir --warps 1
#x = #ttg.linear<{register = [[0, 0], [0, 4]], lane = [[0, 1], [1, 0], [2, 0], [0, 8], [0, 2]], warp = [], block = []}>
#y = #ttg.linear<{register = [[0, 24], [0, 8], [0, 0], [0, 257], [0, 2], [0, 68]], lane = [[0, 4], [0, 32], [0, 256], [0, 128], [1, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<4x16xi8, #x>, %y: tensor<2x512xi8, #y>) {
    // CHECK: call i8 @llvm.smax.i8
    %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%a: i8, %b: i8):
      %c = arith.maxsi %a, %b : i8
      tt.scan.return %c : i8
    }) {allocation.offset = 0 : i32} : (tensor<4x16xi8, #x>) -> tensor<4x16xi8, #x>
    %1 = "tt.scan"(%y) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: i8, %b: i8):
      %c = arith.maxsi %a, %b : i8
      tt.scan.return %c : i8
    }) {allocation.offset = 0 : i32} : (tensor<2x512xi8, #y>) -> tensor<2x512xi8, #y>
    // CHECK: call void @use(
    // CHECK-NOT: poison
    // CHECK: ret void
    tt.call @use(%0, %1) : (tensor<4x16xi8, #x>, tensor<2x512xi8, #y>) -> ()
    tt.return
  }
  tt.func private @use(%x: tensor<4x16xi8, #x>, %y: tensor<2x512xi8, #y>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
