// By 2, a loop of unknown length: the doubled one, then what is left.
// run: neso opt --pass=loop-unroll,canonicalize --no-loc %s
module {
  // CHECK-LABEL: @f
  // CHECK: %[[REST:.*]] = arith.remsi %n, %{{.*}} : i32
  // CHECK: %[[MID:.*]] = arith.subi %n, %[[REST]] : i32
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[MID]] step %c2_i32
  // CHECK-NEXT: tt.store %p, %[[I]]
  // CHECK-NEXT: %[[J:.*]] = arith.addi %[[I]], %c1_i32
  // CHECK-NEXT: tt.store %p, %[[J]]
  // CHECK-NEXT: }
  // CHECK: scf.for %[[K:.*]] = %[[MID]] to %n step %c1_i32
  // CHECK-NEXT: tt.store %p, %[[K]]
  // CHECK-NEXT: } {tt.num_stages = 1 : i32}
  tt.func public @f(%p: !tt.ptr<i32>, %n: i32) {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    scf.for %i = %c0_i32 to %n step %c1_i32  : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    } {tt.loop_unroll_factor = 2 : i32}
    tt.return
  }
}
