// A tile that is stored through a map goes by way of shared memory in pieces of a box: each has memory of its own, and the wait behind
// the last names all of it. In a loop two pieces of memory stay, in turns, and a copy goes on under the next tile: where each warp
// group has rows of its own, it writes, copies and waits for them alone; else all threads do together, behind a wait for the copy that
// was there. A sum in a loop that is added is no store of rows. What the loop loads again is waited for till it is there. Where another
// iteration may store to the same place, what the one before stored is there before. Where threads can tell rows apart alone, pieces
// are rows.
// options: --pass=tensor-copies,cse,dce --verify-each --stress --no-loc --target sm_90a
#acc = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []}>
#turned = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[64, 0], [32, 0], [16, 0]], block = []}>
#columns = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [0, 64]], block = []}>
#both = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [64, 0], [0, 64]], block = []}>
#memory = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0], [0, 64]]}, alignment = 1024>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @once
  // CHECK: tt.reshape %tile : tensor<128x128xf16, {{.*}}> -> tensor<128x2x64xf16
  // CHECK: %[[L:.*]], %[[R:.*]] = tt.split
  // CHECK-NEXT: %[[ONE:.*]] = ttg.local_alloc %[[L]] : {{.*}} -> !ttg.memdesc<128x64xf16
  // CHECK-NEXT: ttng.async_tma_copy_local_to_global %c[%row, %column] %[[ONE]]
  // CHECK-NEXT: %[[TWO:.*]] = ttg.local_alloc %[[R]]
  // CHECK: %[[AT:.*]] = arith.addi %column, %c64
  // CHECK: ttng.async_tma_copy_local_to_global %c[%row, %[[AT]]] %[[TWO]]
  // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32} %[[ONE]], %[[TWO]] :
  // CHECK-NEXT: ttg.local_dealloc %[[ONE]]
  // CHECK-NEXT: ttg.local_dealloc %[[TWO]]
  tt.func public @once(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #acc>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    tt.descriptor_store %c[%row, %column], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #acc>
    tt.return
  }
  // CHECK-LABEL: @parts_of_rows
  // CHECK: tt.reshape %tile : tensor<128x128xf16, {{.*}}> -> tensor<2x64x128xf16
  // CHECK: %[[L:.*]], %[[R:.*]] = tt.split
  // CHECK-NEXT: %[[ONE:.*]] = ttg.local_alloc %[[L]] : {{.*}} -> !ttg.memdesc<64x128xf16
  // CHECK-NEXT: ttng.async_tma_copy_local_to_global %c[%row, %column] %[[ONE]]
  // CHECK-NEXT: %[[TWO:.*]] = ttg.local_alloc %[[R]]
  // CHECK: %[[AT:.*]] = arith.addi %row, %c64
  // CHECK: ttng.async_tma_copy_local_to_global %c[%[[AT]], %column] %[[TWO]]
  // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32} %[[ONE]], %[[TWO]] :
  tt.func public @parts_of_rows(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #columns>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    tt.descriptor_store %c[%row, %column], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #columns>
    tt.return
  }
  // Halves that lie in other warps are no pieces.
  // CHECK-LABEL: @whole
  // CHECK: %[[WHOLE:.*]] = ttg.local_alloc %tile : {{.*}} -> !ttg.memdesc<128x128xf16
  // CHECK-NEXT: ttng.async_tma_copy_local_to_global %c[%row, %column] %[[WHOLE]]
  // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32} %[[WHOLE]]
  tt.func public @whole(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #both>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    tt.descriptor_store %c[%row, %column], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #both>
    tt.return
  }
  // CHECK-LABEL: @rows
  // CHECK: %[[ONE:.*]] = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, {{.*}}, mutable>
  // CHECK-NEXT: %[[TWO:.*]] = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, {{.*}}, mutable>
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: scf.for
  // CHECK: %[[L:.*]], %[[R:.*]] = tt.split
  // CHECK-NEXT: ttng.async_tma_store_rows %c[%i, %column] %[[L]], %[[ONE]] {pendings = 1 : i32}
  // CHECK: ttng.async_tma_store_rows %c[%i, %{{.*}}] %[[R]], %[[TWO]] {pendings = 1 : i32}
  // CHECK-NOT: wait
  // CHECK: }
  // CHECK-NEXT: ttng.async_tma_store_wait {neso.by_groups, pendings = 0 : i32} %[[ONE]], %[[TWO]] :
  tt.func public @rows(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #acc>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    %c128 = arith.constant 128 : i32
    scf.for %i = %row to %m step %c128 : i32 {
      tt.descriptor_store %c[%i, %column], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #acc>
    }
    tt.return
  }
  // CHECK-LABEL: @turns
  // CHECK: %[[ONE:.*]] = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, {{.*}}, mutable>
  // CHECK-NEXT: %[[TWO:.*]] = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, {{.*}}, mutable>
  // CHECK-NEXT: scf.for
  // CHECK: ttng.async_tma_store_wait {pendings = 1 : i32} %[[ONE]]
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[ONE]]
  // CHECK-NEXT: ttng.async_tma_copy_local_to_global %c[%i, %column] %[[ONE]]
  // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 1 : i32} %[[TWO]]
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[TWO]]
  // CHECK: }
  // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32} %[[ONE]], %[[TWO]] :
  tt.func public @turns(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #turned>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    %c128 = arith.constant 128 : i32
    scf.for %i = %row to %m step %c128 : i32 {
      tt.descriptor_store %c[%i, %column], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #turned>
    }
    tt.return
  }
  // CHECK-LABEL: @again
  // CHECK: scf.for
  // CHECK-NOT: store_rows
  // CHECK: ttng.async_tma_store_wait {neso.written, pendings = 0 : i32}
  // CHECK: }
  tt.func public @again(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #acc>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    %c128 = arith.constant 128 : i32
    scf.for %i = %row to %m step %c128 : i32 {
      %x = tt.descriptor_load %c[%i, %column] : !tt.tensordesc<tensor<128x128xf16, #memory>> -> tensor<128x128xf16, #acc>
      %y = arith.addf %x, %tile : tensor<128x128xf16, #acc>
      tt.descriptor_store %c[%i, %column], %y : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #acc>
    }
    tt.return
  }
  // CHECK-LABEL: @same_place
  // CHECK: scf.for
  // CHECK: ttng.async_tma_store_rows %c[%row, %column] {{.*}} {neso.written, pendings = 0 : i32}
  // CHECK: ttng.async_tma_store_rows %c[%row, %{{.*}}] {{.*}} {pendings = 1 : i32}
  // CHECK: }
  tt.func public @same_place(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #acc>, %r: i32, %k: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    %c128 = arith.constant 128 : i32
    %row = arith.muli %r, %c128 : i32
    %column = arith.muli %k, %c128 : i32
    scf.for %i = %r to %m step %c128 : i32 {
      tt.descriptor_store %c[%row, %column], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #acc>
    }
    tt.return
  }
  // CHECK-LABEL: @shared_rows
  // CHECK: scf.for
  // CHECK-NOT: store_rows
  // CHECK: ttng.async_tma_store_wait {neso.written, pendings = 0 : i32} %[[ONE:.*]] :
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[ONE]]
  // CHECK: ttng.async_tma_store_wait {pendings = 1 : i32} %[[TWO:.*]] :
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[TWO]]
  // CHECK: }
  tt.func public @shared_rows(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #acc>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    %c64 = arith.constant 64 : i32
    scf.for %i = %row to %m step %c64 : i32 {
      tt.descriptor_store %c[%i, %column], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #acc>
    }
    tt.return
  }
  // Where only the inner loop goes on, the outer one comes back.
  // CHECK-LABEL: @comes_back
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: ttng.async_tma_store_wait {neso.written, pendings = 0 : i32}
  // CHECK: ttng.async_tma_copy_local_to_global
  tt.func public @comes_back(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #acc>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    %c128 = arith.constant 128 : i32
    scf.for %k = %row to %n step %c128 : i32 {
      scf.for %i = %row to %m step %c128 : i32 {
        tt.descriptor_store %c[%i, %column], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #acc>
      }
    }
    tt.return
  }
  // CHECK-LABEL: @both_go_on
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: ttng.async_tma_store_rows %c[%i, %k] {{.*}} {pendings = 1 : i32}
  tt.func public @both_go_on(%p: !tt.ptr<f16>, %m: i32, %n: i32, %tile: tensor<128x128xf16, #acc>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>> {neso.map = array<i64: 0, 0, 1, 1, 2, 1, 2, 1, -1, 1>}) {
    %c128 = arith.constant 128 : i32
    scf.for %k = %row to %n step %c128 : i32 {
      scf.for %i = %row to %m step %c128 : i32 {
        tt.descriptor_store %c[%i, %k], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #acc>
      }
    }
    tt.return
  }
  // Assembly behind it may tell others that it is there.
  // CHECK-LABEL: @told
  // CHECK: ttng.async_tma_store_wait {neso.written, pendings = 0 : i32}
  // CHECK: tt.elementwise_inline_asm
  tt.func public @told(%flag: i64, %tile: tensor<128x128xf16, #acc>, %row: i32, %column: i32, %c: !tt.tensordesc<tensor<128x128xf16, #memory>>) {
    tt.descriptor_store %c[%row, %column], %tile : !tt.tensordesc<tensor<128x128xf16, #memory>>, tensor<128x128xf16, #acc>
    %0 = tt.elementwise_inline_asm "red.release.gpu.global.add.u32 [$1], 1; mov.u32 $0, 0;" {constraints = "=r,l", packed_element = 1 : i32, pure = false} %flag : i64 -> i32
    tt.return
  }
}
