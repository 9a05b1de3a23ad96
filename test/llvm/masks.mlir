// A mask that is equal over groups of 16 is one comparison for the registers of a group; of an odd bound it is one each.
// options: --emit llir
#l = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @even(
  // CHECK-COUNT-2: icmp slt i32
  // CHECK-NOT: icmp
  // CHECK: ret void
  tt.func public @even(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #l>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #l>
    %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #l>
    tt.call @use(%m) : (tensor<1024xi1, #l>) -> ()
    tt.return
  }
  tt.func private @use(%q: tensor<1024xi1, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  // CHECK-LABEL: @odd(
  // CHECK-COUNT-8: icmp slt i32
  // CHECK-NOT: icmp
  // CHECK: ret void
  tt.func private @odd(%n: i32) attributes {noinline = true} {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #l>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #l>
    %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #l>
    tt.call @use(%m) : (tensor<1024xi1, #l>) -> ()
    tt.return
  }
}
