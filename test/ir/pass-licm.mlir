// Pure invariant ops leave both loops; loads and divisions that may fail stay.
// run: neso opt --pass=licm --no-loc %s
module {
  // CHECK-LABEL: @f
  // CHECK: %[[M:.*]] = arith.muli %x, %n
  // CHECK-NEXT: %[[D:.*]] = arith.divsi %[[M]], %{{.*}}
  // CHECK: scf.for
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: arith.divsi %x, %n
  // CHECK-NEXT: tt.load
  tt.func public @f(%p: !tt.ptr<i32>, %x: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    scf.for %i = %c0 to %n step %c1  : i32 {
      scf.for %j = %c0 to %n step %c1  : i32 {
        %0 = arith.muli %x, %n : i32
        %1 = arith.divsi %0, %c7 : i32
        %2 = arith.divsi %x, %n : i32
        %3 = tt.load %p : !tt.ptr<i32>
        %4 = arith.addi %1, %2 : i32
        %5 = arith.addi %3, %4 : i32
        tt.store %p, %5 : !tt.ptr<i32>
      }
    }
    tt.return
  }
}
