// Tests for NaN of what never is, and maxima written with them.
// run: neso opt --pass=canonicalize --no-loc %s
module {
  // (float(i) + 0.5) * 0.5 - 0.5 is a number, and so is what a clamp leaves of it.
  // CHECK-LABEL: @clamped
  // CHECK: %[[M:.*]] = arith.cmpf ogt, %[[X:.*]], %{{.*}} : f32
  // CHECK-NEXT: %[[A:.*]] = arith.select %[[M]], %[[X]]
  // CHECK-NEXT: %[[L:.*]] = arith.cmpf olt, %[[A]], %{{.*}} : f32
  // CHECK-NEXT: %[[B:.*]] = arith.select %[[L]], %[[A]]
  // CHECK-NEXT: tt.store %p, %[[B]]
  tt.func public @clamped(%p: !tt.ptr<f32>, %i: i32) {
    %z = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %h = arith.constant 0.5 : f32
    %0 = arith.sitofp %i : i32 to f32
    %1 = arith.addf %0, %h : f32
    %2 = arith.mulf %1, %h : f32
    %3 = arith.subf %2, %h : f32
    %4 = arith.cmpf ogt, %3, %z : f32
    %5 = arith.cmpf une, %3, %3 : f32
    %6 = arith.ori %4, %5 : i1
    %7 = arith.select %6, %3, %z : i1, f32
    %8 = arith.cmpf olt, %7, %one : f32
    %9 = arith.cmpf une, %7, %7 : f32
    %10 = arith.ori %8, %9 : i1
    %11 = arith.select %10, %7, %one : i1, f32
    tt.store %p, %11 : !tt.ptr<f32>
    tt.return
  }
  // x < 1 or x is NaN, of any x: one comparison. With another operand that may be NaN it stays two.
  // CHECK-LABEL: @one_comparison
  // CHECK: %[[N:.*]] = arith.cmpf une, %x, %x : f32
  // CHECK: %[[A:.*]] = arith.cmpf ult, %x, %{{.*}} : f32
  // CHECK: %[[G:.*]] = arith.cmpf ogt, %x, %y : f32
  // CHECK: %[[B:.*]] = arith.ori %[[G]], %[[N]]
  // CHECK: %[[C:.*]] = arith.cmpf ogt, %x, %{{.*}} : f32
  // CHECK: %[[D:.*]] = arith.cmpf uge, %x, %y : f32
  tt.func public @one_comparison(%p: !tt.ptr<i1>, %x: f32, %y: f32) {
    %one = arith.constant 1.0 : f32
    %nan = arith.cmpf une, %x, %x : f32
    %number = arith.cmpf oeq, %x, %x : f32
    %0 = arith.cmpf olt, %x, %one : f32
    %a = arith.ori %0, %nan : i1
    tt.store %p, %a : !tt.ptr<i1>
    %1 = arith.cmpf ogt, %x, %y : f32
    %b = arith.ori %1, %nan : i1
    tt.store %p, %b : !tt.ptr<i1>
    %2 = arith.cmpf ugt, %x, %one : f32
    %c = arith.andi %number, %2 : i1
    tt.store %p, %c : !tt.ptr<i1>
    %3 = arith.cmpf uge, %x, %y : f32
    %d = arith.ori %nan, %3 : i1
    tt.store %p, %d : !tt.ptr<i1>
    tt.return
  }
  // An infinity less an infinity, 0 times an infinity, an f16 beyond its range less another: those may be NaN. An arm
  // that is taken where its comparison held is none.
  // CHECK-LABEL: @may_be
  // CHECK: arith.cmpf une, %[[A:.*]], %[[A]]
  // CHECK: arith.cmpf une, %[[B:.*]], %[[B]]
  // CHECK: arith.cmpf une, %[[C:.*]], %[[C]]
  // CHECK-NOT: arith.cmpf une
  // CHECK: tt.return
  tt.func public @may_be(%p: !tt.ptr<i1>, %i: i32, %x: f32) {
    %z = arith.constant 0.0 : f32
    %big = arith.constant 3.0e38 : f32
    %0 = arith.sitofp %i : i32 to f32
    %1 = arith.mulf %0, %big : f32
    %2 = arith.subf %1, %1 : f32
    %a = arith.cmpf une, %2, %2 : f32
    tt.store %p, %a : !tt.ptr<i1>
    %3 = arith.mulf %1, %z : f32
    %b = arith.cmpf une, %3, %3 : f32
    tt.store %p, %b : !tt.ptr<i1>
    %4 = arith.sitofp %i : i32 to f16
    %5 = arith.subf %4, %4 : f16
    %c = arith.cmpf une, %5, %5 : f16
    tt.store %p, %c : !tt.ptr<i1>
    %6 = arith.cmpf ogt, %x, %z : f32
    %7 = arith.select %6, %x, %z : i1, f32
    %8 = arith.addf %7, %0 : f32
    %d = arith.cmpf une, %8, %8 : f32
    tt.store %p, %d : !tt.ptr<i1>
    tt.return
  }
}
