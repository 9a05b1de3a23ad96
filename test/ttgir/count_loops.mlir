// A loop that may be left has the form of a counted one while passes look at its loads, and what it loads behind the way out goes in
// front of it, masked; afterwards it is a while again.
// run: neso opt --pass=convert-ttir-to-ttgir,count-loops --verify-each --stress --no-loc --target sm_80 %s > %t/a; neso opt --pass=convert-ttir-to-ttgir,count-loops,uncount-loops,dce --verify-each --stress --no-loc --target sm_80 %s > %t/b; cat %t/a %t/b
module {
  // CHECK-LABEL: @listed
  // CHECK: %[[FIRST:.*]] = arith.cmpi sgt, %n, %c0
  // CHECK: %[[MOST:.*]] = arith.select %[[FIRST]], %{{.*}}, %{{.*}} : i32
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[MOST]] step %{{.*}} iter_args(%[[MORE:.*]] = %[[FIRST]], %[[GO:.*]] = %[[FIRST]], %[[I:.*]] = %c0{{.*}}, %[[SUM:.*]] = %{{.*}})
  // CHECK: %[[WORD:.*]] = tt.load
  // CHECK: %[[LEAVES:.*]] = arith.cmpi slt, %[[WORD]]
  // CHECK: %[[STAYS:.*]] = arith.xori %[[LEAVES]]
  // CHECK: %[[MASK:.*]] = tt.splat %[[STAYS]]
  // CHECK: %[[TILE:.*]] = tt.load %{{.*}}, %[[MASK]]
  // CHECK: scf.if %[[LEAVES]]
  // CHECK: arith.addf %[[SUM]], %[[TILE]]
  // CHECK: scf.yield %{{.*}}, %[[GO]], %{{.*}}, %{{.*}} : i1, i1, i32, tensor<64xf32
  // CHECK: neso.left

  // CHECK-LABEL: @listed
  // CHECK: scf.while
  // CHECK-NEXT: scf.condition
  // CHECK-NOT: neso.left
  // CHECK: tt.return
  tt.func public @listed(%p: !tt.ptr<f32>, %words: !tt.ptr<i32>, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %first = arith.cmpi sgt, %n, %c0 : i32
    %done:2 = scf.while (%i0 = %c0, %s0 = %zero, %more = %first) : (i32, tensor<64xf32>, i1) -> (i32, tensor<64xf32>) {
      scf.condition(%more) %i0, %s0 : i32, tensor<64xf32>
    } do {
    ^bb0(%i: i32, %sum: tensor<64xf32>):
      %at = tt.addptr %words, %i : !tt.ptr<i32>, i32
      %word = tt.load %at : !tt.ptr<i32>
      %leaves = arith.cmpi slt, %word, %c0 : i32
      %next = scf.if %leaves -> (tensor<64xf32>) {
        scf.yield %sum : tensor<64xf32>
      } else {
        %from = tt.addptr %p, %word : !tt.ptr<f32>, i32
        %base = tt.splat %from : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
        %q = tt.addptr %base, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
        %x = tt.load %q : tensor<64x!tt.ptr<f32>>
        %added = arith.addf %sum, %x : tensor<64xf32>
        scf.yield %added : tensor<64xf32>
      }
      %i1 = arith.addi %i, %c1 : i32
      %inside = arith.cmpi slt, %i1, %n : i32
      %stays = arith.xori %leaves, %true : i1
      %goes = arith.andi %stays, %inside : i1
      scf.yield %i1, %next, %goes : i32, tensor<64xf32>, i1
    } attributes {tt.num_stages = 3 : i32}
    %out = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %outs = tt.addptr %out, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %outs, %done#1 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
