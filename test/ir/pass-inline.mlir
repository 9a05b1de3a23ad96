// Calls become bodies whose locations name both places; functions nobody calls go; noinline ones stay.
// run: neso opt --pass=inline %s
module {
  tt.func private @twice(%x: i32) -> i32 attributes {noinline = false} {
    %0 = arith.addi %x, %x : i32 loc("lib.py":3:4)
    tt.return %0 : i32
  }
  tt.func private @far(%x: i32) -> i32 attributes {noinline = true} {
    tt.return %x : i32
  }
  tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {
    %0 = tt.call @twice(%n) : (i32) -> i32 loc("k.py":7:8)
    %1 = tt.call @far(%0) : (i32) -> i32
    tt.store %p, %1 : !tt.ptr<i32>
    tt.return
  }
}
// CHECK-NOT: @twice
// CHECK: tt.func private @far
// CHECK: tt.func public @kernel
// CHECK: %[[S:.*]] = arith.addi %n, %n : i32 loc(#[[L:.*]])
// CHECK: tt.call @far(%[[S]])
// CHECK-DAG: #[[LIB:.*]] = loc("lib.py":3:4)
// CHECK-DAG: #[[CALL:.*]] = loc("k.py":7:8)
// CHECK: #[[L]] = loc(callsite(#[[LIB]] at #[[CALL]]))
