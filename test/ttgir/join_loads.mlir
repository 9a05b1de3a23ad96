// Loads by masks of which at most one holds are one load of a selected address, where each result is only seen where its own mask holds.
// run: neso opt --pass=join-loads --verify-each --no-loc %s
module {
  // Both halves point from one base: offsets are selected, and as one of both masks always holds, nothing is masked.
  // CHECK-LABEL: @halves
  // CHECK: %[[LOW:.*]] = arith.cmpi slt
  // CHECK: %[[AT:.*]] = arith.select %[[LOW]], %{{.*}}, %{{.*}} : tensor<1024xi1>, tensor<1024xi32>
  // CHECK: %[[P:.*]] = tt.addptr %{{.*}}, %[[AT]]
  // CHECK: %[[V:.*]] = tt.load %[[P]] : tensor<1024x!tt.ptr<f32>>
  // CHECK-NOT: tt.load
  // CHECK: arith.select %[[LOW]], %[[V]]
  tt.func public @halves(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %pid = tt.get_program_id x : i32
    %size = arith.constant 1024 : i32
    %from = arith.muli %pid, %size : i32
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %fs = tt.splat %from : i32 -> tensor<1024xi32>
    %i = arith.addi %fs, %r : tensor<1024xi32>
    %c128 = arith.constant dense<128> : tensor<1024xi32>
    %c64 = arith.constant dense<64> : tensor<1024xi32>
    %zero = arith.constant dense<0.0> : tensor<1024xf32>
    %column = arith.remsi %i, %c128 : tensor<1024xi32>
    %low = arith.cmpi slt, %column, %c64 : tensor<1024xi32>
    %high = arith.cmpi sge, %column, %c64 : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %up = arith.addi %i, %c64 : tensor<1024xi32>
    %p = tt.addptr %xs, %up : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %a = tt.load %p, %low, %zero : tensor<1024x!tt.ptr<f32>>
    %down = arith.subi %i, %c64 : tensor<1024xi32>
    %q = tt.addptr %xs, %down : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %b = tt.load %q, %high, %zero : tensor<1024x!tt.ptr<f32>>
    %n = arith.negf %b : tensor<1024xf32>
    %h = arith.select %high, %n, %zero : tensor<1024xi1>, tensor<1024xf32>
    %v = arith.select %low, %a, %h : tensor<1024xi1>, tensor<1024xf32>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %op, %v : tensor<1024x!tt.ptr<f32>>
    tt.return
  }

  // The first result is added everywhere: it has to be 0 in the upper half.
  // CHECK-LABEL: @seen
  // CHECK-COUNT-2: tt.load
  tt.func public @seen(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %c512 = arith.constant dense<512> : tensor<1024xi32>
    %zero = arith.constant dense<0.0> : tensor<1024xf32>
    %low = arith.cmpi slt, %r, %c512 : tensor<1024xi32>
    %high = arith.cmpi sge, %r, %c512 : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %a = tt.load %p, %low, %zero : tensor<1024x!tt.ptr<f32>>
    %b = tt.load %q, %high, %zero : tensor<1024x!tt.ptr<f32>>
    %v = arith.addf %a, %b : tensor<1024xf32>
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>>
    tt.return
  }

  // What is stored in between may be what the second load reads.
  // CHECK-LABEL: @written
  // CHECK: tt.load
  // CHECK: tt.store
  // CHECK: tt.load
  tt.func public @written(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %c512 = arith.constant dense<512> : tensor<1024xi32>
    %zero = arith.constant dense<0.0> : tensor<1024xf32>
    %low = arith.cmpi slt, %r, %c512 : tensor<1024xi32>
    %high = arith.cmpi sge, %r, %c512 : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %a = tt.load %p, %low, %zero : tensor<1024x!tt.ptr<f32>>
    tt.store %q, %zero : tensor<1024x!tt.ptr<f32>>
    %b = tt.load %q, %high, %zero : tensor<1024x!tt.ptr<f32>>
    %v = arith.select %low, %a, %b : tensor<1024xi1>, tensor<1024xf32>
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
