// The layout of an access: 16 bytes of neighbours in a thread where alignment, mask and the thread's share allow, then lanes.
// options: --pass=convert-ttir-to-ttgir,coalesce --verify-each --stress --no-loc
// Sixteen i8, and what is stored as f32 in fours.
// CHECK-DAG: #[[I8:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}1], [2], [4], [8]], lane = {{\[\[}}16],
// CHECK-DAG: #[[F32:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}1], [2], [512], [1024]], lane = {{\[\[}}4],
// A mask that may end anywhere: neighbours in neighbouring lanes.
// CHECK-DAG: #[[ONE:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}128], [256], [512], [1024]], lane = {{\[\[}}1],
// Contiguous along dim 0.
// CHECK-DAG: #[[COLS:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [0, 16]], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 4], [0, 8]],
// Pixels, whose addresses usually go up by one, though nobody can say where a row ends; what lies nearer than the rest.
// CHECK-DAG: #[[PIXELS:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}0, 4], [0, 8], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}0, 1], [0, 2]],
// Rows that are reduced have a warp each.
// CHECK-DAG: #[[ROWS:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 128], [0, 256]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}1, 0], [2, 0]],
// Contiguous along dim 0 but where a remainder wraps.
// CHECK-DAG: #[[WRAP:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}0, 2], [0, 4]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}32, 0], [0, 1]],
// Fewer elements than threads: one each, the others hold copies.
// CHECK-DAG: #[[FEW:linear[0-9]*]] = #ttg.linear<{register = [], lane = {{\[\[}}1], [2], [4], [8], [0]], warp = {{\[\[}}0], [0]], block = []}>

// CHECK-LABEL: @vectors(
tt.func public @vectors(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>>
  %pa = tt.addptr %ps, %r : tensor<2048x!tt.ptr<i8>>, tensor<2048xi32>
  %ns = tt.splat %n : i32 -> tensor<2048xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<2048xi32>
  // CHECK: tt.load {{.*}} : tensor<2048x!tt.ptr<i8>, #[[I8]]>
  %x = tt.load %pa, %m : tensor<2048x!tt.ptr<i8>>
  %f = arith.sitofp %x : tensor<2048xi8> to tensor<2048xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %oa = tt.addptr %os, %r : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  // CHECK: tt.store {{.*}} : tensor<2048x!tt.ptr<f32>, #[[F32]]>
  tt.store %oa, %f, %m : tensor<2048x!tt.ptr<f32>>
  %ks = tt.splat %k : i32 -> tensor<2048xi32>
  %mk = arith.cmpi slt, %r, %ks : tensor<2048xi32>
  // CHECK: tt.store {{.*}} : tensor<2048x!tt.ptr<f32>, #[[ONE]]>
  tt.store %oa, %f, %mk : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// Atomics take an element each, but sums of floats, of which sm_90 adds four at once.
// CHECK-LABEL: @atomics(
tt.func public @atomics(%o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %one = arith.constant dense<1.0> : tensor<2048xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %oa = tt.addptr %os, %r : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %qs = tt.splat %q : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %qa = tt.addptr %qs, %r : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
  // CHECK: tt.atomic_rmw fadd, {{.*}} : (tensor<2048x!tt.ptr<f32>, #[[F32]]>
  %a = tt.atomic_rmw fadd, relaxed, gpu, %oa, %one : (tensor<2048x!tt.ptr<f32>>, tensor<2048xf32>) -> tensor<2048xf32>
  // CHECK: tt.atomic_rmw add, {{.*}} : (tensor<2048x!tt.ptr<i32>, #[[ONE]]>
  %b = tt.atomic_rmw add, relaxed, gpu, %qa, %r : (tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>) -> tensor<2048xi32>
  tt.return
}

// CHECK-LABEL: @tiles(
tt.func public @tiles(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %c = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %e0 = tt.expand_dims %c {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %e1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ss = tt.splat %stride : i32 -> tensor<1x32xi32>
  %e2 = arith.muli %e1, %ss : tensor<1x32xi32>
  %b0 = tt.broadcast %e0 : tensor<32x1xi32> -> tensor<32x32xi32>
  %b2 = tt.broadcast %e2 : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %b0, %b2 : tensor<32x32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  // CHECK: tt.load {{.*}} : tensor<32x32x!tt.ptr<f32>, #[[COLS]]>
  %x = tt.load %pa : tensor<32x32x!tt.ptr<f32>>
  tt.store %pa, %x : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @rows(
tt.func public @rows(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %c = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %e0 = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %ss = tt.splat %stride : i32 -> tensor<4x1xi32>
  %e2 = arith.muli %e0, %ss : tensor<4x1xi32>
  %e1 = tt.expand_dims %c {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %b0 = tt.broadcast %e2 : tensor<4x1xi32> -> tensor<4x512xi32>
  %b1 = tt.broadcast %e1 : tensor<1x512xi32> -> tensor<4x512xi32>
  %at = arith.addi %b0, %b1 : tensor<4x512xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<4x512x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %at : tensor<4x512x!tt.ptr<f32>>, tensor<4x512xi32>
  // CHECK: tt.load {{.*}} : tensor<4x512x!tt.ptr<f32>, #[[ROWS]]>
  %x = tt.load %pa : tensor<4x512x!tt.ptr<f32>>
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %d: f32):
    %f = arith.addf %a, %d : f32
    tt.reduce.return %f : f32
  }) : (tensor<4x512xf32>) -> tensor<4xf32>
  %q = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %qs = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %qa = tt.addptr %qs, %q : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  // CHECK: tt.store {{.*}} : tensor<16x!tt.ptr<f32>, #[[FEW]]>
  tt.store %qa, %one : tensor<16x!tt.ptr<f32>>
  %rs = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %ra = tt.addptr %rs, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.store %ra, %s : tensor<4x!tt.ptr<f32>>
  tt.return
}

// Image, row and column of a pixel: quotients and remainders by sizes. Channels are dim 1, far apart.
// CHECK-LABEL: @pixels(
tt.func public @pixels(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %width: i32, %row: i32, %channel: i32 {tt.divisibility = 16 : i32}, %o: !tt.ptr<f16>) {
  %c = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %ws = tt.splat %width : i32 -> tensor<32xi32>
  %rs = tt.splat %row : i32 -> tensor<32xi32>
  %y = arith.divsi %c, %ws : tensor<32xi32>
  %x = arith.remsi %c, %ws : tensor<32xi32>
  %y1 = arith.muli %y, %rs : tensor<32xi32>
  %at = arith.addi %y1, %x : tensor<32xi32>
  %e0 = tt.expand_dims %at {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cs = tt.splat %channel : i32 -> tensor<32xi32>
  %c1 = arith.muli %c, %cs : tensor<32xi32>
  %e1 = tt.expand_dims %c1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %b0 = tt.broadcast %e0 : tensor<32x1xi32> -> tensor<32x32xi32>
  %b1 = tt.broadcast %e1 : tensor<1x32xi32> -> tensor<32x32xi32>
  %all = arith.addi %b0, %b1 : tensor<32x32xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %pa = tt.addptr %ps, %all : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  // CHECK: tt.load {{.*}} : tensor<32x32x!tt.ptr<f16>, #[[PIXELS]]>
  %v = tt.load %pa : tensor<32x32x!tt.ptr<f16>>
  // The stride along dim 0 is no multiple of 16, the other one is.
  %d0 = tt.expand_dims %c {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %w1 = tt.splat %width : i32 -> tensor<32x1xi32>
  %n0 = arith.muli %d0, %w1 : tensor<32x1xi32>
  %nb = tt.broadcast %n0 : tensor<32x1xi32> -> tensor<32x32xi32>
  %near = arith.addi %nb, %b1 : tensor<32x32xi32>
  %os = tt.splat %o : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %oa = tt.addptr %os, %near : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  // CHECK: tt.store {{.*}} : tensor<32x32x!tt.ptr<f16>, #[[PIXELS]]>
  tt.store %oa, %v : tensor<32x32x!tt.ptr<f16>>
  tt.return
}

// CHECK-LABEL: @wraps(
tt.func public @wraps(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %x = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %xe = tt.expand_dims %x {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %re = tt.expand_dims %r {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %n = arith.constant dense<257> : tensor<64x1xi32>
  %m = arith.constant dense<65535> : tensor<64x1xi32>
  %k = arith.constant dense<257> : tensor<1x8xi32>
  %x0 = arith.remsi %xe, %n : tensor<64x1xi32>
  %x1 = arith.divsi %xe, %n : tensor<64x1xi32>
  %x2 = arith.muli %x1, %m : tensor<64x1xi32>
  %x3 = arith.addi %x0, %x2 : tensor<64x1xi32>
  %rk = arith.muli %re, %k : tensor<1x8xi32>
  %b0 = tt.broadcast %x3 : tensor<64x1xi32> -> tensor<64x8xi32>
  %b1 = tt.broadcast %rk : tensor<1x8xi32> -> tensor<64x8xi32>
  %at = arith.addi %b0, %b1 : tensor<64x8xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %at : tensor<64x8x!tt.ptr<f32>>, tensor<64x8xi32>
  // CHECK: tt.load {{.*}} : tensor<64x8x!tt.ptr<f32>, #[[WRAP]]>
  %v = tt.load %pa : tensor<64x8x!tt.ptr<f32>>
  tt.store %pa, %v : tensor<64x8x!tt.ptr<f32>>
  tt.return
}
