// Registers of a masked load are set before it where another load may have its address and another mask: ptxas 13.0 gives what was loaded by
// the first to the second, whose mask may be true where the first one's is not. Loads of other tensors, or by the same mask, are left as they are
// (their masked elements become an argument; those that become a constant are set always).
// options: --emit ptx --kernel halves
#v = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .visible .entry halves(
  // CHECK: mov.b32 %r{{[0-9]+}}, 0;
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK: mov.b32 %r{{[0-9]+}}, 0;
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK: ret;
  tt.func public @halves(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #v>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #v>
    %low = arith.cmpi slt, %r, %ns : tensor<512xi32, #v>
    %high = arith.cmpi sge, %r, %ns : tensor<512xi32, #v>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v>
    %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #v>, tensor<512xi32, #v>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v>
    %q = tt.addptr %os, %r : tensor<512x!tt.ptr<f32>, #v>, tensor<512xi32, #v>
    %a = tt.load %p, %low : tensor<512x!tt.ptr<f32>, #v>
    %b = tt.load %p, %high : tensor<512x!tt.ptr<f32>, #v>
    %aa = arith.addf %a, %a : tensor<512xf32, #v>
    %bb = arith.mulf %b, %b : tensor<512xf32, #v>
    %c = arith.select %low, %aa, %bb : tensor<512xi1, #v>, tensor<512xf32, #v>
    tt.store %q, %c : tensor<512x!tt.ptr<f32>, #v>
    tt.return
  }
  // CHECK-LABEL: .visible .entry others(
  // CHECK-NOT: mov.b32 %r{{[0-9]+}}, 0;
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK-NOT: mov.b32 %r{{[0-9]+}}, 0;
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK-NOT: mov.b32 %r{{[0-9]+}}, 0;
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK: ret;
  tt.func public @others(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %f: f32) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #v>
    %one = tt.splat %f : f32 -> tensor<512xf32, #v>
    %next = arith.constant dense<512> : tensor<512xi32, #v>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #v>
    %low = arith.cmpi slt, %r, %ns : tensor<512xi32, #v>
    %high = arith.cmpi sge, %r, %ns : tensor<512xi32, #v>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v>
    %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #v>, tensor<512xi32, #v>
    %p1 = tt.addptr %p, %next : tensor<512x!tt.ptr<f32>, #v>, tensor<512xi32, #v>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v>
    %py = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>, #v>, tensor<512xi32, #v>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #v>
    %q = tt.addptr %os, %r : tensor<512x!tt.ptr<f32>, #v>, tensor<512xi32, #v>
    %a = tt.load %p, %low, %one : tensor<512x!tt.ptr<f32>, #v>
    %a1 = tt.load %p1, %low, %one : tensor<512x!tt.ptr<f32>, #v>
    %b = tt.load %py, %high, %one : tensor<512x!tt.ptr<f32>, #v>
    %aa = arith.addf %a, %a1 : tensor<512xf32, #v>
    %c = arith.select %low, %aa, %b : tensor<512xi1, #v>, tensor<512xf32, #v>
    tt.store %q, %c : tensor<512x!tt.ptr<f32>, #v>
    tt.return
  }
}
