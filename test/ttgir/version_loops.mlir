// Loads that only a store keeps from being ahead: the loop is there twice, and the reach of both accesses over all iterations says which
// of the two runs. Products in 32 bits are held against wrapping round. A store whose address is loaded has no known reach.
// options: --pass=convert-ttir-to-ttgir,coalesce,remove-layout-conversions,cse,version-loops,pipeline,cse,dce --verify-each --stress --no-loc --target sm_80
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
