// The body goes into a loop over the programs of a CTA, which is marked; the launch adds their count as an argument. What follows of
// arguments alone stays in front. Programs that read another axis of the grid, or the CTA's number, stay CTAs.
// run: NESO_PERSIST=1 neso opt --pass=map-loads --pass=persist-programs --verify-each --stress --no-loc --target sm_90a %s
// run: NESO_PERSIST=many neso opt --pass=persist-programs --no-loc --num-stages 9 --target sm_90a %s
// run: neso opt --pass=persist-programs --no-loc --target sm_90a %s
#memory = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}, alignment = 16>
module {
  // CHECK-LABEL: @wrapped
  // CHECK-SAME: %[[N:[a-z0-9]*]]: i32 {neso.programs})
  // CHECK-DAG: %[[CTA:.*]] = tt.get_program_id x : i32
  // CHECK-DAG: %[[LEFT:.*]] = arith.subi %[[N]], %[[CTA]] : i32
  // CHECK-DAG: %[[CTAS:.*]] = tt.get_num_programs x : i32
  // CHECK: %[[STEP:.*]] = arith.minsi %[[CTAS]], %[[LEFT]] : i32
  // CHECK: %[[ROWS:.*]] = arith.muli %k, %{{.*}} : i32
  // CHECK: scf.for %[[P:.*]] = %[[CTA]] to %[[N]] step %[[STEP]]
  // CHECK: arith.muli %[[P]], %{{.*}} : i32
  // CHECK: %[[BACK:.*]] = arith.subi %[[N]], %[[P]] : i32
  // CHECK: scf.for
  // CHECK: tt.descriptor_store %c[%[[BACK]], %[[ROWS]]]
  // CHECK: } {neso.programs, tt.flatten}
  // CHECK-NEXT: tt.return
  tt.func public @wrapped(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %count = tt.get_num_programs x : i32
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c64 : i32
    %rows = arith.muli %k, %c64 : i32
    %back = arith.subi %count, %pid : i32
    %sum = scf.for %i = %c0 to %rows step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tt.descriptor_load %a[%first, %i] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
      %y = tt.descriptor_load %a[%i, %first] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
      %next = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tt.descriptor_store %c[%back, %rows], %half : !tt.tensordesc<tensor<64x64xf16, #memory>>, tensor<64x64xf16>
    tt.return
  }
  // Programs that read two axes are counted along all of them, and each finds out where it is.
  // CHECK-LABEL: @along_both
  // CHECK-SAME: %[[ACROSS:[a-z0-9]*]]: i32 {neso.programs})
  // CHECK-DAG: %[[Y:.*]] = tt.get_program_id y : i32
  // CHECK-DAG: %[[CTAS0:.*]] = tt.get_num_programs x : i32
  // CHECK-DAG: arith.muli %[[CTAS0]], %[[Y]] : i32
  // CHECK: scf.for %[[Q:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: arith.remui %[[Q]], %[[ACROSS]] : i32
  // CHECK: arith.divui %[[Q]], %[[ACROSS]] : i32
  // CHECK: } {neso.programs, tt.flatten}
  tt.func public @along_both(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 2, 1, 2, 1, 2, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 2, 1, 2, 1, 2, 1, -1, 1>}, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %m = arith.muli %x, %c64 : i32
    %n = arith.muli %y, %c64 : i32
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %l = tt.descriptor_load %a[%m, %i] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
      %r = tt.descriptor_load %a[%i, %n] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
      %next = tt.dot %l, %r, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tt.descriptor_store %c[%m, %n], %half : !tt.tensordesc<tensor<64x64xf16, #memory>>, tensor<64x64xf16>
    tt.return
  }
}
// Nine slots of two tiles leave room for one CTA on an SM: it pays.
// CHECK-LABEL: @wrapped
// CHECK-SAME: {neso.programs})
// Nobody asks.
// CHECK-LABEL: @wrapped
// CHECK-NOT: neso.programs
