// What a load is masked from is not even chosen where the same mask hides it: behind elementwise ops in a store, a select, an address.
// options: --emit ptx --kernel hidden
#v = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#w = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
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
  // A quotient of integers must not see just anything, nor an unmasked store: a constant is there before the load.
  // CHECK-LABEL: .visible .entry shown(
  // CHECK: mov.b32 %r{{[0-9]+}}, 0x1; mov.b32 %r{{[0-9]+}}, 0x1; mov.b32 %r{{[0-9]+}}, 0x1; mov.b32 %r{{[0-9]+}}, 0x1; @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK-COUNT-8: selp.b32 %{{r[0-9]+}}, -1, %
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
  // Words of two elements, of 64 bits and of 8: each has the constant in all elements. An argument is chosen behind the load.
  // CHECK-LABEL: .visible .entry kinds(
  // CHECK: mov.b32 %{{r[0-9]+}}, 0xFC00FC00; mov.b32 %{{r[0-9]+}}, 0xFC00FC00; @%{{p[0-9]+}} ld.global.v2.b32
  // CHECK: mov.b64 %{{rd[0-9]+}}, 0xFFF0000000000000; mov.b64 %{{rd[0-9]+}}, 0xFFF0000000000000; @%{{p[0-9]+}} ld.global.v2.b64
  // CHECK: mov.b32 %{{r[0-9]+}}, 0x7070707; @%{{p[0-9]+}} ld.global.b32
  // CHECK-NOT: selp
  // CHECK: @%{{p[0-9]+}} ld.global.v4.b32
  // CHECK-COUNT-4: selp
  // CHECK: ret;
  tt.func public @kinds(%h: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %d: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %c: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %f: f32, %n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #w>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #w>
    %m = arith.cmpi slt, %r, %ns : tensor<512xi32, #w>
    %hs = tt.splat %h : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #w>
    %hp = tt.addptr %hs, %r : tensor<512x!tt.ptr<f16>, #w>, tensor<512xi32, #w>
    %ho = arith.constant dense<0xFC00> : tensor<512xf16, #w>
    %hv = tt.load %hp, %m, %ho : tensor<512x!tt.ptr<f16>, #w>
    tt.store %hp, %hv : tensor<512x!tt.ptr<f16>, #w>
    %ds = tt.splat %d : !tt.ptr<f64> -> tensor<512x!tt.ptr<f64>, #w>
    %dp = tt.addptr %ds, %r : tensor<512x!tt.ptr<f64>, #w>, tensor<512xi32, #w>
    %do = arith.constant dense<0xFFF0000000000000> : tensor<512xf64, #w>
    %dv = tt.load %dp, %m, %do : tensor<512x!tt.ptr<f64>, #w>
    tt.store %dp, %dv : tensor<512x!tt.ptr<f64>, #w>
    %cs = tt.splat %c : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>, #w>
    %cp = tt.addptr %cs, %r : tensor<512x!tt.ptr<i8>, #w>, tensor<512xi32, #w>
    %co = arith.constant dense<7> : tensor<512xi8, #w>
    %cv = tt.load %cp, %m, %co : tensor<512x!tt.ptr<i8>, #w>
    tt.store %cp, %cv : tensor<512x!tt.ptr<i8>, #w>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #w>
    %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #w>, tensor<512xi32, #w>
    %xo = tt.splat %f : f32 -> tensor<512xf32, #w>
    %xv = tt.load %xp, %m, %xo : tensor<512x!tt.ptr<f32>, #w>
    tt.store %xp, %xv : tensor<512x!tt.ptr<f32>, #w>
    tt.return
  }
}
