// Equal pure ops, also with regions; loads only while nothing is written; loads of what was stored last.
// run: neso opt --pass=cse --no-loc %s
module {
  // CHECK-LABEL: @f
  // CHECK: %[[A:.*]] = arith.addi %x, %y
  // CHECK-NOT: arith.addi
  // CHECK: %[[L:.*]] = tt.load %p :
  // CHECK-NEXT: tt.store %p, %[[A]]
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: tt.store %p, %[[A]]
  // CHECK: tt.print {{.*}}%[[L]], %[[L]], %[[A]]
  tt.func public @f(%p: !tt.ptr<i32>, %x: i32, %y: i32, %c: i1) {
    %0 = arith.addi %x, %y : i32
    %1 = tt.load %p : !tt.ptr<i32>
    %2 = tt.load %p : !tt.ptr<i32>
    tt.store %p, %0 : !tt.ptr<i32>
    %3 = tt.load %p : !tt.ptr<i32>
    scf.if %c {
      %4 = arith.addi %y, %x : i32
      tt.store %p, %4 : !tt.ptr<i32>
    }
    tt.print "a" {hex = false, isSigned = array<i32: 1, 1, 1>} : %1, %2, %3 : i32, i32, i32
    tt.return
  }
  // Loads of what others change are each done, used or not.
  // CHECK-LABEL: @polled
  // CHECK-COUNT-4: tt.load
  tt.func public @polled(%p: !tt.ptr<i32>) {
    %0 = tt.load %p cacheModifier = cv : !tt.ptr<i32>
    %1 = tt.load %p cacheModifier = cv : !tt.ptr<i32>
    %2 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
    %3 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
    tt.return
  }
  // Not where several elements may be in one place, where others are stored in between, in part, or what the mask leaves out is known.
  // CHECK-LABEL: @stored
  // CHECK-NOT: tt.load
  // CHECK: tt.store %p, %x
  // CHECK-COUNT-5: tt.load
  // CHECK-NOT: tt.load
  tt.func public @stored(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %t: tensor<16xf32>, %i: i32, %n: i32, %x: f32) {
    %other = arith.constant dense<1.000000e+00> : tensor<16xf32>
    %s = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %0 = tt.splat %s : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %m = tt.splat %i : i32 -> tensor<16xi32>
    %o = arith.addi %r, %m : tensor<16xi32>
    %1 = tt.addptr %0, %o : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %b = tt.splat %n : i32 -> tensor<16xi32>
    %mask = arith.cmpi slt, %r, %b : tensor<16xi32>
    tt.store %1, %t : tensor<16x!tt.ptr<f32>>
    %2 = tt.load %1 : tensor<16x!tt.ptr<f32>>
    tt.store %1, %2, %mask : tensor<16x!tt.ptr<f32>>
    %3 = tt.load %1, %mask : tensor<16x!tt.ptr<f32>>
    tt.print "a" {hex = false, isSigned = array<i32: 1, 1>} : %2, %3 : tensor<16xf32>, tensor<16xf32>
    tt.store %p, %x : !tt.ptr<f32>
    %4 = tt.load %1 : tensor<16x!tt.ptr<f32>>
    tt.store %0, %4 : tensor<16x!tt.ptr<f32>>
    %5 = tt.load %0 : tensor<16x!tt.ptr<f32>>
    tt.store %1, %5, %mask : tensor<16x!tt.ptr<f32>>
    %6 = tt.load %1 : tensor<16x!tt.ptr<f32>>
    %7 = tt.load %1, %mask, %other : tensor<16x!tt.ptr<f32>>
    scf.for %j = %i to %n step %n : i32 {
      %8 = tt.load %1, %mask : tensor<16x!tt.ptr<f32>>
      tt.store %1, %8 : tensor<16x!tt.ptr<f32>>
    }
    tt.print "b" {hex = false, isSigned = array<i32: 1, 1>} : %6, %7 : tensor<16xf32>, tensor<16xf32>
    tt.return
  }
  // CHECK-LABEL: @regions
  // CHECK-COUNT-2: "tt.reduce"
  // CHECK-NOT: "tt.reduce"
  tt.func public @regions(%t: tensor<8xi32>) {
    %0 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      tt.reduce.return %s : i32
    }) : (tensor<8xi32>) -> i32
    %1 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %b, %a : i32
      tt.reduce.return %s : i32
    }) : (tensor<8xi32>) -> i32
    %2 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.maxsi %a, %b : i32
      tt.reduce.return %s : i32
    }) : (tensor<8xi32>) -> i32
    tt.print "a" {hex = false, isSigned = array<i32: 1, 1, 1>} : %0, %1, %2 : i32, i32, i32
    tt.return
  }
  // What one branch computes is not there in the other, nor after it.
  // CHECK-LABEL: @scopes
  // CHECK-COUNT-3: arith.muli
  tt.func public @scopes(%p: !tt.ptr<i32>, %x: i32, %c: i1) {
    scf.if %c {
      %0 = arith.muli %x, %x : i32
      tt.store %p, %0 : !tt.ptr<i32>
    } else {
      %0 = arith.muli %x, %x : i32
      tt.store %p, %0 : !tt.ptr<i32>
    }
    %1 = arith.muli %x, %x : i32
    tt.store %p, %1 : !tt.ptr<i32>
    tt.return
  }
}
