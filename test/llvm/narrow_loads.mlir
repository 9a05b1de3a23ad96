// A masked load of less than a register sets the register first, hidden or not; one of whole registers does not where it is hidden.
// options: --emit ptx --kernel copies
#v = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .visible .entry copies(
  // CHECK: mov.b16 %[[NARROW:rs[0-9]+]], 0; @%p{{[0-9]+}} ld.global.b16 %[[NARROW]],
  // CHECK-NOT: mov.b32 %r{{[0-9]+}}, 0;
  // CHECK: @%p{{[0-9]+}} ld.global.b32
  // CHECK-NOT: selp
  // CHECK: ret;
  tt.func public @copies(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #v>
    %ns = tt.splat %n : i32 -> tensor<128xi32, #v>
    %m = arith.cmpi slt, %r, %ns : tensor<128xi32, #v>
    %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>, #v>
    %xp = tt.addptr %xs, %r : tensor<128x!tt.ptr<bf16>, #v>, tensor<128xi32, #v>
    %a = tt.load %xp, %m : tensor<128x!tt.ptr<bf16>, #v>
    tt.store %xp, %a, %m : tensor<128x!tt.ptr<bf16>, #v>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #v>
    %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>, #v>, tensor<128xi32, #v>
    %b = tt.load %yp, %m : tensor<128x!tt.ptr<f32>, #v>
    tt.store %yp, %b, %m : tensor<128x!tt.ptr<f32>, #v>
    tt.return
  }
}
