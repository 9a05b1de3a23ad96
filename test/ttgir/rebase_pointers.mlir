// Tiles of pointers of which nothing is known to lie side by side take 64 registers each beside 128 of sums. The loop carries one
// pointer in place of each, and adds the rows' offsets, 32 registers, where they are needed; of what a thread adds once (the column)
// the sum is shared. Behind the loop the pointers are made again. A loop with room for its pointers keeps them.
// run: neso opt --pass=convert-ttir-to-ttgir,coalesce,accelerate-matmul,remove-layout-conversions,cse,licm,pipeline,rebase-pointers,cse,dce --verify-each --no-loc --num-stages 3 --target sm_80 %s
module {
  // CHECK-LABEL: @crowded
  // CHECK: %[[ROWS:.*]] = arith.muli {{.*}} : tensor<128x1xi32, #[[ENC:.*]]>
  // CHECK-DAG: %[[RB:.*]] = tt.broadcast %{{.*}} : tensor<128x1xi32, #{{.*}}> -> tensor<128x32xi32, #{{.*}}>
  // CHECK: scf.for {{.*}} iter_args(%acc = %{{.*}}, %[[P:.*]] = %a, %[[Q:.*]] = %b) -> (tensor<128x128xf32, #{{.*}}>, !tt.ptr<f16>, !tt.ptr<f16>)
  // CHECK: tt.splat %[[Q]] : !tt.ptr<f16> -> tensor<32x128x!tt.ptr<f16>
  // CHECK: tt.addptr
  // CHECK-NOT: neso.wide
  // CHECK: tt.addptr {{.*}} {neso.wide} : tensor<32x128x!tt.ptr<f16>
  // CHECK: %[[S:.*]] = tt.splat %[[P]] : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>
  // CHECK: %[[C:.*]] = tt.addptr %[[S]], %{{.*}} : tensor<128x32x
  // CHECK: %[[A:.*]] = tt.addptr %[[C]], %{{.*}} {neso.wide} : tensor<128x32x
  // CHECK: tt.load %[[A]]
  // CHECK-DAG: %[[P2:.*]] = tt.addptr %[[P]], %{{.*}} : !tt.ptr<f16>, i32
  // CHECK-DAG: %[[Q2:.*]] = tt.addptr %[[Q]], %{{.*}} : !tt.ptr<f16>, i32
  // CHECK: scf.yield %{{.*}}, %[[P2]], %[[Q2]]
  // CHECK: tt.splat %{{.*}}#1 : !tt.ptr<f16> -> tensor<128x32x
  // CHECK: tt.store {{.*}} tensor<128x32x
  tt.func public @crowded(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %sam: i32, %sak: i32, %sbk: i32, %sbn: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %none = arith.constant dense<0.0> : tensor<128x32xf16>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %k0 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %sams = tt.splat %sam : i32 -> tensor<128x1xi32>
    %rows = arith.muli %r1, %sams : tensor<128x1xi32>
    %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %ar = tt.addptr %as, %rows : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %ab = tt.broadcast %ar : tensor<128x1x!tt.ptr<f16>> -> tensor<128x32x!tt.ptr<f16>>
    %saks = tt.splat %sak : i32 -> tensor<1x32xi32>
    %ak = arith.muli %k0, %saks : tensor<1x32xi32>
    %akb = tt.broadcast %ak : tensor<1x32xi32> -> tensor<128x32xi32>
    %ap = tt.addptr %ab, %akb : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
    %sbks = tt.splat %sbk : i32 -> tensor<32x1xi32>
    %bk = arith.muli %k1, %sbks : tensor<32x1xi32>
    %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
    %br = tt.addptr %bs, %bk : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
    %bb = tt.broadcast %br : tensor<32x1x!tt.ptr<f16>> -> tensor<32x128x!tt.ptr<f16>>
    %sbns = tt.splat %sbn : i32 -> tensor<1x128xi32>
    %bn = arith.muli %r0, %sbns : tensor<1x128xi32>
    %bnb = tt.broadcast %bn : tensor<1x128xi32> -> tensor<32x128xi32>
    %bp = tt.addptr %bb, %bnb : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
    %da = arith.muli %sak, %c32 : i32
    %das = tt.splat %da : i32 -> tensor<128x32xi32>
    %db = arith.muli %sbk, %c32 : i32
    %dbs = tt.splat %db : i32 -> tensor<32x128xi32>
    %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%pa = %ap, %pb = %bp, %acc = %zero) -> (tensor<128x32x!tt.ptr<f16>>, tensor<32x128x!tt.ptr<f16>>, tensor<128x128xf32>) : i32 {
      %av = tt.load %pa : tensor<128x32x!tt.ptr<f16>>
      %bv = tt.load %pb : tensor<32x128x!tt.ptr<f16>>
      %d = tt.dot %av, %bv, %acc : tensor<128x32xf16> * tensor<32x128xf16> -> tensor<128x128xf32>
      %pa2 = tt.addptr %pa, %das : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
      %pb2 = tt.addptr %pb, %dbs : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
      scf.yield %pa2, %pb2, %d : tensor<128x32x!tt.ptr<f16>>, tensor<32x128x!tt.ptr<f16>>, tensor<128x128xf32>
    }
    tt.store %sum#0, %none : tensor<128x32x!tt.ptr<f16>>
    %c128 = arith.constant dense<128> : tensor<128x1xi32>
    %cr = arith.muli %r1, %c128 : tensor<128x1xi32>
    %crb = tt.broadcast %cr : tensor<128x1xi32> -> tensor<128x128xi32>
    %ccb = tt.broadcast %r0 : tensor<1x128xi32> -> tensor<128x128xi32>
    %co = arith.addi %crb, %ccb : tensor<128x128xi32>
    %cs = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
    %cp = tt.addptr %cs, %co : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
    tt.store %cp, %sum#2 : tensor<128x128x!tt.ptr<f32>>
    tt.return
  }

  // CHECK-LABEL: @roomy
  // CHECK: scf.for {{.*}} iter_args(%pa = %{{.*}}) -> (tensor<128x32x!tt.ptr<f32>
  // CHECK-NOT: neso.wide
  tt.func public @roomy(%a: !tt.ptr<f32>, %n: i32, %sam: i32, %sak: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant dense<1.0> : tensor<128x32xf32>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %k0 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %sams = tt.splat %sam : i32 -> tensor<128x1xi32>
    %rows = arith.muli %r1, %sams : tensor<128x1xi32>
    %as = tt.splat %a : !tt.ptr<f32> -> tensor<128x1x!tt.ptr<f32>>
    %ar = tt.addptr %as, %rows : tensor<128x1x!tt.ptr<f32>>, tensor<128x1xi32>
    %ab = tt.broadcast %ar : tensor<128x1x!tt.ptr<f32>> -> tensor<128x32x!tt.ptr<f32>>
    %akb = tt.broadcast %k0 : tensor<1x32xi32> -> tensor<128x32xi32>
    %ap = tt.addptr %ab, %akb : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
    %das = tt.splat %sak : i32 -> tensor<128x32xi32>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%pa = %ap) -> (tensor<128x32x!tt.ptr<f32>>) : i32 {
      tt.store %pa, %one : tensor<128x32x!tt.ptr<f32>>
      %pa2 = tt.addptr %pa, %das : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
      scf.yield %pa2 : tensor<128x32x!tt.ptr<f32>>
    }
    tt.return
  }
}
