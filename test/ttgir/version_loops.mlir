// Loads that only a store keeps from being ahead: the loop is there twice, and the reach of both accesses over all iterations says which
// of the two runs. Products in 32 bits are held against wrapping round. A store whose address is loaded has no known reach.
// options: --pass=convert-ttir-to-ttgir,coalesce,cse,version-loops,pipeline,cse,dce --verify-each --stress --no-loc --target sm_80
module {
  // CHECK-LABEL: @rows
  // CHECK: %[[LAST:.*]] = arith.subi {{.*}}, %c1_i64 : i64
  // CHECK: %[[STRIDE:.*]] = arith.extsi %stride : i32 to i64
  // CHECK: arith.muli %[[LAST]], %[[STRIDE]] : i64
  // CHECK: arith.cmpi sge, {{.*}}, %c-2147483648_i64 : i64
  // CHECK: arith.cmpi sle, {{.*}}, %c2147483647_i64 : i64
  // CHECK: %[[OVER:.*]] = arith.cmpi sle, {{.*}} : i64
  // CHECK: %[[UNDER:.*]] = arith.cmpi sle, {{.*}} : i64
  // CHECK: %[[APART:.*]] = arith.ori %[[UNDER]], %[[OVER]] : i1
  // CHECK: %[[ALL:.*]] = arith.andi {{.*}}, %[[APART]] : i1
  // CHECK: scf.if %[[ALL]] {
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.for
  // CHECK: tt.store
  // CHECK: neso.disjoint, neso.pipeline = ["loop: 3 stages, 1 groups pending, 12288 bytes"
  // CHECK: } else {
  // CHECK-NOT: ttg.async
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK: tt.store
  // CHECK: neso.pipeline = ["loop: as it is: runs where what is stored may be what is loaded"]
  tt.func public @rows(%px: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    scf.for %i = %c0 to %n step %c1  : i32 {
      %at = arith.muli %i, %stride : i32
      %x = tt.addptr %px, %at : !tt.ptr<f32>, i32
      %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
      %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
      %o = tt.addptr %po, %at : !tt.ptr<f32>, i32
      %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
      %op = tt.addptr %os, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      tt.store %op, %v : tensor<1024x!tt.ptr<f32>>
    } {tt.num_stages = 3 : i32}
    tt.return
  }
  // A mask of the columns says nothing of the rows, though both are the same numbers.
  // CHECK-LABEL: @columns
  // CHECK-DAG: arith.constant 992 : i64
  // CHECK-DAG: arith.minsi
  // CHECK: scf.if
  tt.func public @columns(%px: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant dense<32> : tensor<32x1xi32>
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
    %s = tt.splat %n : i32 -> tensor<32xi32>
    %m = arith.cmpi slt, %r, %s : tensor<32xi32>
    %m1 = tt.expand_dims %m {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %m2 = tt.broadcast %m1 : tensor<1x32xi1> -> tensor<32x32xi1>
    %row = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %col = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %rows = arith.muli %row, %c32 : tensor<32x1xi32>
    %rb = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
    %cb = tt.broadcast %col : tensor<1x32xi32> -> tensor<32x32xi32>
    %at = arith.addi %rb, %cb : tensor<32x32xi32>
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %os = tt.splat %po : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %op = tt.addptr %os, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    scf.for %i = %c0 to %n step %c1  : i32 {
      %v = tt.load %xp, %m2 : tensor<32x32x!tt.ptr<f32>>
      tt.store %op, %v, %m2 : tensor<32x32x!tt.ptr<f32>>
    } {tt.num_stages = 3 : i32}
    tt.return
  }
  // CHECK-LABEL: @scattered
  // CHECK-NOT: scf.if
  // CHECK: neso.pipeline = ["loop: as it is: what is stored may be what is loaded"]
  tt.func public @scattered(%px: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %po: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1024 = arith.constant 1024 : i32
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %os = tt.splat %po : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
    scf.for %i = %c0 to %n step %c1024  : i32 {
      %x = tt.addptr %px, %i : !tt.ptr<i32>, i32
      %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
      %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
      %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
      %op = tt.addptr %os, %v : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
      tt.store %op, %v : tensor<1024x!tt.ptr<i32>>
    } {tt.num_stages = 3 : i32}
    tt.return
  }
}
