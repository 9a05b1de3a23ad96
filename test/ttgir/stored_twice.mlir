// A barrier between a store of a tile and another store or a load of it in another layout: an
// element's are by two threads.
// options: --pass=allocate,barriers --verify-each --no-loc

#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#words = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @stored_twice(
tt.func public @stored_twice(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %x: tensor<512xi32, #rows>, %y: tensor<512xi32, #words>) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #rows>
  %pa = tt.addptr %ps, %r : tensor<512x!tt.ptr<i32>, #rows>, tensor<512xi32, #rows>
  %s = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #words>
  %qs = tt.splat %p : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #words>
  %qa = tt.addptr %qs, %s : tensor<512x!tt.ptr<i32>, #words>, tensor<512xi32, #words>
  %os = tt.splat %q : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #words>
  %oa = tt.addptr %os, %s : tensor<512x!tt.ptr<i32>, #words>, tensor<512xi32, #words>
  // The same layout, and another array.
  // CHECK: tt.store
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.store
  tt.store %pa, %x : tensor<512x!tt.ptr<i32>, #rows>
  tt.store %pa, %x : tensor<512x!tt.ptr<i32>, #rows>
  tt.store %oa, %y : tensor<512x!tt.ptr<i32>, #words>
  // Another place of the array.
  // CHECK-NEXT: arith.constant
  // CHECK-NEXT: arith.addi
  // CHECK-NEXT: tt.addptr
  // CHECK-NEXT: tt.store
  %far = arith.constant dense<512> : tensor<512xi32, #words>
  %t = arith.addi %s, %far : tensor<512xi32, #words>
  %ta = tt.addptr %qs, %t : tensor<512x!tt.ptr<i32>, #words>, tensor<512xi32, #words>
  tt.store %ta, %y : tensor<512x!tt.ptr<i32>, #words>
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.store
  tt.store %qa, %y : tensor<512x!tt.ptr<i32>, #words>
  // CHECK-NEXT: tt.return
  tt.return
}
// CHECK-LABEL: @stored_and_loaded(
tt.func public @stored_and_loaded(%p: !tt.ptr<i32>, %x: tensor<512xi32, #rows>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #rows>
  %pa = tt.addptr %ps, %r : tensor<512x!tt.ptr<i32>, #rows>, tensor<512xi32, #rows>
  %s = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #words>
  %qs = tt.splat %p : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #words>
  %qa = tt.addptr %qs, %s : tensor<512x!tt.ptr<i32>, #words>, tensor<512xi32, #words>
  %far = arith.constant dense<512> : tensor<512xi32, #words>
  %t = arith.addi %s, %far : tensor<512xi32, #words>
  %ta = tt.addptr %qs, %t : tensor<512x!tt.ptr<i32>, #words>, tensor<512xi32, #words>
  %step = arith.constant dense<1024> : tensor<512xi32, #rows>
  %step2 = arith.constant dense<1024> : tensor<512xi32, #words>
  // In one layout, and from another place.
  // CHECK: tt.store
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.load
  tt.store %pa, %x : tensor<512x!tt.ptr<i32>, #rows>
  %a = tt.load %pa : tensor<512x!tt.ptr<i32>, #rows>
  %b = tt.load %ta : tensor<512x!tt.ptr<i32>, #words>
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.load
  %c = tt.load %qa : tensor<512x!tt.ptr<i32>, #words>
  // Pointers that a loop carries in both.
  // CHECK: scf.for
  // CHECK: tt.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.load
  %d:2 = scf.for %i = %zero to %n step %one iter_args(%pi = %pa, %qi = %qa) -> (tensor<512x!tt.ptr<i32>, #rows>, tensor<512x!tt.ptr<i32>, #words>) : i32 {
    tt.store %pi, %x : tensor<512x!tt.ptr<i32>, #rows>
    %e = tt.load %qi : tensor<512x!tt.ptr<i32>, #words>
    %pn = tt.addptr %pi, %step : tensor<512x!tt.ptr<i32>, #rows>, tensor<512xi32, #rows>
    %qn = tt.addptr %qi, %step2 : tensor<512x!tt.ptr<i32>, #words>, tensor<512xi32, #words>
    scf.yield %pn, %qn : tensor<512x!tt.ptr<i32>, #rows>, tensor<512x!tt.ptr<i32>, #words>
  }
  tt.return
}
}
