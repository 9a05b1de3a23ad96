// The body goes into a loop over the programs of a CTA, which is marked; the launch adds their count as an argument. What follows of
// arguments alone stays in front. Programs that read another axis of the grid are counted along all of them, unless each CTA has its
// own. Where they take longer along axis 0, that is their order, in groups; where nothing is known of how, the kernel is marked.
// run: NESO_PERSIST=1 neso opt --pass=map-loads --pass=persist-programs --verify-each --stress --no-loc --target sm_90a %s
// run: NESO_PERSIST=many neso opt --pass=persist-programs --no-loc --num-stages 9 --target sm_90a %s
// run: NESO_PERSIST=0 neso opt --pass=persist-programs --no-loc --target sm_90a %s
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
  // CHECK-LABEL: @axes
  // CHECK-SAME: %[[N:[a-z0-9]*]]: i32 {neso.programs}, %[[M:[a-z0-9]*]]: i32 {neso.programs}, %[[L:[a-z0-9]*]]: i32 {neso.programs})
  // CHECK-DAG: %[[CTA:.*]] = tt.get_program_id x : i32
  // CHECK-DAG: %[[CTAS:.*]] = tt.get_num_programs x : i32
  // CHECK: %[[OWN:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
  // CHECK: %[[LINES:.*]] = arith.muli %[[M]], %[[L]] : i32
  // CHECK: %[[ALL:.*]] = arith.muli %[[N]], %[[LINES]] : i32
  // CHECK: %[[TO:.*]] = arith.select %[[OWN]], %{{.*}}, %[[ALL]] : i32
  // CHECK: arith.select %[[OWN]], %{{.*}}, %[[CTAS]] : i32
  // CHECK: scf.for %[[P:.*]] = %[[CTA]] to %[[TO]] step
  // CHECK: %[[LINE:.*]] = arith.divui %[[P]], %[[N]] : i32
  // CHECK: %[[X:.*]] = arith.remui %[[P]], %[[N]] : i32
  // CHECK: %[[IN:.*]] = arith.remui %[[LINE]], %[[M]] : i32
  // CHECK: %[[Y:.*]] = arith.addi %[[IN]], %{{.*}} : i32
  // CHECK: arith.addi %[[X]], %[[Y]] : i32
  // CHECK: } {neso.programs, tt.flatten}
  tt.func public @axes(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %count = tt.get_num_programs x : i32
    %pid = tt.get_program_id x : i32
    %row = tt.get_program_id y : i32
    %sum_of = arith.addi %pid, %row : i32
    %first = arith.muli %sum_of, %c64 : i32
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
  // CHECK-LABEL: @rising
  // CHECK-NOT: neso.uneven
  // CHECK: %[[EACH:.*]] = arith.divui %[[LINES:[a-z0-9_]*]], %{{.*}} : i32
  // CHECK: scf.for %[[P:.*]] = %{{.*}} to %[[TO:.*]] step %[[STEP:[a-z0-9_]*]]
  // CHECK: arith.divui %{{.*}}, %[[STEP]] : i32
  // CHECK: arith.minui %{{.*}}, %[[TO]] : i32
  // CHECK: } {neso.programs, tt.flatten}
  tt.func public @rising(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pid = tt.get_program_id x : i32
    %row = tt.get_program_id y : i32
    %first = arith.muli %pid, %c64 : i32
    %behind = arith.addi %first, %c64 : i32
    %end = arith.minsi %behind, %k : i32
    %sum = scf.for %i = %c0 to %end step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tt.descriptor_load %a[%first, %i] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
      %y = tt.descriptor_load %a[%i, %row] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
      %next = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tt.descriptor_store %c[%first, %row], %half : !tt.tensordesc<tensor<64x64xf16, #memory>>, tensor<64x64xf16>
    tt.return
  }
  // CHECK-LABEL: @anyhow
  // CHECK-SAME: attributes {neso.uneven}
  // CHECK: } {neso.programs, tt.flatten}
  tt.func public @anyhow(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pid = tt.get_program_id x : i32
    %row = tt.get_program_id y : i32
    %first = arith.muli %pid, %c64 : i32
    %end = arith.muli %row, %k : i32
    %sum = scf.for %i = %c0 to %end step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tt.descriptor_load %a[%first, %i] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
      %y = tt.descriptor_load %a[%i, %row] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
      %next = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tt.descriptor_store %c[%first, %row], %half : !tt.tensordesc<tensor<64x64xf16, #memory>>, tensor<64x64xf16>
    tt.return
  }
}
// Nine slots of two tiles leave room for one CTA on an SM: it pays.
// CHECK-LABEL: @wrapped
// CHECK-SAME: {neso.programs})
// Nobody asks.
// CHECK-LABEL: @wrapped
// CHECK-NOT: neso.programs
// Launches of few programs have a variant of their own, of which a CTA has an SM for itself.
// CHECK-LABEL: @wrapped
// CHECK-SAME: neso.programs
// CHECK-NOT: tt.flatten
