// Values that only feed one another round a loop go; effects stay, and so does a while loop.
// run: neso opt --pass=dce --no-loc %s
module {
  // CHECK-LABEL: @f
  // CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK-NEXT: %[[R:.*]] = scf.for %{{.*}} iter_args(%[[A:.*]] = %x) -> (i32)
  // CHECK-NEXT: %[[S:.*]] = arith.addi %[[A]], %[[C1]]
  // CHECK-NEXT: scf.yield %[[S]] : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.store %p, %[[R]]
  // CHECK-NEXT: scf.while
  tt.func public @f(%p: !tt.ptr<i32>, %x: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %c0, %d = %c1) -> (i32, i32, i32) : i32 {
      %1 = arith.addi %a, %c1 : i32
      %2 = arith.addi %d, %a : i32
      %3 = arith.muli %b, %2 : i32
      scf.yield %1, %2, %3 : i32, i32, i32
    }
    tt.store %p, %0#0 : !tt.ptr<i32>
    %4 = tt.load %p : !tt.ptr<i32>
    %5 = scf.while (%a = %x) : (i32) -> (i32) {
      %6 = arith.cmpi slt, %a, %n : i32
      scf.condition(%6) %a : i32
    } do {
    ^bb0(%a: i32):
      %6 = arith.addi %a, %c1 : i32
      scf.yield %6 : i32
    }
    tt.return
  }
}
