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
  // A loop that asks for it keeps what it has; the one around it does not get it.
  // CHECK-LABEL: @kept
  // CHECK: scf.for
  // CHECK-NEXT: arith.muli %x, %x
  // CHECK: } {tt.disable_licm}
  // CHECK: scf.while
  // CHECK: do {
  // CHECK: arith.muli %x, %n
  // CHECK: } attributes
  tt.func public @kept(%p: !tt.ptr<i32>, %x: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1  : i32 {
      %0 = arith.muli %x, %x : i32
      %1 = arith.addi %0, %i : i32
      tt.store %p, %1 : !tt.ptr<i32>
    } {tt.disable_licm}
    %2 = scf.while (%a = %n) : (i32) -> i32 {
      %3 = arith.cmpi slt, %a, %x : i32
      scf.condition(%3) %a : i32
    } do {
    ^bb0(%a: i32):
      %4 = arith.muli %x, %n : i32
      %5 = arith.addi %4, %a : i32
      scf.yield %5 : i32
    } attributes {tt.disable_licm}
    tt.return
  }
}
