// Barriers between accesses of global memory: where a store would overtake what other warps load, or all load what one thread stores.
// options: --pass=convert-ttir-to-ttgir,coalesce,allocate,barriers --verify-each --stress --no-loc

// The same elements by the same threads, and another array.
// CHECK-LABEL: @in_place(
tt.func public @in_place(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %pa = tt.addptr %ps, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %x = tt.load %pa : tensor<1024x!tt.ptr<i32>>
  // CHECK-NOT: gpu.barrier
  tt.store %pa, %x : tensor<1024x!tt.ptr<i32>>
  %y = tt.load %q : !tt.ptr<i32>
  tt.store %o, %y : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: @scalar(
tt.func public @scalar(%p: !tt.ptr<i32>) {
  // CHECK: tt.load
  %x = tt.load %p : !tt.ptr<i32>
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.store
  tt.store %p, %x : !tt.ptr<i32>
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.load
  %y = tt.load %p : !tt.ptr<i32>
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.atomic_rmw
  %z = tt.atomic_rmw add, relaxed, gpu, %p, %y : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.load
  // CHECK-NEXT: tt.atomic_rmw
  %w = tt.load %p : !tt.ptr<i32>
  %v = tt.atomic_rmw add, acq_rel, gpu, %p, %w : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// Sixteen elements: each warp has copies.
// CHECK-LABEL: @copies(
tt.func public @copies(%p: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %pa = tt.addptr %ps, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  // CHECK: tt.load
  %x = tt.load %pa : tensor<16x!tt.ptr<i32>>
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.store
  tt.store %pa, %x : tensor<16x!tt.ptr<i32>>
  tt.return
}

// Blocks of 1024 do not overlap, whichever iterations they are of; what goes by a step that is not known may.
// CHECK-LABEL: @blocks(
tt.func public @blocks(%p: !tt.ptr<i32>, %n: i32, %step: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = arith.constant 1024 : i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK-NEXT: tt.store
  scf.for %k = %c0 to %n step %c1 : i32 {
    %kb = arith.muli %k, %b : i32
    %ks = tt.splat %kb : i32 -> tensor<1024xi32>
    %i = arith.addi %ks, %r : tensor<1024xi32>
    %pa = tt.addptr %ps, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
    %x = tt.load %pa : tensor<1024x!tt.ptr<i32>>
    tt.store %pa, %x : tensor<1024x!tt.ptr<i32>>
  }
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.store
  scf.for %k = %c0 to %n step %c1 : i32 {
    %kb = arith.muli %k, %step : i32
    %ks = tt.splat %kb : i32 -> tensor<1024xi32>
    %i = arith.addi %ks, %r : tensor<1024xi32>
    %pa = tt.addptr %ps, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
    %x = tt.load %pa : tensor<1024x!tt.ptr<i32>>
    tt.store %pa, %x : tensor<1024x!tt.ptr<i32>>
  }
  tt.return
}

// Pointers that a loop moves are still of their array; those that a branch chooses may be of any.
// CHECK-LABEL: @moved(
tt.func public @moved(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK-NEXT: tt.addptr
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%at = %p) -> (!tt.ptr<i32>) : i32 {
    %x = tt.load %at : !tt.ptr<i32>
    %next = tt.addptr %at, %c1 : !tt.ptr<i32>, i32
    // CHECK-NEXT: tt.store
    tt.store %q, %x : !tt.ptr<i32>
    scf.yield %next : !tt.ptr<i32>
  }
  // CHECK: scf.if
  %one = scf.if %c -> (!tt.ptr<i32>) {
    scf.yield %p : !tt.ptr<i32>
  } else {
    scf.yield %q : !tt.ptr<i32>
  }
  // CHECK: gpu.barrier
  // CHECK-NEXT: tt.store
  tt.store %one, %n : !tt.ptr<i32>
  tt.return
}

// What a function that is called does with memory; one that only computes is no reason to wait.
tt.func private @get(%p: !tt.ptr<i32>) -> i32 attributes {noinline = true} {
  %x = tt.load %p : !tt.ptr<i32>
  tt.return %x : i32
}
tt.func private @put(%p: !tt.ptr<i32>, %x: i32) attributes {noinline = true} {
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}
tt.func private @twice(%x: i32) -> i32 attributes {noinline = true} {
  %y = arith.addi %x, %x : i32
  tt.return %y : i32
}
// CHECK-LABEL: @calls(
tt.func public @calls(%p: !tt.ptr<i32>) {
  // CHECK: tt.call @get
  // CHECK-NEXT: tt.call @get
  // CHECK-NEXT: tt.call @twice
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.store
  %x = tt.call @get(%p) : (!tt.ptr<i32>) -> i32
  %w = tt.call @get(%p) : (!tt.ptr<i32>) -> i32
  %y = tt.call @twice(%x) : (i32) -> i32
  tt.store %p, %y : !tt.ptr<i32>
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.call @put
  %z = tt.load %p : !tt.ptr<i32>
  tt.call @put(%p, %z) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
