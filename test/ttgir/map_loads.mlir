// Pointers that go up by strides become maps, with the sizes that masks say; a batch's offset is a dim of its own; what is contiguous along
// dim 0 is loaded the other way round. A stride of which nothing is known leaves the load as it is.
// options: --pass=map-loads --verify-each --stress --no-loc --num-stages 3 --target sm_90a
module {
  // CHECK-LABEL: @loads
  // CHECK-SAME: {neso.map = array<i64: 0, -1, -1, 2147483632, 3, 1, 5, 1, 4, 1, 4, 1, -1, 1>, neso.map_pointers}
  // CHECK-SAME: {neso.map = array<i64: 1, -1, -1, 2147483632, -1, 2147483632, 4, 1, -1, 1>, neso.map_pointers}
  // CHECK-SAME: {neso.map = array<i64: 2, -1, 3, 1, -1, 2147483632, -1, 64, -1, 1>, neso.map_pointers}
  // CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%{{[a-z0-9_]*}} = %{{[a-z0-9_]*}}) -> (tensor<64x64xf32>)
  // CHECK: tt.descriptor_load {{.*}}[%{{.*}}, %{{.*}}, %[[K]]] : !tt.tensordesc<tensor<64x32xf16, {{.*}}>> -> tensor<64x32xf16>
  // CHECK: %[[T:.*]] = tt.descriptor_load {{.*}} -> tensor<64x32xf16>
  // CHECK: tt.trans %[[T]] {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
  // CHECK: tt.descriptor_store
  // CHECK-NOT: tt.load
  tt.func public @loads(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %s: i32 {tt.divisibility = 16 : i32}, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %none = arith.constant dense<0.0> : tensor<64x32xf16>
    %batch = tt.get_program_id y : i32
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c64 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %f = tt.splat %first : i32 -> tensor<64xi32>
    %row = arith.addi %f, %i : tensor<64xi32>
    %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %ms = tt.splat %m : i32 -> tensor<64x1xi32>
    %inside = arith.cmpi slt, %rows, %ms : tensor<64x1xi32>
    %ss = tt.splat %s : i32 -> tensor<64x1xi32>
    %off = arith.muli %rows, %ss : tensor<64x1xi32>
    %z = arith.muli %batch, %s : i32
    %az = tt.addptr %a, %z : !tt.ptr<f16>, i32
    %ap = tt.splat %az : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %ar = tt.addptr %ap, %off : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %as = tt.broadcast %ar : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
    %js = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %jt = tt.expand_dims %j {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %is = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %st = tt.splat %s : i32 -> tensor<1x64xi32>
    %boff = arith.muli %is, %st : tensor<1x64xi32>
    %bp = tt.splat %b : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
    %br = tt.addptr %bp, %boff : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
    %bs = tt.broadcast %br : tensor<1x64x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
    %r = scf.for %n = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %ns = tt.splat %n : i32 -> tensor<1x32xi32>
      %col = arith.addi %ns, %js : tensor<1x32xi32>
      %ks = tt.splat %k : i32 -> tensor<1x32xi32>
      %in = arith.cmpi slt, %col, %ks : tensor<1x32xi32>
      %ins = tt.broadcast %in : tensor<1x32xi1> -> tensor<64x32xi1>
      %rin = tt.broadcast %inside : tensor<64x1xi1> -> tensor<64x32xi1>
      %mask = arith.andi %ins, %rin : tensor<64x32xi1>
      %cols = tt.broadcast %col : tensor<1x32xi32> -> tensor<64x32xi32>
      %p = tt.addptr %as, %cols : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %x = tt.load %p, %mask, %none : tensor<64x32x!tt.ptr<f16>>
      %nt = tt.splat %n : i32 -> tensor<32x1xi32>
      %ct = arith.addi %nt, %jt : tensor<32x1xi32>
      %cts = tt.broadcast %ct : tensor<32x1xi32> -> tensor<32x64xi32>
      %q = tt.addptr %bs, %cts : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      %y = tt.load %q : tensor<32x64x!tt.ptr<f16>>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %w = arith.constant dense<64> : tensor<64x1xi32>
    %coff = arith.muli %rows, %w : tensor<64x1xi32>
    %cp = tt.splat %c : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %cr = tt.addptr %cp, %coff : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %cs = tt.broadcast %cr : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %ci = tt.broadcast %is : tensor<1x64xi32> -> tensor<64x64xi32>
    %cq = tt.addptr %cs, %ci : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %cin = tt.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
    tt.store %cq, %r, %cin : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
