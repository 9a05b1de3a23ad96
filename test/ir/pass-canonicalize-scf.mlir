// Loops that run never or once, values carried for nothing or that go up as the counter does, branches that are known, selects.
// run: neso opt --pass=canonicalize --no-loc %s
module {
  // CHECK-LABEL: @loops
  // CHECK-NOT: scf.for
  // CHECK: tt.store %p, %x
  // CHECK: tt.store %p, %{{.*}}
  // CHECK: scf.for %{{.*}} = %{{.*}} to %n step %{{.*}}  : i32 {
  // CHECK-NEXT: tt.store %p, %x
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.store %p, %x
  tt.func public @loops(%p: !tt.ptr<i32>, %x: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %0 = scf.for %i = %c7 to %c7 step %c1 iter_args(%a = %x) -> (i32) : i32 {
      %s = arith.addi %a, %i : i32
      scf.yield %s : i32
    }
    tt.store %p, %0 : !tt.ptr<i32>
    %1 = scf.for %i = %c0 to %c1 step %c7 iter_args(%a = %x) -> (i32) : i32 {
      %s = arith.addi %a, %c7 : i32
      scf.yield %s : i32
    }
    tt.store %p, %1 : !tt.ptr<i32>
    %2:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %c0) -> (i32, i32) : i32 {
      tt.store %p, %a : !tt.ptr<i32>
      scf.yield %a, %i : i32, i32
    }
    tt.store %p, %2#0 : !tt.ptr<i32>
    tt.return
  }
  // CHECK-LABEL: @branches
  // CHECK-NEXT: tt.store %p, %x
  // CHECK-NEXT: %[[S:.*]] = arith.select %c, %x, %y : i32
  // CHECK-NEXT: tt.store %p, %[[S]]
  // CHECK-NEXT: %[[B:.*]] = arith.andi %{{.*}} : i1
  // CHECK-NEXT: scf.if %[[B]] {
  // CHECK-NEXT: tt.store %p, %y
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.return
  tt.func public @branches(%p: !tt.ptr<i32>, %x: i32, %y: i32, %c: i1, %d: i1) {
    %true = arith.constant true
    scf.if %true {
      tt.store %p, %x : !tt.ptr<i32>
    } else {
      tt.store %p, %y : !tt.ptr<i32>
    }
    %0:2 = scf.if %c -> (i32, i32) {
      scf.yield %x, %x : i32, i32
    } else {
      %1 = arith.addi %x, %y : i32
      scf.yield %y, %1 : i32, i32
    }
    tt.store %p, %0#0 : !tt.ptr<i32>
    scf.if %c {
      scf.if %d {
        scf.if %c {
          tt.store %p, %y : !tt.ptr<i32>
        }
      }
    }
    tt.return
  }
  // CHECK-LABEL: @counters
  // CHECK: %[[R:.*]]:2 = scf.for %i = %lo to %n step %s iter_args(%{{.*}} = %x, %{{.*}} = %lo) -> (i32, i32)
  // CHECK-NEXT: %[[D:.*]] = arith.subi %i, %s : i32
  // CHECK-NEXT: tt.store %p, %[[D]]
  // CHECK-NEXT: tt.store %p, %i
  // CHECK-NEXT: tt.store %p, %i
  // CHECK-NEXT: tt.store %p, %a
  // CHECK: scf.for %j = %{{.*}} to %n step %{{.*}}  : i32 {
  // CHECK-NEXT: %[[E:.*]] = arith.addi %j, %{{.*}} : i32
  // CHECK-NEXT: tt.store %p, %[[E]]
  // CHECK-NEXT: }
  tt.func public @counters(%p: !tt.ptr<i32>, %x: i32, %lo: i32, %n: i32, %s: i32) {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c7 = arith.constant 7 : i32
    %before = arith.subi %lo, %s : i32
    %0:4 = scf.for %i = %lo to %n step %s iter_args(%a = %x, %b = %before, %c = %lo, %d = %lo) -> (i32, i32, i32, i32) : i32 {
      tt.store %p, %b : !tt.ptr<i32>
      %1 = arith.addi %b, %s : i32
      tt.store %p, %1 : !tt.ptr<i32>
      tt.store %p, %c : !tt.ptr<i32>
      tt.store %p, %a : !tt.ptr<i32>
      %2 = arith.addi %s, %c : i32
      %3 = arith.addi %a, %s : i32
      %4 = arith.addi %d, %s : i32
      tt.store %p, %d : !tt.ptr<i32>
      scf.yield %3, %1, %2, %4 : i32, i32, i32, i32
    }
    tt.store %p, %0#3 : !tt.ptr<i32>
    scf.for %j = %c0 to %n step %c2 iter_args(%a = %c7) -> (i32) : i32 {
      tt.store %p, %a : !tt.ptr<i32>
      %1 = arith.addi %a, %c2 : i32
      scf.yield %1 : i32
    }
    tt.return
  }
  // What goes up by another step, or by what changes, or began at an unknown distance, is carried.
  // CHECK-LABEL: @no_counters
  // CHECK: scf.for %i = %lo to %n step %s iter_args(%[[A:.*]] = %lo, %[[B:.*]] = %lo, %[[C:.*]] = %x, %[[D:.*]] = %lo)
  // CHECK: tt.store %p, %[[A]]
  // CHECK: tt.store %p, %[[B]]
  // CHECK: tt.store %p, %[[C]]
  // CHECK: tt.store %p, %[[D]]
  tt.func public @no_counters(%p: !tt.ptr<i32>, %x: i32, %lo: i32, %n: i32, %s: i32, %t: i32) {
    scf.for %i = %lo to %n step %s iter_args(%a = %lo, %b = %lo, %c = %x, %d = %lo) -> (i32, i32, i32, i32) : i32 {
      tt.store %p, %a : !tt.ptr<i32>
      tt.store %p, %b : !tt.ptr<i32>
      tt.store %p, %c : !tt.ptr<i32>
      tt.store %p, %d : !tt.ptr<i32>
      %1 = arith.addi %a, %t : i32
      %2 = arith.addi %b, %i : i32
      %3 = arith.addi %c, %s : i32
      %4 = arith.addi %a, %s : i32
      scf.yield %1, %2, %3, %4 : i32, i32, i32, i32
    }
    tt.return
  }
}
