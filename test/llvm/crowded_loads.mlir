// Loads behind a reduction, over which 32 registers are kept: 32 more of them are set first, so that they are taken no sooner than
// they are needed. The first loads, and those behind which nothing is kept, are not, where masked elements become no constant.
// run: codegen_tool --pass allocate --kernel crowded --emit ptx %s
// run: codegen_tool --pass allocate --kernel roomy --emit ptx %s
// In a loop registers that are not set for certain are taken all the time: those of all its loads count.
// run: codegen_tool --pass allocate --kernel looped --emit ptx %s
#l = #ttg.linear<{register = [[1], [2], [512], [1024], [2048]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .entry crowded
  // CHECK-NOT: mov.b32 %r{{[0-9]+}}, 0;
  // CHECK: ld.global
  // CHECK: bar.sync
  // CHECK: mov.b32 %[[A:r[0-9]+]], 0; mov.b32 %{{r[0-9]+}}, 0; mov.b32 %{{r[0-9]+}}, 0; mov.b32 %{{r[0-9]+}}, 0; @%{{p[0-9]+}} ld.global.v4.b32 {%[[A]],
  tt.func public @crowded(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %f: f32) {
    %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32, #l>
    %one = tt.splat %f : f32 -> tensor<4096xf32, #l>
    %ns = tt.splat %n : i32 -> tensor<4096xi32, #l>
    %m = arith.cmpi slt, %r, %ns : tensor<4096xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #l>
    %xa = tt.addptr %xs, %r : tensor<4096x!tt.ptr<f32>, #l>, tensor<4096xi32, #l>
    %v = tt.load %xa, %m, %one : tensor<4096x!tt.ptr<f32>, #l>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<4096xf32, #l>) -> f32
    %ss = tt.splat %s : f32 -> tensor<4096xf32, #l>
    %ws = tt.splat %w : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #l>
    %wa = tt.addptr %ws, %r : tensor<4096x!tt.ptr<f32>, #l>, tensor<4096xi32, #l>
    %y = tt.load %wa, %m : tensor<4096x!tt.ptr<f32>, #l>
    %z = arith.mulf %v, %y : tensor<4096xf32, #l>
    %q = arith.addf %z, %ss : tensor<4096xf32, #l>
    tt.store %xa, %q, %m : tensor<4096x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: .entry roomy
  // CHECK: bar.sync
  // CHECK-NOT: mov.b32 %r{{[0-9]+}}, 0;
  // CHECK: ld.global
  // CHECK-NOT: mov.b32 %r{{[0-9]+}}, 0;
  // CHECK: st.global
  tt.func public @roomy(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %f: f32) {
    %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32, #l>
    %one = tt.splat %f : f32 -> tensor<4096xf32, #l>
    %ns = tt.splat %n : i32 -> tensor<4096xi32, #l>
    %m = arith.cmpi slt, %r, %ns : tensor<4096xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #l>
    %xa = tt.addptr %xs, %r : tensor<4096x!tt.ptr<f32>, #l>, tensor<4096xi32, #l>
    %v = tt.load %xa, %m, %one : tensor<4096x!tt.ptr<f32>, #l>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<4096xf32, #l>) -> f32
    %ss = tt.splat %s : f32 -> tensor<4096xf32, #l>
    %ws = tt.splat %w : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #l>
    %wa = tt.addptr %ws, %r : tensor<4096x!tt.ptr<f32>, #l>, tensor<4096xi32, #l>
    %y = tt.load %wa, %m : tensor<4096x!tt.ptr<f32>, #l>
    %z = arith.mulf %ss, %y : tensor<4096xf32, #l>
    %q = arith.addf %z, %ss : tensor<4096xf32, #l>
    tt.store %xa, %q, %m : tensor<4096x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: .entry looped
  // CHECK: mov.b32 %[[B:r[0-9]+]], 0; mov.b32 %{{r[0-9]+}}, 0; mov.b32 %{{r[0-9]+}}, 0; mov.b32 %{{r[0-9]+}}, 0; @%{{p[0-9]+}} ld.global.v4.b32 {%[[B]],
  // CHECK: bar.sync
  // CHECK: mov.b32 %[[C:r[0-9]+]], 0; mov.b32 %{{r[0-9]+}}, 0; mov.b32 %{{r[0-9]+}}, 0; mov.b32 %{{r[0-9]+}}, 0; @%{{p[0-9]+}} ld.global.v4.b32 {%[[C]],
  tt.func public @looped(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %f: f32) {
    %c0 = arith.constant 0 : i32
    %c4096 = arith.constant 4096 : i32
    %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32, #l>
    %one = tt.splat %f : f32 -> tensor<4096xf32, #l>
    scf.for %i = %c0 to %n step %c4096 : i32 {
      %is = tt.splat %i : i32 -> tensor<4096xi32, #l>
      %at = arith.addi %r, %is : tensor<4096xi32, #l>
      %ns = tt.splat %n : i32 -> tensor<4096xi32, #l>
      %m = arith.cmpi slt, %at, %ns : tensor<4096xi32, #l>
      %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #l>
      %xa = tt.addptr %xs, %at : tensor<4096x!tt.ptr<f32>, #l>, tensor<4096xi32, #l>
      %v = tt.load %xa, %m, %one : tensor<4096x!tt.ptr<f32>, #l>
      %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<4096xf32, #l>) -> f32
      %ss = tt.splat %s : f32 -> tensor<4096xf32, #l>
      %ws = tt.splat %w : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #l>
      %wa = tt.addptr %ws, %at : tensor<4096x!tt.ptr<f32>, #l>, tensor<4096xi32, #l>
      %y = tt.load %wa, %m : tensor<4096x!tt.ptr<f32>, #l>
      %q = arith.addf %y, %ss : tensor<4096xf32, #l>
      tt.store %xa, %q, %m : tensor<4096x!tt.ptr<f32>, #l>
    }
    tt.return
  }
}
