// A loop of products that counts the steps of each tile itself becomes two: what its first step decides goes in front of a tile's steps, what its last
// one does behind them. What goes from tile to tile is told by the tile's number. Attributes go to the loop that they are about.
// Loops that write in other steps, that are asked for what they leave, that take what the tile before left, that begin elsewhere or have no
// product stay.
// run: neso opt --pass=nest-loops --verify-each --stress --no-loc --target sm_90a %s
module {
  // CHECK-LABEL: @first_step
  // CHECK-DAG: %[[MOST:.*]] = arith.maxsi %steps, %{{.*}} : i32
  // CHECK-DAG: %[[RUNS:.*]] = arith.divsi %all, %[[MOST]] : i32
  // CHECK-DAG: %[[SOME:.*]] = arith.cmpi sge, %steps, %{{.*}} : i32
  // CHECK: %[[TILES:.*]] = arith.select %[[SOME]], %[[RUNS]], %{{.*}} : i32
  // CHECK: scf.for %[[T:.*]] = %{{.*}} to %[[TILES]] step %{{.*}} : i32 {
  // CHECK: %[[WAY:.*]] = arith.muli %[[T]], %c4 : i32
  // CHECK: %[[PLACE:.*]] = arith.addi %pid, %[[WAY]] : i32
  // CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} to %steps step %{{.*}} iter_args(%[[ACC:.*]] = %zero)
  // CHECK: tt.descriptor_load %a[%[[PLACE]], %[[K]]]
  // CHECK-NOT: scf.if
  // CHECK: scf.yield
  // CHECK: } {tt.num_stages = 3 : i32}
  // CHECK: tt.descriptor_store %c[%[[PLACE]], %c0], %[[SUM]]
  // CHECK-NEXT: } {tt.flatten, tt.warp_specialize}
  // CHECK-NEXT: tt.return
  tt.func public @first_step(%a: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf32>>, %steps: i32, %all: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %minus = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pid = tt.get_program_id x : i32
    %before = arith.subi %pid, %c4 : i32
    %r:3 = scf.for %i = %c0 to %all step %c1 iter_args(%ki = %minus, %tile = %before, %acc = %zero) -> (i32, i32, tensor<64x64xf32>) : i32 {
      %end = arith.subi %steps, %c1 : i32
      %over = arith.cmpi eq, %ki, %end : i32
      %up = arith.addi %ki, %c1 : i32
      %k = arith.select %over, %c0, %up : i32
      %first = arith.cmpi eq, %k, %c0 : i32
      %further = arith.addi %tile, %c4 : i32
      %place = arith.select %first, %further, %tile : i32
      %x = tt.descriptor_load %a[%place, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %sum = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %last = arith.cmpi eq, %k, %end : i32
      %next = arith.select %last, %zero, %sum : tensor<64x64xf32>
      scf.if %last {
        tt.descriptor_store %c[%place, %c0], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
      }
      scf.yield %k, %place, %next : i32, i32, tensor<64x64xf32>
    } {tt.flatten, tt.num_stages = 3 : i32, tt.warp_specialize}
    tt.return
  }

  // Asked the other way round; a tile that the last step decides is computed in front, as is all that is computed of its number; what an
  // iteration loads and the last step takes is handed on.
  // CHECK-LABEL: @last_step
  // CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
  // CHECK: %[[WAY:.*]] = arith.muli %[[T]], %c4 : i32
  // CHECK: %[[TILE:.*]] = arith.addi %pid, %[[WAY]] : i32
  // CHECK: %[[ROW:.*]] = arith.divsi %[[TILE]], %rows : i32
  // CHECK: %[[SUM:.*]]:2 = scf.for %[[K:.*]] = %{{.*}} to %steps step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
  // CHECK: %[[WORD:.*]] = tt.load %p
  // CHECK: tt.descriptor_load %a[%[[ROW]], %[[K]]]
  // CHECK: scf.yield %{{.*}}, %[[WORD]]
  // CHECK: tt.descriptor_store %c[%[[ROW]], %[[SUM]]#1], %[[SUM]]#0
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.return
  tt.func public @last_step(%a: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf32>>, %p: !tt.ptr<i32>, %steps: i32, %all: i32, %rows: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pid = tt.get_program_id x : i32
    %begin = arith.divsi %pid, %rows : i32
    %r:4 = scf.for %i = %c0 to %all step %c1 iter_args(%k = %c0, %tile = %pid, %row = %begin, %acc = %zero) -> (i32, i32, i32, tensor<64x64xf32>) : i32 {
      %word = tt.load %p : !tt.ptr<i32>
      %x = tt.descriptor_load %a[%row, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %sum = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %up = arith.addi %k, %c1 : i32
      %more = arith.cmpi ne, %steps, %up : i32
      %s:4 = scf.if %more -> (i32, i32, i32, tensor<64x64xf32>) {
        scf.yield %up, %tile, %row, %sum : i32, i32, i32, tensor<64x64xf32>
      } else {
        tt.descriptor_store %c[%row, %word], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
        %further = arith.addi %c4, %tile : i32
        %place = arith.divsi %further, %rows : i32
        scf.yield %c0, %further, %place, %zero : i32, i32, i32, tensor<64x64xf32>
      }
      scf.yield %s#0, %s#1, %s#2, %s#3 : i32, i32, i32, tensor<64x64xf32>
    }
    tt.return
  }

  // CHECK-LABEL: @rest
  // CHECK: scf.for %[[T:.*]] = %c0
  // CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c8
  // CHECK: tt.descriptor_load %a[%[[T]], %[[K]]]
  // CHECK: tt.descriptor_store %c[%[[T]], %c0]
  tt.func public @rest(%a: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf32>>, %all: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %c8 = arith.constant 8 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %i = %c0 to %all step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %k = arith.remsi %i, %c8 : i32
      %tile = arith.divsi %i, %c8 : i32
      %first = arith.cmpi eq, %k, %c0 : i32
      %from = arith.select %first, %zero, %acc : tensor<64x64xf32>
      %x = tt.descriptor_load %a[%tile, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %sum = tt.dot %x, %x, %from, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %last = arith.cmpi eq, %k, %c7 : i32
      scf.if %last {
        tt.descriptor_store %c[%tile, %c0], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
      }
      scf.yield %sum : tensor<64x64xf32>
    }
    tt.return
  }

  // Each step writes.
  // CHECK-LABEL: @writes
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  tt.func public @writes(%a: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf32>>, %p: !tt.ptr<i32>, %steps: i32, %all: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r:2 = scf.for %i = %c0 to %all step %c1 iter_args(%k = %c0, %acc = %zero) -> (i32, tensor<64x64xf32>) : i32 {
      %x = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %sum = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      tt.store %p, %k : !tt.ptr<i32>
      %up = arith.addi %k, %c1 : i32
      %last = arith.cmpi eq, %up, %steps : i32
      %next = arith.select %last, %c0, %up : i32
      scf.if %last {
        tt.descriptor_store %c[%c0, %c0], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
      }
      scf.yield %next, %sum : i32, tensor<64x64xf32>
    }
    tt.return
  }

  // What is left over of the steps is seen.
  // CHECK-LABEL: @asked
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  tt.func public @asked(%a: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf32>>, %steps: i32, %all: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r:2 = scf.for %i = %c0 to %all step %c1 iter_args(%k = %c0, %acc = %zero) -> (i32, tensor<64x64xf32>) : i32 {
      %x = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %sum = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %up = arith.addi %k, %c1 : i32
      %last = arith.cmpi eq, %up, %steps : i32
      %next = arith.select %last, %c0, %up : i32
      scf.if %last {
        tt.descriptor_store %c[%c0, %c0], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
      }
      scf.yield %next, %sum : i32, tensor<64x64xf32>
    }
    tt.descriptor_store %c[%c1, %c0], %r#1 : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
    tt.return
  }

  // Loaded behind the store, which may be what is loaded.
  // CHECK-LABEL: @behind
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  tt.func public @behind(%a: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf32>>, %p: !tt.ptr<i32>, %steps: i32, %all: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r:3 = scf.for %i = %c0 to %all step %c1 iter_args(%k = %c0, %row = %c0, %acc = %zero) -> (i32, i32, tensor<64x64xf32>) : i32 {
      %x = tt.descriptor_load %a[%row, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %sum = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %up = arith.addi %k, %c1 : i32
      %last = arith.cmpi eq, %up, %steps : i32
      %next = arith.select %last, %c0, %up : i32
      scf.if %last {
        tt.descriptor_store %c[%c0, %c0], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
      }
      %word = tt.load %p : !tt.ptr<i32>
      scf.yield %next, %word, %sum : i32, i32, tensor<64x64xf32>
    }
    tt.return
  }

  // The first step loads by the place of the tile before.
  // CHECK-LABEL: @before
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  tt.func public @before(%a: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf32>>, %steps: i32, %all: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r:3 = scf.for %i = %c0 to %all step %c1 iter_args(%k = %c0, %row = %c0, %acc = %zero) -> (i32, i32, tensor<64x64xf32>) : i32 {
      %first = arith.cmpi eq, %k, %c0 : i32
      %further = arith.addi %row, %c1 : i32
      %place = arith.select %first, %further, %row : i32
      %x = tt.descriptor_load %a[%row, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %sum = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %up = arith.addi %k, %c1 : i32
      %last = arith.cmpi eq, %up, %steps : i32
      %next = arith.select %last, %c0, %up : i32
      scf.if %last {
        tt.descriptor_store %c[%place, %c0], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
      }
      scf.yield %next, %place, %sum : i32, i32, tensor<64x64xf32>
    }
    tt.return
  }

  // The first tile has a step less: the counter begins at 1.
  // CHECK-LABEL: @begins_late
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  tt.func public @begins_late(%a: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf32>>, %steps: i32, %all: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r:2 = scf.for %i = %c0 to %all step %c1 iter_args(%k = %c1, %acc = %zero) -> (i32, tensor<64x64xf32>) : i32 {
      %x = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %sum = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %up = arith.addi %k, %c1 : i32
      %last = arith.cmpi eq, %up, %steps : i32
      %next = arith.select %last, %c0, %up : i32
      scf.if %last {
        tt.descriptor_store %c[%c0, %c0], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
      }
      scf.yield %next, %sum : i32, tensor<64x64xf32>
    }
    tt.return
  }

  // It begins anew behind another number of steps than the one that stores.
  // CHECK-LABEL: @other_step
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  tt.func public @other_step(%a: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf32>>, %steps: i32, %all: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r:2 = scf.for %i = %c0 to %all step %c1 iter_args(%k = %c0, %acc = %zero) -> (i32, tensor<64x64xf32>) : i32 {
      %x = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
      %sum = tt.dot %x, %x, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %up = arith.addi %k, %c1 : i32
      %over = arith.cmpi eq, %up, %steps : i32
      %next = arith.select %over, %c0, %up : i32
      %last = arith.cmpi eq, %k, %steps : i32
      scf.if %last {
        tt.descriptor_store %c[%c0, %c0], %sum : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
      }
      scf.yield %next, %sum : i32, tensor<64x64xf32>
    }
    tt.return
  }

  // No product: loads of such loops stay where they are.
  // CHECK-LABEL: @no_product
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  tt.func public @no_product(%p: !tt.ptr<i32>, %steps: i32, %all: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %all step %c1 iter_args(%k = %c0, %sum = %c0) -> (i32, i32) : i32 {
      %word = tt.load %p : !tt.ptr<i32>
      %more = arith.addi %sum, %word : i32
      %up = arith.addi %k, %c1 : i32
      %last = arith.cmpi eq, %up, %steps : i32
      %next = arith.select %last, %c0, %up : i32
      scf.if %last {
        tt.store %p, %more : !tt.ptr<i32>
      }
      scf.yield %next, %more : i32, i32
    }
    tt.return
  }
}
