// What a load is masked from is not even chosen where the same mask hides it: behind elementwise ops in a store, a select, an address.
// options: --emit ptx --kernel hidden
#v = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .visible .entry hidden(
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK-COUNT-8: selp
  // CHECK-NOT: selp
  // CHECK: ret;
  tt.func public @hidden(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %i: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #v>
    %one = arith.constant dense<1.0> : tensor<1024xf32, #v>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #v>
    %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #v>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #v>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #v>, tensor<1024xi32, #v>
    %is = tt.splat %i : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #v>
    %ip = tt.addptr %is, %r : tensor<1024x!tt.ptr<i32>, #v>, tensor<1024xi32, #v>
    %k = tt.load %ip, %m : tensor<1024x!tt.ptr<i32>, #v>
    %q = tt.addptr %xs, %k : tensor<1024x!tt.ptr<f32>, #v>, tensor<1024xi32, #v>
    %a = tt.load %q, %m : tensor<1024x!tt.ptr<f32>, #v>
    %b = arith.mulf %a, %a : tensor<1024xf32, #v>
    %c = arith.select %m, %b, %one : tensor<1024xi1, #v>, tensor<1024xf32, #v>
    tt.store %p, %c : tensor<1024x!tt.ptr<f32>, #v>
    %d = tt.load %p, %m, %one : tensor<1024x!tt.ptr<f32>, #v>
    %e = arith.addf %d, %d : tensor<1024xf32, #v>
    tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #v>
    tt.return
  }
  // A quotient of integers must not see just anything, and what an unmasked store shows is chosen; 0 is there before the load.
  // CHECK-LABEL: .visible .entry shown(
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK-COUNT-8: selp
  // CHECK: mov.b32 %r{{[0-9]+}}, 0; mov.b32 %r{{[0-9]+}}, 0; mov.b32 %r{{[0-9]+}}, 0; mov.b32 %r{{[0-9]+}}, 0; @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK-NOT: selp
  // CHECK: ret;
  tt.func public @shown(%i: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #v>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #v>
    %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #v>
    %is = tt.splat %i : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #v>
    %ip = tt.addptr %is, %r : tensor<1024x!tt.ptr<i32>, #v>, tensor<1024xi32, #v>
    %one = arith.constant dense<1> : tensor<1024xi32, #v>
    %k = tt.load %ip, %m, %one : tensor<1024x!tt.ptr<i32>, #v>
    %d = arith.divsi %r, %k : tensor<1024xi32, #v>
    tt.store %ip, %d, %m : tensor<1024x!tt.ptr<i32>, #v>
    %l = tt.load %ip, %m : tensor<1024x!tt.ptr<i32>, #v>
    tt.store %ip, %l : tensor<1024x!tt.ptr<i32>, #v>
    tt.return
  }
}
