// Tiles go on where a loop shares them out among CTAs, and all that its products take comes through the author's descriptors: not where the
// steps load through pointers (or maps of them), or what the loop stores, nor where one CTA goes over all tiles, or programs may meet.
// run: neso opt --pass=flatten-tiles --verify-each --stress --no-loc --target sm_90a %s
#memory = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}, alignment = 16>
module {

  // CHECK-LABEL: @shared_out
  // CHECK: scf.for
  // CHECK: } {neso.tiles, tt.flatten}
  // CHECK: tt.return
  tt.func public @shared_out(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 1, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c132 = arith.constant 132 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pid = tt.get_program_id x : i32
    scf.for %t = %pid to %n step %c132 : i32 {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %x = tt.descriptor_load %a[%t, %k] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
        %next = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
      tt.descriptor_store %c[%t, %c0], %half : !tt.tensordesc<tensor<64x64xf16, #memory>>, tensor<64x64xf16>
    }
    tt.return
  }

  // CHECK-LABEL: @all_by_one
  // CHECK: scf.for
  // CHECK-NOT: tt.flatten
  // CHECK: tt.return
  tt.func public @all_by_one(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 1, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c132 = arith.constant 132 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pid = tt.get_program_id x : i32
    scf.for %t = %c0 to %n step %c1 : i32 {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %x = tt.descriptor_load %a[%t, %k] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
        %next = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
      tt.descriptor_store %c[%t, %c0], %half : !tt.tensordesc<tensor<64x64xf16, #memory>>, tensor<64x64xf16>
    }
    tt.return
  }

  // CHECK-LABEL: @of_pointers
  // CHECK: scf.for
  // CHECK-NOT: tt.flatten
  // CHECK: tt.return
  tt.func public @of_pointers(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>, neso.map_pointers}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 1, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c132 = arith.constant 132 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pid = tt.get_program_id x : i32
    scf.for %t = %pid to %n step %c132 : i32 {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %x = tt.descriptor_load %a[%t, %k] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
        %next = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
      tt.descriptor_store %c[%t, %c0], %half : !tt.tensordesc<tensor<64x64xf16, #memory>>, tensor<64x64xf16>
    }
    tt.return
  }

  // CHECK-LABEL: @what_it_stores
  // CHECK: scf.for
  // CHECK-NOT: tt.flatten
  // CHECK: tt.return
  tt.func public @what_it_stores(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 1, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c132 = arith.constant 132 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pid = tt.get_program_id x : i32
    scf.for %t = %pid to %n step %c132 : i32 {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %x = tt.descriptor_load %a[%t, %k] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
        %next = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
      tt.descriptor_store %a[%t, %c0], %half : !tt.tensordesc<tensor<64x64xf16, #memory>>, tensor<64x64xf16>
    }
    tt.return
  }

  // CHECK-LABEL: @meets
  // CHECK: scf.for
  // CHECK-NOT: tt.flatten
  // CHECK: tt.return
  tt.func public @meets(%a: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 0, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #memory>> {neso.map = array<i64: 1, -1, 3, 1, 3, 1, 3, 1, -1, 1>}, %p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c132 = arith.constant 132 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pid = tt.get_program_id x : i32
    scf.for %t = %pid to %n step %c132 : i32 {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %x = tt.descriptor_load %a[%t, %k] : !tt.tensordesc<tensor<64x64xf16, #memory>> -> tensor<64x64xf16>
        %next = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
      %old = tt.atomic_rmw add, acq_rel, gpu, %p, %c1 : (!tt.ptr<i32>, i32) -> i32
      tt.descriptor_store %c[%t, %c0], %half : !tt.tensordesc<tensor<64x64xf16, #memory>>, tensor<64x64xf16>
    }
    tt.return
  }
}
