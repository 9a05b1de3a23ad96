// The first iteration of loops that ask for it: straight where there is one, in a branch where there may be none. Loops that
// ask for another index, begin at one that is not known, or may wrap behind their first index stay.
// run: neso opt --pass=peel-loops --no-loc %s
module {
  // CHECK-LABEL: @known
  // CHECK-NOT: scf.if
  // CHECK: tt.store %p, %x
  // CHECK-NEXT: %[[R:.*]] = scf.for %{{.*}} = %c2 to %c10 step %c2 iter_args(%[[A:.*]] = %x) -> (i32) : i32 {
  // CHECK-NEXT: %[[S:.*]] = arith.addi %[[A]], %x : i32
  // CHECK-NEXT: tt.store %p, %[[S]]
  // CHECK-NEXT: scf.yield %[[S]]
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.store %p, %[[R]]
  tt.func public @known(%p: !tt.ptr<i32>, %x: i32) {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c10 = arith.constant 10 : i32
    %0 = scf.for %i = %c0 to %c10 step %c2 iter_args(%a = %c0) -> (i32) : i32 {
      %first = arith.cmpi eq, %i, %c0 : i32
      %s = scf.if %first -> (i32) {
        scf.yield %x : i32
      } else {
        %t = arith.addi %a, %x : i32
        scf.yield %t : i32
      }
      tt.store %p, %s : !tt.ptr<i32>
      scf.yield %s : i32
    }
    tt.store %p, %0 : !tt.ptr<i32>
    tt.return
  }
  // CHECK-LABEL: @maybe_none
  // CHECK: %[[SOME:.*]] = arith.cmpi sgt, %n, %c3 : i32
  // CHECK-NEXT: %[[ONE:.*]] = arith.select %[[SOME]], %x, %y
  // CHECK-NEXT: %[[R:.*]] = scf.for %{{.*}} = %c4_i32 to %n step %c1 iter_args(%[[A:.*]] = %[[ONE]]) -> (i32) : i32 {
  // CHECK-NEXT: %[[S:.*]] = arith.addi %[[A]], %x : i32
  // CHECK-NEXT: scf.yield %[[S]]
  // CHECK-NEXT: }
  tt.func public @maybe_none(%p: !tt.ptr<i32>, %x: i32, %y: i32, %n: i32) {
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %0 = scf.for %i = %c3 to %n step %c1 iter_args(%a = %y) -> (i32) : i32 {
      %later = arith.cmpi sgt, %i, %c3 : i32
      %t = arith.addi %a, %x : i32
      %s = arith.select %later, %t, %x : i32
      scf.yield %s : i32
    }
    tt.store %p, %0 : !tt.ptr<i32>
    tt.return
  }
  // CHECK-LABEL: @stay
  // CHECK: scf.for %{{.*}} = %c0 to %n step %c1
  // CHECK: scf.for %{{.*}} = %m to %n step %c1
  // CHECK: scf.for %{{.*}} = %big to %n step %c100
  tt.func public @stay(%p: !tt.ptr<i32>, %x: i32, %m: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c100 = arith.constant 100 : i32
    %big = arith.constant 2147483600 : i32
    scf.for %i = %c0 to %n step %c1  : i32 {
      %f = arith.cmpi eq, %i, %c1 : i32
      scf.if %f {
        tt.store %p, %x : !tt.ptr<i32>
      }
    }
    scf.for %i = %m to %n step %c1  : i32 {
      %f = arith.cmpi eq, %i, %m : i32
      scf.if %f {
        tt.store %p, %x : !tt.ptr<i32>
      }
    }
    scf.for %i = %big to %n step %c100  : i32 {
      %f = arith.cmpi eq, %i, %big : i32
      scf.if %f {
        tt.store %p, %x : !tt.ptr<i32>
      }
    }
    tt.return
  }
}
