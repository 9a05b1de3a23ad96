// A program of several CTAs becomes a part of it for each: ranges begin at the part, tiles are a CTA's, what all would store one does.
// options: --pass=split-clusters --verify-each --stress --no-loc --num-ctas 4 --target sm_90a
module {
  tt.func public @two_by_two(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %out: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<256x256xf32>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %k0 = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
    %ka = tt.broadcast %k0 : tensor<1x64xi32> -> tensor<256x64xi32>
    %ra = tt.broadcast %r1 : tensor<256x1xi32> -> tensor<256x64xi32>
    %ia = arith.addi %ka, %ra : tensor<256x64xi32>
    %kb = tt.broadcast %k1 : tensor<64x1xi32> -> tensor<64x256xi32>
    %rb = tt.broadcast %r0 : tensor<1x256xi32> -> tensor<64x256xi32>
    %ib = arith.addi %kb, %rb : tensor<64x256xi32>
    %ps = tt.splat %a : !tt.ptr<f16> -> tensor<256x64x!tt.ptr<f16>>
    %qs = tt.splat %b : !tt.ptr<f16> -> tensor<64x256x!tt.ptr<f16>>
    %p = tt.addptr %ps, %ia : tensor<256x64x!tt.ptr<f16>>, tensor<256x64xi32>
    %q = tt.addptr %qs, %ib : tensor<64x256x!tt.ptr<f16>>, tensor<64x256xi32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256x256xf32>) : i32 {
      %x = tt.load %p : tensor<256x64x!tt.ptr<f16>>
      %y = tt.load %q : tensor<64x256x!tt.ptr<f16>>
      %d = tt.dot %x, %y, %acc : tensor<256x64xf16> * tensor<64x256xf16> -> tensor<256x256xf32>
      scf.yield %d : tensor<256x256xf32>
    }
    %cs = tt.splat %c : !tt.ptr<f32> -> tensor<256x256x!tt.ptr<f32>>
    %rc = tt.broadcast %r0 : tensor<1x256xi32> -> tensor<256x256xi32>
    %pc = tt.addptr %cs, %rc : tensor<256x256x!tt.ptr<f32>>, tensor<256x256xi32>
    tt.store %pc, %sum : tensor<256x256x!tt.ptr<f32>>
    tt.store %out, %n : !tt.ptr<i32>
    tt.return
  }
}
// CHECK: module attributes {neso.cluster = 4 : i32}
// CHECK: %[[RANK:.*]] = gpu.cta_rank : i32
// The range is 128 columns of the result by the second bit of the CTA's number, and 128 rows by the first one.
// CHECK: %[[R:.*]] = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
// CHECK: %[[SECOND:.*]] = arith.shrui %[[RANK]], %{{.*}} : i32
// CHECK: %[[BIT:.*]] = arith.andi %[[SECOND]], %{{.*}} : i32
// CHECK: %[[START:.*]] = arith.muli %[[BIT]], %{{.*}} : i32
// CHECK: %[[STARTS:.*]] = tt.splat %[[START]] : i32 -> tensor<128xi32>
// CHECK: %[[COLUMNS:.*]] = arith.addi %[[STARTS]], %[[R]] : tensor<128xi32>
// CHECK: arith.andi %[[RANK]], %{{.*}} : i32
// CHECK: %[[ROWS:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<128xi32>
// CHECK: tt.expand_dims %[[COLUMNS]] {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
// CHECK: tt.expand_dims %[[ROWS]] {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
// CHECK: scf.for {{.*}} -> (tensor<128x128xf32>)
// CHECK: tt.load {{.*}} : tensor<128x64x!tt.ptr<f16>>
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f16>>
// CHECK: tt.dot {{.*}} : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
// CHECK: tt.store {{.*}} : tensor<128x128x!tt.ptr<f32>>
// CHECK: %[[OTHER:.*]] = arith.andi %[[RANK]], %c3_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[OTHER]], %{{.*}} : i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: tt.store %out, %n : !tt.ptr<i32>
