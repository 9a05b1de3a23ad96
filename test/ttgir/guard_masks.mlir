// Masks between ranges and scalars, and scales of a maximum, are left out where scalars say so; what is not known stays.
// options: --pass=convert-ttir-to-ttgir,guard-masks,cse,dce --verify-each --stress --no-loc --num-warps 4 --target sm_90a
module {
  // CHECK-LABEL: @causal
  // CHECK: scf.for %[[N:[a-z0-9_]*]] =
  // CHECK: %[[X:.*]] = tt.load
  // CHECK: %[[Y:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32
  // CHECK-NEXT: scf.yield %[[X]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tt.splat %[[N]]
  // CHECK: %[[M:.*]] = arith.cmpi sge
  // CHECK-NEXT: %[[S:.*]] = arith.select %[[M]], %[[X]]
  // CHECK-NEXT: scf.yield %[[S]]
  // CHECK: tt.store {{.*}}, %[[Y]]
  tt.func public @causal(%p: !tt.ptr<f32>, %from: i32, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %low = arith.constant dense<0xFF800000> : tensor<64x64xf32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %q = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %o = tt.reshape %q : tensor<4096xi32> -> tensor<64x64xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %at = tt.addptr %sp, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %sf = tt.splat %from : i32 -> tensor<64xi32>
    %m = arith.addi %sf, %r : tensor<64xi32>
    %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %m2 = tt.broadcast %m1 : tensor<64x1xi32> -> tensor<64x64xi32>
    scf.for %n = %c0 to %to step %c64 : i32 {
      %x = tt.load %at : tensor<64x64x!tt.ptr<f32>>
      %sn = tt.splat %n : i32 -> tensor<64xi32>
      %k = arith.addi %sn, %r : tensor<64xi32>
      %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %k2 = tt.broadcast %k1 : tensor<1x64xi32> -> tensor<64x64xi32>
      %mask = arith.cmpi sge, %m2, %k2 : tensor<64x64xi32>
      %y = arith.select %mask, %x, %low : tensor<64x64xi1>, tensor<64x64xf32>
      tt.store %at, %y : tensor<64x64x!tt.ptr<f32>>
    }
    tt.return
  }
  // A scale of a maximum: what is not positive and finite is multiplied in front, and then is 1.
  // CHECK-LABEL: @scaled
  // CHECK: %[[X:.*]] = tt.load
  // CHECK: arith.cmpf ogt, %scale
  // CHECK: arith.cmpf olt, %scale
  // CHECK: %[[C:.*]] = arith.andi
  // CHECK: %[[T:.*]] = scf.if %[[C]] -> (tensor<64x64xf32
  // CHECK-NEXT: scf.yield %[[X]]
  // CHECK-NEXT: } else {
  // CHECK: %[[Z:.*]] = arith.mulf %[[X]]
  // CHECK-NEXT: scf.yield %[[Z]]
  // CHECK: %[[N:.*]] = arith.select %[[C]], %scale, %{{.*}} : f32
  // CHECK: %[[A:.*]] = tt.splat %[[N]] : f32 -> tensor<64x64xf32
  // CHECK: %[[S:.*]] = arith.mulf %[[T]], %[[A]]
  // CHECK: %[[M:.*]] = "tt.reduce"(%[[T]])
  // CHECK: %[[B:.*]] = tt.splat %[[N]] : f32 -> tensor<64xf32
  // CHECK: arith.mulf %[[M]], %[[B]]
  // CHECK: arith.subf %[[S]]
  tt.func public @scaled(%p: !tt.ptr<f32>, %scale: f32, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %q = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %o = tt.reshape %q : tensor<4096xi32> -> tensor<64x64xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %at = tt.addptr %sp, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %factor = tt.splat %scale : f32 -> tensor<64x64xf32>
    scf.for %n = %c0 to %to step %c1 : i32 {
      %x = tt.load %at : tensor<64x64x!tt.ptr<f32>>
      %s = arith.mulf %x, %factor : tensor<64x64xf32>
      %most = "tt.reduce"(%s) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.maxnumf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<64x64xf32>) -> tensor<64xf32>
      %e = tt.expand_dims %most {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %w = tt.broadcast %e : tensor<64x1xf32> -> tensor<64x64xf32>
      %d = arith.subf %s, %w : tensor<64x64xf32>
      tt.store %at, %d : tensor<64x64x!tt.ptr<f32>>
    }
    tt.return
  }
  // Behind a mask that leaves -inf too: the selection is of what is not scaled, and stands in a branch.
  // CHECK-LABEL: @masked
  // CHECK: %[[X:.*]] = tt.load
  // CHECK: %[[T:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32
  // CHECK: %[[N:.*]] = arith.select %{{.*}}, %scale, %{{.*}} : f32
  // CHECK: %[[Y:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32
  // CHECK-NEXT: scf.yield %[[T]]
  // CHECK-NEXT: } else {
  // CHECK: arith.select %{{.*}}, %[[T]]
  // CHECK: %[[S:.*]] = arith.mulf %[[Y]]
  // CHECK: %[[M:.*]] = "tt.reduce"(%[[Y]])
  // CHECK: arith.mulf %[[M]]
  // CHECK: arith.subf %[[S]]
  tt.func public @masked(%p: !tt.ptr<f32>, %scale: f32, %from: i32, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %low = arith.constant dense<0xFF800000> : tensor<64x64xf32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %q = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %o = tt.reshape %q : tensor<4096xi32> -> tensor<64x64xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %at = tt.addptr %sp, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %sf = tt.splat %from : i32 -> tensor<64xi32>
    %m = arith.addi %sf, %r : tensor<64xi32>
    %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %m2 = tt.broadcast %m1 : tensor<64x1xi32> -> tensor<64x64xi32>
    %factor = tt.splat %scale : f32 -> tensor<64x64xf32>
    scf.for %n = %c0 to %to step %c64 : i32 {
      %x = tt.load %at : tensor<64x64x!tt.ptr<f32>>
      %s = arith.mulf %x, %factor : tensor<64x64xf32>
      %sn = tt.splat %n : i32 -> tensor<64xi32>
      %k = arith.addi %sn, %r : tensor<64xi32>
      %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %k2 = tt.broadcast %k1 : tensor<1x64xi32> -> tensor<64x64xi32>
      %mask = arith.cmpi sge, %m2, %k2 : tensor<64x64xi32>
      %y = arith.select %mask, %s, %low : tensor<64x64xi1>, tensor<64x64xf32>
      %most = "tt.reduce"(%y) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.maxnumf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<64x64xf32>) -> tensor<64xf32>
      %e = tt.expand_dims %most {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %w = tt.broadcast %e : tensor<64x1xf32> -> tensor<64x64xf32>
      %d = arith.subf %y, %w : tensor<64x64xf32>
      tt.store %at, %d : tensor<64x64x!tt.ptr<f32>>
    }
    tt.return
  }
  // Nothing is known of a mask that is loaded.
  // CHECK-LABEL: @unknown
  // CHECK-NOT: scf.if
  // CHECK: arith.select
  tt.func public @unknown(%p: !tt.ptr<f32>, %o: !tt.ptr<i32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %q = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %so = tt.splat %o : !tt.ptr<i32> -> tensor<4096x!tt.ptr<i32>>
    %ao = tt.addptr %so, %q : tensor<4096x!tt.ptr<i32>>, tensor<4096xi32>
    scf.for %n = %c0 to %to step %c1 : i32 {
      %x = tt.load %at : tensor<4096x!tt.ptr<f32>>
      %i = tt.load %ao : tensor<4096x!tt.ptr<i32>>
      %sn = tt.splat %n : i32 -> tensor<4096xi32>
      %mask = arith.cmpi sge, %i, %sn : tensor<4096xi32>
      %y = arith.select %mask, %x, %zero : tensor<4096xi1>, tensor<4096xf32>
      tt.store %at, %y : tensor<4096x!tt.ptr<f32>>
    }
    tt.return
  }
  // A number that may be -0 is another one when 0 is added.
  // CHECK-LABEL: @minus_zero
  // CHECK: %[[X:.*]] = tt.load
  // CHECK: %[[A:.*]] = scf.if
  // CHECK: %[[S:.*]] = arith.addf %[[X]], %[[A]]
  // CHECK: tt.store {{.*}}, %[[S]]
  tt.func public @minus_zero(%p: !tt.ptr<f32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %low = arith.constant dense<0xFF800000> : tensor<4096xf32>
    %q = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    scf.for %n = %c0 to %to step %c1 : i32 {
      %x = tt.load %at : tensor<4096x!tt.ptr<f32>>
      %sn = tt.splat %n : i32 -> tensor<4096xi32>
      %mask = arith.cmpi sge, %q, %sn : tensor<4096xi32>
      %a = arith.select %mask, %zero, %low : tensor<4096xi1>, tensor<4096xf32>
      %y = arith.addf %x, %a : tensor<4096xf32>
      tt.store %at, %y : tensor<4096x!tt.ptr<f32>>
    }
    tt.return
  }
  // Rows of several heads each: quotients, remainders and products by constants have bounds too.
  // CHECK-LABEL: @groups
  // CHECK: %[[Y:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32
  // CHECK: %[[M:.*]] = arith.cmpi sge
  // CHECK-NEXT: arith.select %[[M]]
  // CHECK: tt.store {{.*}}, %[[Y]]
  tt.func public @groups(%p: !tt.ptr<f32>, %from: i32, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %four = arith.constant dense<4> : tensor<64xi32>
    %two = arith.constant dense<2> : tensor<64xi32>
    %low = arith.constant dense<0xFF800000> : tensor<64x64xf32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %q = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %o = tt.reshape %q : tensor<4096xi32> -> tensor<64x64xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %at = tt.addptr %sp, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %sf = tt.splat %from : i32 -> tensor<64xi32>
    %rows = arith.divsi %r, %four : tensor<64xi32>
    %rest = arith.remsi %r, %four : tensor<64xi32>
    %twice = arith.muli %rest, %two : tensor<64xi32>
    %both = arith.addi %rows, %twice : tensor<64xi32>
    %m = arith.addi %sf, %both : tensor<64xi32>
    %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %m2 = tt.broadcast %m1 : tensor<64x1xi32> -> tensor<64x64xi32>
    scf.for %n = %c0 to %to step %c64 : i32 {
      %x = tt.load %at : tensor<64x64x!tt.ptr<f32>>
      %sn = tt.splat %n : i32 -> tensor<64xi32>
      %k = arith.addi %sn, %r : tensor<64xi32>
      %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %k2 = tt.broadcast %k1 : tensor<1x64xi32> -> tensor<64x64xi32>
      %mask = arith.cmpi sge, %m2, %k2 : tensor<64x64xi32>
      %y = arith.select %mask, %x, %low : tensor<64x64xi1>, tensor<64x64xf32>
      tt.store %at, %y : tensor<64x64x!tt.ptr<f32>>
    }
    tt.return
  }
  // A product that may be -0 takes the 0 on its way; one in which -0 is added stays.
  // CHECK-LABEL: @product_then_mask
  // CHECK: %[[S:.*]] = arith.mulf
  // CHECK: %[[Z:.*]] = arith.addf %[[S]], %
  // CHECK: %[[Y:.*]] = scf.if %{{.*}} -> (tensor<4096xf32
  // CHECK-NEXT: scf.yield %[[Z]]
  // CHECK-NEXT: } else {
  // CHECK: %[[B:.*]] = arith.addf %[[Z]]
  // CHECK-NEXT: %[[C:.*]] = arith.select %{{.*}}, %[[Z]], %[[B]]
  // CHECK-NEXT: scf.yield %[[C]]
  // CHECK: tt.store {{.*}}, %[[Y]]
  // CHECK: scf.if
  // CHECK: %[[T:.*]] = arith.addf %[[S]]
  // CHECK: tt.store {{.*}}, %[[T]]
  tt.func public @product_then_mask(%p: !tt.ptr<f32>, %scale: f32, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %low = arith.constant dense<0xFF800000> : tensor<4096xf32>
    %none = arith.constant dense<-0.0> : tensor<4096xf32>
    %q = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %factor = tt.splat %scale : f32 -> tensor<4096xf32>
    scf.for %n = %c0 to %to step %c1 : i32 {
      %x = tt.load %at : tensor<4096x!tt.ptr<f32>>
      %s = arith.mulf %x, %factor : tensor<4096xf32>
      %sn = tt.splat %n : i32 -> tensor<4096xi32>
      %mask = arith.cmpi sge, %q, %sn : tensor<4096xi32>
      %a = arith.select %mask, %zero, %low : tensor<4096xi1>, tensor<4096xf32>
      %y = arith.addf %s, %a : tensor<4096xf32>
      tt.store %at, %y : tensor<4096x!tt.ptr<f32>>
      %b = arith.select %mask, %zero, %none : tensor<4096xi1>, tensor<4096xf32>
      %z = arith.addf %s, %b : tensor<4096xf32>
      tt.store %at, %z : tensor<4096x!tt.ptr<f32>>
    }
    tt.return
  }
  // A mask that a load takes too is computed in any case: selections alone are not worth a branch.
  // CHECK-LABEL: @loaded
  // CHECK: scf.for
  // CHECK: %[[M:.*]] = arith.cmpi slt
  // CHECK: %[[X:.*]] = tt.load %{{.*}}, %[[M]]
  // CHECK-NOT: scf.if
  // CHECK: arith.select %[[M]]
  // CHECK-NOT: scf.if
  // CHECK: scf.yield
  tt.func public @loaded(%p: !tt.ptr<f32>, %most: i32, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c4096 = arith.constant 4096 : i32
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %q = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %limit = tt.splat %most : i32 -> tensor<4096xi32>
    %sum = scf.for %n = %c0 to %to step %c4096 iter_args(%s = %zero) -> (tensor<4096xf32>) : i32 {
      %sn = tt.splat %n : i32 -> tensor<4096xi32>
      %k = arith.addi %q, %sn : tensor<4096xi32>
      %at = tt.addptr %sp, %k : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
      %mask = arith.cmpi slt, %k, %limit : tensor<4096xi32>
      %x = tt.load %at, %mask : tensor<4096x!tt.ptr<f32>>
      %t = arith.mulf %s, %x : tensor<4096xf32>
      %y = arith.select %mask, %t, %s : tensor<4096xi1>, tensor<4096xf32>
      scf.yield %y : tensor<4096xf32>
    }
    %at = tt.addptr %sp, %q : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    tt.store %at, %sum : tensor<4096x!tt.ptr<f32>>
    tt.return
  }

  // Bits that are selected stay in predicates: a branch would have to leave them in registers.
  // CHECK-LABEL: @bits
  // CHECK: scf.for
  // CHECK-NOT: scf.if
  // CHECK: arith.select
  // CHECK: scf.yield
  tt.func public @bits(%p: !tt.ptr<i32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %none = arith.constant dense<false> : tensor<64x64xi1>
    %zero = arith.constant dense<0> : tensor<64x64xi32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %q = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %o = tt.reshape %q : tensor<4096xi32> -> tensor<64x64xi32>
    %sp = tt.splat %p : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
    %at = tt.addptr %sp, %o : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
    %x = tt.load %at : tensor<64x64x!tt.ptr<i32>>
    %st = tt.splat %to : i32 -> tensor<64xi32>
    %count = scf.for %n = %c0 to %to step %c64 iter_args(%sum = %zero) -> (tensor<64x64xi32>) : i32 {
      %sn = tt.splat %n : i32 -> tensor<64xi32>
      %k = arith.addi %sn, %r : tensor<64xi32>
      %m = arith.cmpi slt, %k, %st : tensor<64xi32>
      %m1 = tt.expand_dims %m {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
      %m2 = tt.broadcast %m1 : tensor<1x64xi1> -> tensor<64x64xi1>
      %s2 = tt.splat %n : i32 -> tensor<64x64xi32>
      %eq = arith.cmpi eq, %x, %s2 : tensor<64x64xi32>
      %y = arith.select %m2, %eq, %none : tensor<64x64xi1>, tensor<64x64xi1>
      %one = arith.extui %y : tensor<64x64xi1> to tensor<64x64xi32>
      %next = arith.addi %sum, %one : tensor<64x64xi32>
      scf.yield %next : tensor<64x64xi32>
    }
    tt.store %at, %count : tensor<64x64x!tt.ptr<i32>>
    tt.return
  }
}
