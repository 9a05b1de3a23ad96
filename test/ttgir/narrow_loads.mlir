// Words that several rows name are loaded once for all of them: rows k / 8 of weights, scales of blocks of 16 rows by 2 columns, a row that all
// rows are. Their addresses go round the loop by themselves; the tiles that they came from are gone.
// run: neso opt --pass=narrow-loads --verify-each --no-loc %s
module {
  // CHECK-LABEL: @weights
  // CHECK: %[[R:.*]] = tt.make_range {end = 4 : i32, start = 0 : i32}
  // CHECK-NOT: tensor<32x16x!tt.ptr<i32>>
  // CHECK: scf.for {{.*}} -> (tensor<16x16xf32>, tensor<4x16x!tt.ptr<i32>>)
  // CHECK: %[[W:.*]] = tt.load %{{.*}} : tensor<4x16x!tt.ptr<i32>>
  // CHECK-NEXT: %[[E:.*]] = tt.expand_dims %[[W]] {axis = 1 : i32} : tensor<4x16xi32> -> tensor<4x1x16xi32>
  // CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[E]] : tensor<4x1x16xi32> -> tensor<4x8x16xi32>
  // CHECK-NEXT: tt.reshape %[[B]] : tensor<4x8x16xi32> -> tensor<32x16xi32>
  tt.func public @weights(%a: tensor<16x32xf16>, %w: !tt.ptr<i32>, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant dense<8> : tensor<32xi32>
    %c16 = arith.constant dense<16> : tensor<32x1xi32>
    %step = arith.constant dense<64> : tensor<32x16xi32>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %n16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %row = arith.divsi %k, %c8 : tensor<32xi32>
    %r1 = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rows = arith.muli %r1, %c16 : tensor<32x1xi32>
    %rb = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x16xi32>
    %n1 = tt.expand_dims %n16 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %nb = tt.broadcast %n1 : tensor<1x16xi32> -> tensor<32x16xi32>
    %off = arith.addi %rb, %nb : tensor<32x16xi32>
    %ws = tt.splat %w : !tt.ptr<i32> -> tensor<32x16x!tt.ptr<i32>>
    %wp = tt.addptr %ws, %off : tensor<32x16x!tt.ptr<i32>>, tensor<32x16xi32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %wp) -> (tensor<16x16xf32>, tensor<32x16x!tt.ptr<i32>>) : i32 {
      %v = tt.load %p : tensor<32x16x!tt.ptr<i32>>
      %h = arith.sitofp %v : tensor<32x16xi32> to tensor<32x16xf16>
      %d = tt.dot %a, %h, %acc : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
      %q = tt.addptr %p, %step : tensor<32x16x!tt.ptr<i32>>, tensor<32x16xi32>
      scf.yield %d, %q : tensor<16x16xf32>, tensor<32x16x!tt.ptr<i32>>
    }
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
    tt.store %os, %r#0 : tensor<16x16x!tt.ptr<f32>>
    tt.return
  }

  // CHECK-LABEL: @blocks
  // CHECK: %[[K:.*]] = tt.make_range {end = 2 : i32, start = 0 : i32}
  // CHECK: tt.make_range {end = 8 : i32, start = 0 : i32}
  // CHECK: %[[S:.*]] = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x8x!tt.ptr<f16>>
  // CHECK: tt.broadcast %{{.*}} : tensor<2x1x8x1xf16> -> tensor<2x16x8x2xf16>
  // CHECK: tt.reshape %{{.*}} : tensor<2x16x8x2xf16> -> tensor<32x16xf16>
  // CHECK: %[[T:.*]] = tt.load %{{.*}} : tensor<1x16x!tt.ptr<f16>>
  // CHECK-NEXT: tt.broadcast %[[T]] : tensor<1x16xf16> -> tensor<32x16xf16>
  // CHECK: %[[P:.*]] = tt.addptr %{{.*}} : tensor<32x1x!tt.ptr<f16>>
  // CHECK: tt.load %[[P]] : tensor<32x1x!tt.ptr<f16>>
  // CHECK: %[[U:.*]] = tt.addptr %{{.*}} : tensor<32x16x!tt.ptr<f16>>
  // CHECK: tt.load %[[U]] : tensor<32x16x!tt.ptr<f16>>
  tt.func public @blocks(%a: tensor<16x32xf16>, %s: !tt.ptr<f16>, %where: !tt.ptr<i32>, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant dense<16> : tensor<32x1xi32>
    %c2 = arith.constant dense<2> : tensor<1x16xi32>
    %c8 = arith.constant dense<8> : tensor<32x1xi32>
    %zeros = arith.constant dense<6> : tensor<32x16xi32>
    %other = arith.constant dense<1.0> : tensor<32x16xf16>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %n16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %n1 = tt.expand_dims %n16 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %row = arith.divsi %k1, %c16 : tensor<32x1xi32>
    %rows = arith.muli %row, %c8 : tensor<32x1xi32>
    %column = arith.divsi %n1, %c2 : tensor<1x16xi32>
    %rb = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x16xi32>
    %cb = tt.broadcast %column : tensor<1x16xi32> -> tensor<32x16xi32>
    %nb = tt.broadcast %n1 : tensor<1x16xi32> -> tensor<32x16xi32>
    %off = arith.addi %rb, %cb : tensor<32x16xi32>
    %ss = tt.splat %s : !tt.ptr<f16> -> tensor<32x16x!tt.ptr<f16>>
    %sp = tt.addptr %ss, %off : tensor<32x16x!tt.ptr<f16>>, tensor<32x16xi32>
    %tp = tt.addptr %ss, %nb : tensor<32x16x!tt.ptr<f16>>, tensor<32x16xi32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
      %bound = tt.splat %i : i32 -> tensor<1x16xi32>
      %in = arith.cmpi slt, %column, %bound : tensor<1x16xi32>
      %mask = tt.broadcast %in : tensor<1x16xi1> -> tensor<32x16xi1>
      %v = tt.load %sp, %mask, %other : tensor<32x16x!tt.ptr<f16>>
      %t = tt.load %tp : tensor<32x16x!tt.ptr<f16>>
      %vt = arith.mulf %v, %t : tensor<32x16xf16>
      %d = tt.dot %a, %vt, %acc : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
      %ids = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
      %wp0 = tt.splat %where : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
      %wp1 = tt.addptr %wp0, %ids : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
      %w = tt.load %wp1 : tensor<32x!tt.ptr<i32>>
      %w1 = tt.expand_dims %w {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %wb = tt.broadcast %w1 : tensor<32x1xi32> -> tensor<32x16xi32>
      %gp = tt.addptr %ss, %wb : tensor<32x16x!tt.ptr<f16>>, tensor<32x16xi32>
      %g = tt.load %gp : tensor<32x16x!tt.ptr<f16>>
      %e = tt.dot %a, %g, %d : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
      // Equal in groups, as far as it is known, but the tile that says so comes from memory as a whole: it stays as it is.
      %pp = tt.splat %where : !tt.ptr<i32> -> tensor<32x16x!tt.ptr<i32>>
      %pq = tt.addptr %pp, %nb : tensor<32x16x!tt.ptr<i32>>, tensor<32x16xi32>
      %at = tt.load %pq : tensor<32x16x!tt.ptr<i32>>
      %same = arith.andi %at, %zeros {tt.constancy = dense<[32, 1]> : tensor<2xi32>} : tensor<32x16xi32>
      %up = tt.addptr %ss, %same : tensor<32x16x!tt.ptr<f16>>, tensor<32x16xi32>
      %u = tt.load %up : tensor<32x16x!tt.ptr<f16>>
      %f = tt.dot %a, %u, %e : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
      scf.yield %f : tensor<16x16xf32>
    }
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
    tt.store %os, %sum : tensor<16x16x!tt.ptr<f32>>
    tt.return
  }

  // What is promised of neighbours is not true of every eighth element.
  // CHECK-LABEL: @hints
  // CHECK: arith.remsi %{{.*}} {tt.constancy = dense<1> : tensor<1xi32>, tt.contiguity = dense<1> : tensor<1xi32>, tt.divisibility = dense<8> : tensor<1xi32>} : tensor<8xi32>
  // CHECK: tt.load %{{.*}} {tt.constancy = dense<1> : tensor<2xi32>} : tensor<1x8x!tt.ptr<f16>>
  tt.func public @hints(%a: tensor<16x16xf16>, %s: !tt.ptr<f16>, %o: !tt.ptr<f32>, %n: i32, %m: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant dense<8> : tensor<64xi32>
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %ms = tt.splat %m : i32 -> tensor<64xi32>
    %h = arith.remsi %k, %ms {tt.constancy = 1 : i32, tt.contiguity = 64 : i32, tt.divisibility = 64 : i32} : tensor<64xi32>
    %g = arith.divsi %h, %c8 : tensor<64xi32>
    %g1 = tt.expand_dims %g {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %gb = tt.broadcast %g1 : tensor<1x64xi32> -> tensor<16x64xi32>
    %ss = tt.splat %s : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
    %sp = tt.addptr %ss, %gb : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
      %v = tt.load %sp {tt.constancy = dense<8> : tensor<2xi32>} : tensor<16x64x!tt.ptr<f16>>
      %d = tt.dot %a, %v, %acc : tensor<16x16xf16> * tensor<16x64xf16> -> tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    tt.store %os, %r : tensor<16x64x!tt.ptr<f32>>
    tt.return
  }
}
