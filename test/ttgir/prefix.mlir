// Masks that end anywhere along rows: copies of 16 bytes are told how many elements of them are wanted, in the shape of the comparison. The
// bound of %b is wanted itself, and of its two bounds the nearer counts; a mask with a hole in it is no such mask.
// options: --pass=convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,pipeline,cse,dce --verify-each --stress --no-loc --num-stages 2 --target sm_80
module {
  // CHECK-LABEL: @ends
  // CHECK: %[[EIGHT:.*]] = arith.constant dense<8> : tensor<1x64xi32, #[[ROW:.*]]>
  // CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : tensor<1x64xi32, #[[ROW]]>
  // CHECK: %[[NEAR:.*]] = arith.minui %{{.*}}, %[[EIGHT]] : tensor<1x64xi32, #[[ROW]]>
  // CHECK: %[[COUNT:.*]] = tt.broadcast %[[NEAR]] : tensor<1x64xi32, #[[ROW]]> -> tensor<64x64xi32,
  // CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} mask %{{.*}} other %{{.*}} count %[[COUNT]] {contiguity = 8 : i32}
  // CHECK: %[[SEVEN:.*]] = arith.constant dense<7> : tensor<1x64xi32,
  // CHECK: %[[CLOSED:.*]] = arith.minui %{{.*}}, %[[SEVEN]] : tensor<1x64xi32,
  // CHECK: arith.addi %[[CLOSED]], %{{.*}} : tensor<1x64xi32,
  // CHECK: arith.minui %{{.*}}, %{{.*}} : tensor<64x64xi32,
  // CHECK: ttg.async_copy_global_to_local {{.*}} count {{.*}} {contiguity = 8 : i32}
  // CHECK: scf.for
  // CHECK: "load 0: copied 1 ahead, 16 bytes at once, 2 slots of 8192 bytes", "load 1: copied 1 ahead, 16 bytes at once, 2 slots of 8192 bytes"
  tt.func public @ends(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %m: i32, %count: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %none = arith.constant dense<0.0> : tensor<64x64xf16>
    %width = arith.constant dense<64> : tensor<64x1xi32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %row = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %column = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %lines = arith.muli %column, %width : tensor<64x1xi32>
    %l2 = tt.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
    %r2 = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
    %o = arith.addi %l2, %r2 : tensor<64x64xi32>
    %sa = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %a0 = tt.addptr %sa, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %sb = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %b0 = tt.addptr %sb, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %ms = tt.splat %m : i32 -> tensor<64x1xi32>
    %mrow = arith.cmpi slt, %column, %ms : tensor<64x1xi32>
    %mr = tt.broadcast %mrow : tensor<64x1xi1> -> tensor<64x64xi1>
    %x = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.muli %i, %c64 : i32
      %left = arith.subi %n, %at : i32
      %ns = tt.splat %left : i32 -> tensor<1x64xi32>
      %k1 = arith.cmpi slt, %row, %ns : tensor<1x64xi32>
      %k2 = tt.broadcast %k1 : tensor<1x64xi1> -> tensor<64x64xi1>
      %ka = arith.andi %mr, %k2 : tensor<64x64xi1>
      %ge1 = arith.cmpi sge, %ns, %row : tensor<1x64xi32>
      %ge2 = tt.broadcast %ge1 : tensor<1x64xi1> -> tensor<64x64xi1>
      %ms1 = tt.splat %m : i32 -> tensor<1x64xi32>
      %k3 = arith.cmpi ult, %row, %ms1 : tensor<1x64xi32>
      %k4 = tt.broadcast %k3 : tensor<1x64xi1> -> tensor<64x64xi1>
      %kb = arith.andi %ge2, %k4 : tensor<64x64xi1>
      %off = tt.splat %at : i32 -> tensor<64x64xi32>
      %ap = tt.addptr %a0, %off : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %bp = tt.addptr %b0, %off : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %a = tt.load %ap, %ka, %none : tensor<64x64x!tt.ptr<f16>>
      %b = tt.load %bp, %kb, %none : tensor<64x64x!tt.ptr<f16>>
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tt.store %so, %x : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @hole
  // CHECK-NOT: ttg.async_copy
  // CHECK: "load 0: registers 1 ahead: fewer than 4 bytes are known to lie in a row under one mask"
  tt.func public @hole(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %count: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %none = arith.constant dense<0.0> : tensor<32x32xf16>
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %o = tt.reshape %r : tensor<1024xi32> -> tensor<32x32xi32>
    %sa = tt.splat %pa : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
    %a0 = tt.addptr %sa, %o : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %so = tt.splat %po : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %ns = tt.splat %n : i32 -> tensor<32x32xi32>
    %x = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
      %at = arith.muli %i, %c64 : i32
      %k = arith.cmpi ne, %o, %ns : tensor<32x32xi32>
      %off = tt.splat %at : i32 -> tensor<32x32xi32>
      %ap = tt.addptr %a0, %off : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
      %a = tt.load %ap, %k, %none : tensor<32x32x!tt.ptr<f16>>
      %d = tt.dot %a, %a, %acc : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tt.store %so, %x : tensor<32x32x!tt.ptr<f32>>
    tt.return
  }
}
