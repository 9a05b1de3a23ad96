// Exact identities on integers, floats, selects, masks; what is not exact stays.
// run: neso opt --pass=canonicalize --no-loc %s
module {
  // CHECK-LABEL: @integers
  // CHECK: %[[K:.*]] = arith.constant 5 : i32
  // CHECK: arith.addi %x, %[[K]] : i32
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.return
  tt.func public @integers(%p: !tt.ptr<i32>, %x: i32, %y: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %0 = arith.addi %c2, %x : i32
    %1 = arith.subi %0, %y : i32
    %2 = arith.addi %1, %y : i32
    %3 = arith.addi %2, %c2 : i32
    %4 = arith.muli %3, %c1 : i32
    %5 = arith.muli %y, %c0 : i32
    %6 = arith.ori %4, %5 : i32
    %7 = arith.xori %y, %y : i32
    %8 = arith.addi %6, %7 : i32
    %9 = arith.divsi %y, %y : i32
    %10 = arith.addi %8, %c1 : i32
    tt.store %p, %10 : !tt.ptr<i32>
    tt.return
  }
  // Division by zero is not folded, and is not dropped when used.
  // CHECK-LABEL: @division
  // CHECK: arith.divsi
  // CHECK-NOT: arith.remsi
  tt.func public @division(%p: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = arith.divsi %c1, %c0 : i32
    %1 = arith.remsi %c0, %c1 : i32
    %2 = arith.addi %0, %1 : i32
    tt.store %p, %2 : !tt.ptr<i32>
    tt.return
  }
  // x + 0.0 and x * 0.0 stay; x + -0.0, x - 0.0 and x * 1.0 are x.
  // CHECK-LABEL: @floats
  // CHECK: %[[Z:.*]] = arith.constant 0.0
  // CHECK-NEXT: %[[A:.*]] = arith.addf %x, %[[Z]]
  // CHECK-NEXT: %[[M:.*]] = arith.mulf %[[A]], %[[Z]]
  // CHECK-NEXT: tt.store %p, %[[M]]
  tt.func public @floats(%p: !tt.ptr<f32>, %x: f32) {
    %z = arith.constant 0.0 : f32
    %n = arith.constant -0.0 : f32
    %one = arith.constant 1.0 : f32
    %0 = arith.addf %x, %z : f32
    %1 = arith.addf %0, %n : f32
    %2 = arith.subf %1, %z : f32
    %3 = arith.mulf %2, %one : f32
    %4 = arith.mulf %3, %z : f32
    tt.store %p, %4 : !tt.ptr<f32>
    tt.return
  }
  // not (a < b) of floats is true for NaN.
  // CHECK-LABEL: @comparisons
  // CHECK: arith.cmpf uge, %x, %y
  // CHECK: arith.cmpi sle, %i, %j
  // CHECK: arith.cmpi slt, %i, %{{.*}} : i32
  tt.func public @comparisons(%p: !tt.ptr<i1>, %x: f32, %y: f32, %i: i32, %j: i32) {
    %true = arith.constant true
    %k = arith.constant 2.5 : f32
    %0 = arith.cmpf olt, %x, %y : f32
    %1 = arith.xori %0, %true : i1
    tt.store %p, %1 : !tt.ptr<i1>
    %2 = arith.cmpi sgt, %i, %j : i32
    %3 = arith.xori %2, %true : i1
    tt.store %p, %3 : !tt.ptr<i1>
    %4 = arith.sitofp %i : i32 to f32
    %5 = arith.cmpf olt, %4, %k : f32
    tt.store %p, %5 : !tt.ptr<i1>
    tt.return
  }
  // CHECK-LABEL: @sums_of_halves
  // CHECK: %[[S:.*]] = arith.addf %a, %b : tensor<8xbf16>
  // CHECK-NEXT: tt.print "sum" {{.*}}%[[S]]
  // CHECK: %[[D:.*]] = arith.subf %c, %c : tensor<8xf16>
  // CHECK-NEXT: tt.print "difference" {{.*}}%[[D]]
  // CHECK: arith.addf %{{.*}} : tensor<8xf32>
  // CHECK: arith.truncf
  // CHECK: arith.addf %{{.*}} : tensor<8xf32>
  // CHECK: arith.truncf
  // CHECK-NEXT: tt.print "would be fused"
  // CHECK: %[[P:.*]] = arith.mulf %a, %b {neso.rounded} : tensor<8xbf16>
  // CHECK: arith.subf %a, %[[P]] : tensor<8xbf16>
  tt.func public @sums_of_halves(%a: tensor<8xbf16>, %b: tensor<8xbf16>, %c: tensor<8xf16>) {
    %0 = arith.extf %a : tensor<8xbf16> to tensor<8xf32>
    %1 = arith.extf %b : tensor<8xbf16> to tensor<8xf32>
    %2 = arith.addf %0, %1 : tensor<8xf32>
    %3 = arith.truncf %2 : tensor<8xf32> to tensor<8xbf16>
    tt.print "sum" {hex = false, isSigned = array<i32: 1>} : %3 : tensor<8xbf16>
    %4 = arith.extf %c : tensor<8xf16> to tensor<8xf32>
    %5 = arith.subf %4, %4 : tensor<8xf32>
    %6 = arith.truncf %5 : tensor<8xf32> to tensor<8xf16>
    tt.print "difference" {hex = false, isSigned = array<i32: 1>} : %6 : tensor<8xf16>
    %7 = arith.addf %0, %4 : tensor<8xf32>
    %8 = arith.truncf %7 : tensor<8xf32> to tensor<8xbf16>
    tt.print "of two types" {hex = false, isSigned = array<i32: 1>} : %8 : tensor<8xbf16>
    %9 = arith.mulf %a, %b : tensor<8xbf16>
    %10 = arith.extf %9 : tensor<8xbf16> to tensor<8xf32>
    %11 = arith.addf %0, %10 : tensor<8xf32>
    %12 = arith.truncf %11 : tensor<8xf32> to tensor<8xbf16>
    tt.print "would be fused" {hex = false, isSigned = array<i32: 1>} : %12 : tensor<8xbf16>
    %13 = arith.mulf %0, %1 : tensor<8xf32>
    %14 = arith.truncf %13 : tensor<8xf32> to tensor<8xbf16>
    %15 = arith.extf %14 : tensor<8xbf16> to tensor<8xf32>
    %16 = arith.subf %0, %15 : tensor<8xf32>
    %17 = arith.truncf %16 : tensor<8xf32> to tensor<8xbf16>
    tt.print "rounded in front of a difference" {hex = false, isSigned = array<i32: 1>} : %17 : tensor<8xbf16>
    tt.return
  }
  // CHECK-LABEL: @infinities
  // CHECK: tt.store %p, %false
  // CHECK-NEXT: tt.store %p, %false
  // CHECK-NEXT: tt.store %p, %true
  // CHECK-NEXT: tt.store %p, %true
  // CHECK-NEXT: %[[L:.*]] = arith.cmpf ole, %x, %{{.*}} : f32
  // CHECK-NEXT: tt.store %p, %[[L]]
  // CHECK-NEXT: %[[G:.*]] = arith.cmpf ogt, %{{.*}}, %x : f32
  // CHECK-NEXT: tt.store %p, %[[G]]
  tt.func public @infinities(%p: !tt.ptr<i1>, %x: f32) {
    %least = arith.constant 0xFF800000 : f32
    %most = arith.constant 0x7F800000 : f32
    %0 = arith.cmpf ogt, %least, %x : f32
    tt.store %p, %0 : !tt.ptr<i1>
    %1 = arith.cmpf ogt, %x, %most : f32
    tt.store %p, %1 : !tt.ptr<i1>
    %2 = arith.cmpf uge, %x, %least : f32
    tt.store %p, %2 : !tt.ptr<i1>
    %3 = arith.cmpf uge, %most, %x : f32
    tt.store %p, %3 : !tt.ptr<i1>
    %4 = arith.cmpf ole, %x, %most : f32
    tt.store %p, %4 : !tt.ptr<i1>
    %5 = arith.cmpf ogt, %most, %x : f32
    tt.store %p, %5 : !tt.ptr<i1>
    tt.return
  }
  // CHECK-LABEL: @masks
  // CHECK: %[[V:.*]] = tt.load %p : tensor
  // CHECK-NEXT: tt.store %p, %[[V]] : tensor
  // CHECK-NEXT: tt.store %p, %o : tensor
  // CHECK-NEXT: tt.return
  tt.func public @masks(%p: tensor<8x!tt.ptr<f32>>, %o: tensor<8xf32>) {
    %all = arith.constant dense<true> : tensor<8xi1>
    %none = arith.constant dense<false> : tensor<8xi1>
    %0 = tt.load %p, %all, %o : tensor<8x!tt.ptr<f32>>
    %1 = tt.load %p, %none, %o : tensor<8x!tt.ptr<f32>>
    tt.store %p, %0, %all : tensor<8x!tt.ptr<f32>>
    tt.store %p, %1 : tensor<8x!tt.ptr<f32>>
    tt.store %p, %0, %none : tensor<8x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @shapes
  // CHECK-NEXT: %[[S:.*]] = tt.splat %x : i32 -> tensor<4x8xi32>
  // CHECK-NEXT: tt.print {{.*}}%[[S]]
  // CHECK-NEXT: tt.print {{.*}}%t
  tt.func public @shapes(%x: i32, %t: tensor<4x8xi32>) {
    %0 = tt.splat %x : i32 -> tensor<4xi32>
    %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
    %2 = tt.broadcast %1 : tensor<4x1xi32> -> tensor<4x8xi32>
    tt.print "a" {hex = false, isSigned = array<i32: 1>} : %2 : tensor<4x8xi32>
    %3 = tt.trans %t {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
    %4 = tt.trans %3 {order = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>
    tt.print "b" {hex = false, isSigned = array<i32: 1>} : %4 : tensor<4x8xi32>
    tt.return
  }
  // Quotients of what extends 32 bits are done in 32; where the least number over -1 might be one, in 64.
  // CHECK-LABEL: @quotients
  // CHECK: %[[I:.*]] = tt.get_program_id x : i32
  // CHECK: %[[Q:.*]] = arith.remsi %[[I]], %n : i32
  // CHECK-NEXT: %[[W:.*]] = arith.extsi %[[Q]] : i32 to i64
  // CHECK-NEXT: tt.store %p, %[[W]]
  // CHECK-NEXT: %[[R:.*]] = arith.divsi %{{.*}} : i64
  // CHECK-NEXT: tt.store %p, %[[R]]
  // CHECK-NEXT: %[[S:.*]] = arith.divsi %n, %{{.*}} : i32
  // CHECK-NEXT: %[[T:.*]] = arith.extsi %[[S]]
  // CHECK-NEXT: tt.store %p, %[[T]]
  // CHECK-NEXT: %[[U:.*]] = arith.divsi %{{.*}} : i64
  // CHECK-NEXT: tt.store %p, %[[U]]
  // CHECK-NEXT: %[[V:.*]] = arith.remsi %{{.*}} : i64
  // CHECK-NEXT: tt.store %p, %[[V]]
  tt.func public @quotients(%p: !tt.ptr<i64>, %n: i32, %m: i32) {
    %c7 = arith.constant 7 : i64
    %minus = arith.constant -1 : i64
    %far = arith.constant 4294967303 : i64
    %i = tt.get_program_id x : i32
    %wn = arith.extsi %n : i32 to i64
    %wm = arith.extsi %m : i32 to i64
    %wi = arith.extsi %i : i32 to i64
    %q = arith.remsi %wi, %wn : i64
    tt.store %p, %q : !tt.ptr<i64>
    %r = arith.divsi %wn, %wm : i64
    tt.store %p, %r : !tt.ptr<i64>
    %s = arith.divsi %wn, %c7 : i64
    tt.store %p, %s : !tt.ptr<i64>
    %u = arith.divsi %wn, %minus : i64
    tt.store %p, %u : !tt.ptr<i64>
    %v = arith.remsi %wi, %far : i64
    tt.store %p, %v : !tt.ptr<i64>
    tt.return
  }
  // A part of what is left of a number when a loop counts its parts is one; not where the parts are others, or the loop counts others.
  // CHECK-LABEL: @parts
  // CHECK: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.store %p, %{{.*}} : !tt.ptr<i32>
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.for
  tt.func public @parts(%p: !tt.ptr<i32>, %n: i32, %m: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c15 = arith.constant 15 : i32
    %c16 = arith.constant 16 : i32
    %c17 = arith.constant 17 : i32
    %sum = arith.addi %n, %c15 : i32
    %count = arith.divsi %sum, %c16 : i32
    scf.for %i = %c0 to %count step %c1 : i32 {
      %start = arith.muli %i, %c16 : i32
      %rest = arith.subi %n, %start : i32
      %part = arith.minsi %rest, %c16 : i32
      %more = arith.addi %part, %c15 : i32
      %trips = arith.divsi %more, %c16 : i32
      scf.for %j = %c0 to %trips step %c1 : i32 {
        %x = arith.addi %j, %rest : i32
        tt.store %p, %x : !tt.ptr<i32>
      }
    }
    scf.for %i = %c0 to %count step %c1 : i32 {
      %start = arith.muli %i, %c17 : i32
      %rest = arith.subi %n, %start : i32
      %part = arith.minsi %rest, %c16 : i32
      %more = arith.addi %part, %c15 : i32
      %trips = arith.divsi %more, %c16 : i32
      scf.for %j = %c0 to %trips step %c1 : i32 {
        tt.store %p, %j : !tt.ptr<i32>
      }
    }
    scf.for %i = %c0 to %m step %c1 : i32 {
      %start = arith.muli %i, %c16 : i32
      %rest = arith.subi %n, %start : i32
      %part = arith.minsi %rest, %c16 : i32
      %more = arith.addi %part, %c15 : i32
      %trips = arith.divsi %more, %c16 : i32
      scf.for %j = %c0 to %trips step %c1 : i32 {
        tt.store %p, %j : !tt.ptr<i32>
      }
    }
    tt.return
  }
  // What bounds decide: the mask of a loop over whole blocks; not where one is left, where the sum
  // may wrap, or of a number that may be negative.
  // CHECK-LABEL: @bounds
  // CHECK: scf.for
  // CHECK-NOT: arith.cmpi slt, {{.*}}tensor<16xi32>
  // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<i32>>
  // CHECK: arith.cmpi sle, {{.*}} : tensor<16xi32>
  // CHECK: arith.cmpi sge, {{.*}} : i32
  // CHECK: arith.cmpi ult, {{.*}} : i32
  // CHECK-NOT: arith.cmpi
  // CHECK: tt.return
  tt.func public @bounds(%p: tensor<16x!tt.ptr<i32>>, %s: !tt.ptr<i1>, %x: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c7 = arith.constant 7 : i32
    %c16 = arith.constant 16 : i32
    %most = arith.constant 2147483647 : i32
    %whole = arith.constant dense<64> : tensor<16xi32>
    %part = arith.constant dense<62> : tensor<16xi32>
    %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      %1 = arith.muli %i, %c16 : i32
      %2 = tt.splat %1 : i32 -> tensor<16xi32>
      %3 = arith.addi %2, %0 : tensor<16xi32>
      %4 = arith.cmpi slt, %3, %whole : tensor<16xi32>
      tt.store %p, %3, %4 : tensor<16x!tt.ptr<i32>>
      %5 = arith.cmpi sle, %3, %part : tensor<16xi32>
      tt.store %p, %3, %5 : tensor<16x!tt.ptr<i32>>
    }
    %6 = tt.get_program_id x : i32
    %7 = arith.addi %6, %c1 : i32
    %8 = arith.cmpi sge, %7, %c1 : i32
    tt.store %s, %8 : !tt.ptr<i1>
    %9 = arith.remsi %x, %c4 : i32
    %10 = arith.cmpi ult, %9, %c4 : i32
    tt.store %s, %10 : !tt.ptr<i1>
    %11 = arith.andi %x, %c7 : i32
    %12 = arith.cmpi sgt, %11, %c7 : i32
    tt.store %s, %12 : !tt.ptr<i1>
    %13 = arith.divsi %6, %c16 : i32
    %14 = arith.cmpi uge, %13, %c0 : i32
    tt.store %s, %14 : !tt.ptr<i1>
    tt.return
  }
  // A counter ends where its last step is, if it is known where it starts.
  // CHECK-LABEL: @last_step
  // CHECK: scf.for
  // CHECK-NOT: arith.cmpi slt
  // CHECK: arith.cmpi sle, {{.*}} : tensor<16xi32>
  // CHECK: scf.for
  // CHECK: arith.cmpi slt, {{.*}} : tensor<16xi32>
  // CHECK: tt.return
  tt.func public @last_step(%p: tensor<16x!tt.ptr<i32>>, %x: i32) {
    %c0 = arith.constant 0 : i32
    %c5 = arith.constant 5 : i32
    %c16 = arith.constant 16 : i32
    %c64 = arith.constant 64 : i32
    %whole = arith.constant dense<64> : tensor<16xi32>
    %part = arith.constant dense<62> : tensor<16xi32>
    %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    scf.for %i = %c0 to %c64 step %c16 : i32 {
      %1 = tt.splat %i : i32 -> tensor<16xi32>
      %2 = arith.addi %1, %0 : tensor<16xi32>
      %3 = arith.cmpi slt, %2, %whole : tensor<16xi32>
      tt.store %p, %2, %3 : tensor<16x!tt.ptr<i32>>
      %4 = arith.cmpi sle, %2, %part : tensor<16xi32>
      tt.store %p, %2, %4 : tensor<16x!tt.ptr<i32>>
    }
    %5 = arith.andi %x, %c5 : i32
    scf.for %i = %5 to %c64 step %c16 : i32 {
      %6 = tt.splat %i : i32 -> tensor<16xi32>
      %7 = arith.addi %6, %0 : tensor<16xi32>
      %8 = arith.cmpi slt, %7, %part : tensor<16xi32>
      tt.store %p, %7, %8 : tensor<16x!tt.ptr<i32>>
    }
    tt.return
  }
  // Rows and columns of a square on the diagonal, wherever it is; not where the sum may carry into
  // what stands above, nor with another scalar.
  // CHECK-LABEL: @diagonal
  // CHECK: %[[RANGE:.*]] = tt.make_range {end = 8 : i32, start = 0 : i32}
  // CHECK: %[[ROWS:.*]] = tt.expand_dims %[[RANGE]] {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  // CHECK: %[[ROW:.*]] = tt.broadcast %[[ROWS]]
  // CHECK: %[[COLUMNS:.*]] = tt.expand_dims %[[RANGE]] {axis = 0 : i32}
  // CHECK: %[[COLUMN:.*]] = tt.broadcast %[[COLUMNS]]
  // CHECK: arith.cmpi sge, %[[ROW]], %[[COLUMN]] : tensor<8x8xi32>
  // CHECK: arith.cmpi sge, {{.*}} : tensor<8x8xi64>
  // CHECK: arith.cmpi sge, {{.*}} : tensor<8x8xi64>
  tt.func public @diagonal(%x: i32, %y: i32, %p: tensor<8x8x!tt.ptr<i8>>) {
    %c8 = arith.constant 8 : i64
    %c4 = arith.constant 4 : i64
    %0 = arith.extsi %x : i32 to i64
    %1 = arith.muli %0, %c8 : i64
    %2 = arith.muli %0, %c4 : i64
    %3 = arith.extsi %y : i32 to i64
    %4 = arith.muli %3, %c8 : i64
    %5 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %6 = arith.extsi %5 : tensor<8xi32> to tensor<8xi64>
    %7 = tt.splat %1 : i64 -> tensor<8xi64>
    %8 = arith.addi %7, %6 : tensor<8xi64>
    %9 = tt.splat %2 : i64 -> tensor<8xi64>
    %10 = arith.addi %9, %6 : tensor<8xi64>
    %11 = tt.splat %4 : i64 -> tensor<8xi64>
    %12 = arith.addi %11, %6 : tensor<8xi64>
    %13 = tt.expand_dims %8 {axis = 1 : i32} : tensor<8xi64> -> tensor<8x1xi64>
    %14 = tt.broadcast %13 : tensor<8x1xi64> -> tensor<8x8xi64>
    %15 = tt.expand_dims %8 {axis = 0 : i32} : tensor<8xi64> -> tensor<1x8xi64>
    %16 = tt.broadcast %15 : tensor<1x8xi64> -> tensor<8x8xi64>
    %17 = tt.expand_dims %10 {axis = 1 : i32} : tensor<8xi64> -> tensor<8x1xi64>
    %18 = tt.broadcast %17 : tensor<8x1xi64> -> tensor<8x8xi64>
    %19 = tt.expand_dims %10 {axis = 0 : i32} : tensor<8xi64> -> tensor<1x8xi64>
    %20 = tt.broadcast %19 : tensor<1x8xi64> -> tensor<8x8xi64>
    %21 = tt.expand_dims %12 {axis = 0 : i32} : tensor<8xi64> -> tensor<1x8xi64>
    %22 = tt.broadcast %21 : tensor<1x8xi64> -> tensor<8x8xi64>
    %23 = arith.cmpi sge, %14, %16 : tensor<8x8xi64>
    %24 = arith.cmpi sge, %18, %20 : tensor<8x8xi64>
    %25 = arith.cmpi sge, %14, %22 : tensor<8x8xi64>
    %26 = arith.extui %23 : tensor<8x8xi1> to tensor<8x8xi8>
    %27 = arith.extui %24 : tensor<8x8xi1> to tensor<8x8xi8>
    %28 = arith.extui %25 : tensor<8x8xi1> to tensor<8x8xi8>
    tt.store %p, %26 : tensor<8x8x!tt.ptr<i8>>
    tt.store %p, %27 : tensor<8x8x!tt.ptr<i8>>
    tt.store %p, %28 : tensor<8x8x!tt.ptr<i8>>
    tt.return
  }
  // 8 x + 4 has the bit of 4 itself, and a sum of that and of a range to 8 carries.
  // CHECK-LABEL: @beside_it
  // CHECK: %[[V:.*]] = tt.splat %{{.*}} : i32 -> tensor<8xi32>
  // CHECK: %[[SUM:.*]] = arith.addi %{{.*}} : tensor<8xi32>
  // CHECK: arith.cmpi ult, %[[SUM]], %{{.*}} : tensor<8xi32>
  tt.func public @beside_it(%x: i32, %p: tensor<8x!tt.ptr<i8>>) {
    %c8 = arith.constant 8 : i32
    %c4 = arith.constant 4 : i32
    %0 = arith.muli %x, %c8 : i32
    %1 = arith.addi %0, %c4 : i32
    %2 = tt.splat %1 : i32 -> tensor<8xi32>
    %3 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %4 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %5 = arith.addi %2, %3 : tensor<8xi32>
    %6 = arith.addi %2, %4 : tensor<8xi32>
    %7 = arith.cmpi ult, %5, %6 : tensor<8xi32>
    %8 = arith.extui %7 : tensor<8xi1> to tensor<8xi8>
    tt.store %p, %8 : tensor<8x!tt.ptr<i8>>
    tt.return
  }

  // Tokens of a loop in steps of 32, in pages of 16: where each stands in its page is the same in
  // every iteration, and the page is the counter's and a constant; the last token is 2^31 - 1.
  // CHECK-LABEL: @pages
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to
  // CHECK: %[[PAGE:.*]] = arith.divsi %[[I]], %{{.*}} : i32
  // CHECK: %[[FIRST:.*]] = tt.splat %[[PAGE]] : i32 -> tensor<32xi32>
  // CHECK: %[[LATER:.*]] = arith.divsi %[[R:.*]], %{{.*}} : tensor<32xi32>
  // CHECK: %[[SUM:.*]] = arith.addi %[[FIRST]], %[[LATER]] : tensor<32xi32>
  // CHECK: %[[IN:.*]] = arith.remsi %[[R]], %{{.*}} : tensor<32xi32>
  // CHECK: tt.store %{{.*}}, %[[SUM]]
  // CHECK: tt.store %{{.*}}, %[[IN]]
  tt.func public @pages(%n: i32, %p: tensor<32x!tt.ptr<i32>>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c16 = arith.constant dense<16> : tensor<32xi32>
    scf.for %i = %c0 to %n step %c32 : i32 {
      %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
      %1 = tt.splat %i : i32 -> tensor<32xi32>
      %2 = arith.addi %1, %0 : tensor<32xi32>
      %3 = arith.divsi %2, %c16 : tensor<32xi32>
      %4 = arith.remsi %2, %c16 : tensor<32xi32>
      tt.store %p, %3 : tensor<32x!tt.ptr<i32>>
      tt.store %p, %4 : tensor<32x!tt.ptr<i32>>
    }
    tt.return
  }
  // One page: the range is shorter. Unsigned: the same.
  // CHECK-LABEL: @one_page
  // CHECK: %[[PAGE:.*]] = arith.divui %{{.*}}, %{{.*}} : i32
  // CHECK: %[[ALL:.*]] = tt.splat %[[PAGE]] : i32 -> tensor<16xi32>
  // CHECK-NOT: arith.remui
  // CHECK: tt.store %{{.*}}, %[[ALL]]
  tt.func public @one_page(%n: i32, %p: tensor<16x!tt.ptr<i32>>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c16 = arith.constant dense<16> : tensor<16xi32>
    scf.for %i = %c0 to %n step %c32 : i32 {
      %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
      %1 = tt.splat %i : i32 -> tensor<16xi32>
      %2 = arith.addi %0, %1 : tensor<16xi32>
      %3 = arith.divui %2, %c16 : tensor<16xi32>
      %4 = arith.remui %2, %c16 : tensor<16xi32>
      tt.store %p, %3 : tensor<16x!tt.ptr<i32>>
      tt.store %p, %4 : tensor<16x!tt.ptr<i32>>
    }
    tt.return
  }
  // Not where a part may be negative (an argument, a range that begins below 0), is no multiple
  // (steps of 8), or the sum may wrap (16 x program); nor by 12.
  // CHECK-LABEL: @no_pages
  // CHECK-COUNT-5: arith.remsi %{{.*}}, %{{.*}} : tensor<32xi32>
  // CHECK-NOT: arith.remsi
  // CHECK: tt.return
  tt.func public @no_pages(%n: i32, %p: tensor<32x!tt.ptr<i32>>) {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %c48 = arith.constant 48 : i32
    %k12 = arith.constant dense<12> : tensor<32xi32>
    %k16 = arith.constant dense<16> : tensor<32xi32>
    %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %below = arith.subi %0, %k16 : tensor<32xi32>
    %c16 = arith.constant 16 : i32
    %pid = tt.get_program_id x : i32
    %of_x = arith.muli %n, %c16 : i32
    %of_pid = arith.muli %pid, %c16 : i32
    %1 = tt.splat %of_x : i32 -> tensor<32xi32>
    %2 = tt.splat %of_pid : i32 -> tensor<32xi32>
    %3 = arith.addi %1, %0 : tensor<32xi32>
    %4 = arith.addi %2, %0 : tensor<32xi32>
    %5 = arith.remsi %3, %k16 : tensor<32xi32>
    %6 = arith.remsi %4, %k16 : tensor<32xi32>
    tt.store %p, %5 : tensor<32x!tt.ptr<i32>>
    tt.store %p, %6 : tensor<32x!tt.ptr<i32>>
    scf.for %i = %c0 to %n step %c8 : i32 {
      %7 = tt.splat %i : i32 -> tensor<32xi32>
      %8 = arith.addi %7, %0 : tensor<32xi32>
      %9 = arith.remsi %8, %k16 : tensor<32xi32>
      tt.store %p, %9 : tensor<32x!tt.ptr<i32>>
    }
    scf.for %i = %c0 to %n step %c48 : i32 {
      %7 = tt.splat %i : i32 -> tensor<32xi32>
      %8 = arith.addi %7, %0 : tensor<32xi32>
      %9 = arith.remsi %8, %k12 : tensor<32xi32>
      %10 = arith.addi %7, %below : tensor<32xi32>
      %11 = arith.remsi %10, %k16 : tensor<32xi32>
      tt.store %p, %9 : tensor<32x!tt.ptr<i32>>
      tt.store %p, %11 : tensor<32x!tt.ptr<i32>>
    }
    tt.return
  }
}
