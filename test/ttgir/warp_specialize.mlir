// A loop that asks gets a warp of its own for its copies: rings and barriers in front of the op, in the partition the loops with
// what addresses come from, waits for free slots and the copies, in the default region waits for what was brought, products, and
// the slot before freed behind the wait for the product before. In a loop around it that asks, slots go on from tile to tile,
// and the last one is freed behind the inner loop. Constants of the partition stay in it.
// options: --pass=warp-specialize,pipeline,cse,dce --verify-each --stress --no-loc
#acc = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#la = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#lb = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#sa = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}, alignment = 16>
#sb = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0]]}, alignment = 16>
#sc = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @one
  // CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<[[SLOTS:[0-9]+]]x64x32xf16
  // CHECK: %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<[[SLOTS]]x32x64xf16
  // CHECK: %[[THERE:.*]] = ttg.local_alloc : () -> !ttg.memdesc<[[SLOTS]]x1xi64
  // CHECK: ttng.init_barrier {{.*}} {count = 1 : i32}
  // CHECK: %[[FREE:.*]] = ttg.local_alloc : () -> !ttg.memdesc<[[SLOTS]]x1xi64
  // CHECK: ttng.init_barrier {{.*}} {count = 4 : i32}
  // CHECK: ttg.warp_specialize(%n, %[[THERE]], %[[FREE]], %[[A]], %[[B]], %a, %row, %b)
  // CHECK-NEXT: default {
  // CHECK-NEXT: %[[L:.*]]:3 = scf.for %[[K:.*]] = %c0 to %n step %c1 iter_args(%[[ACC:.*]] = {{.*}}, %[[SLOT:.*]] = %c0, %[[PARITY:.*]] = %c0)
  // CHECK: %[[HERE:.*]] = ttg.memdesc_index %[[THERE]][%[[SLOT]]]
  // CHECK-NEXT: ttng.wait_barrier %[[HERE]], %[[PARITY]]
  // CHECK: %[[X:.*]] = ttg.memdesc_index %[[A]][%[[SLOT]]]
  // CHECK: %[[Y:.*]] = ttg.memdesc_index %[[B]][%[[SLOT]]]
  // CHECK: %[[DOT:.*]] = ttng.warp_group_dot %[[X]], %[[Y]], %[[ACC]] {inputPrecision = 0 : i32, isAsync = true}
  // CHECK-NEXT: ttng.warp_group_dot_wait %[[DOT]] {pendings = 1 : i32}
  // CHECK: %[[SOME:.*]] = arith.cmpi uge
  // CHECK: %[[LAST:.*]] = arith.select
  // CHECK-NEXT: %[[DONE:.*]] = ttg.memdesc_index %[[FREE]][%[[LAST]]]
  // CHECK-NEXT: ttng.arrive_barrier %[[DONE]], %[[SOME]]
  // CHECK: ttng.warp_group_dot_wait %[[L]]#0 {pendings = 0 : i32}
  // CHECK-NEXT: ttg.warp_yield
  // CHECK: partition0(%[[N:[^:]*]]: i32, {{.*}}) num_warps(1) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: scf.for %{{.*}} = %[[ZERO]] to %[[N]] step %[[ONE]] iter_args(%[[S:.*]] = %[[ZERO]], %[[P:.*]] = %[[ONE]])
  // CHECK-NOT: warp_group_dot
  // CHECK: ttng.wait_free %{{.*}}, %[[P]], %
  // CHECK-NEXT: ttng.barrier_expect {{.*}} {size = 8192 : i32}
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local {{.*}} {neso.free_slot}
  // CHECK-NEXT: ttng.async_tma_copy_global_to_local {{.*}} {neso.free_slot}
  // CHECK: ttg.warp_return
  // CHECK: ttng.inval_barrier
  tt.func public @one(%n: i32, %row: i32, %a: !tt.tensordesc<tensor<64x32xf16, #sa>>, %b: !tt.tensordesc<tensor<32x64xf16, #sb>>, %c: !tt.tensordesc<tensor<64x64xf16, #sc>>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #acc>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>)  : i32 {
      %at = arith.muli %k, %c32 : i32
      %x = tt.descriptor_load %a[%row, %at] : !tt.tensordesc<tensor<64x32xf16, #sa>> -> tensor<64x32xf16, #la>
      %y = tt.descriptor_load %b[%at, %c0] : !tt.tensordesc<tensor<32x64xf16, #sb>> -> tensor<32x64xf16, #lb>
      %xm = ttg.local_alloc %x : (tensor<64x32xf16, #la>) -> !ttg.memdesc<64x32xf16, #sa, #smem>
      %ym = ttg.local_alloc %y : (tensor<32x64xf16, #lb>) -> !ttg.memdesc<32x64xf16, #sb, #smem>
      %d = ttng.warp_group_dot %xm, %ym, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf16, #sa, #smem> * !ttg.memdesc<32x64xf16, #sb, #smem> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    } {tt.num_stages = 3 : i32, tt.warp_specialize}
    %h = arith.truncf %r : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    tt.descriptor_store %c[%row, %c0], %h : !tt.tensordesc<tensor<64x64xf16, #sc>>, tensor<64x64xf16, #acc>
    tt.return
  }
  // CHECK-LABEL: @tiles
  // CHECK: ttg.warp_specialize
  // CHECK: default {
  // CHECK-NEXT: %{{.*}}:2 = scf.for %[[T:.*]] = %c0 to %n step %c1 iter_args(%[[FROM:.*]] = %c0, %[[TURN:.*]] = %c0)
  // CHECK: %[[IN:.*]]:3 = scf.for {{.*}} iter_args({{.*}}, %{{.*}} = %[[FROM]], %{{.*}} = %[[TURN]])
  // CHECK: ttng.warp_group_dot_wait %[[IN]]#0 {pendings = 0 : i32}
  // CHECK: %[[RAN:.*]] = arith.cmpi slt, %c0, %n
  // CHECK: ttng.arrive_barrier %{{.*}}, %[[RAN]]
  // CHECK: tt.descriptor_store
  // CHECK: scf.yield %[[IN]]#1, %[[IN]]#2
  // CHECK: partition0
  // CHECK: %{{.*}}:2 = scf.for %[[TILE:.*]] = {{.*}} iter_args(%[[PF:.*]] = {{.*}}, %[[PT:.*]] = {{.*}})
  // CHECK: %[[ROW:.*]] = arith.muli %[[TILE]],
  // CHECK: %[[PIN:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[PF]], %{{.*}} = %[[PT]])
  // CHECK: ttng.async_tma_copy_global_to_local %{{[^[]*}}[%[[ROW]],
  // CHECK: scf.yield %[[PIN]]#0, %[[PIN]]#1
  tt.func public @tiles(%n: i32, %ap: !tt.ptr<f16>, %bp: !tt.ptr<f16>, %cp: !tt.ptr<f16>, %a: !tt.tensordesc<tensor<64x32xf16, #sa>> {neso.map = array<i64: 1, 0, 0, 1, 0, 1, 0, 1, -1, 1>}, %b: !tt.tensordesc<tensor<32x64xf16, #sb>> {neso.map = array<i64: 2, 0, 0, 1, 0, 1, 0, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #sc>> {neso.map = array<i64: 3, 0, 0, 1, 0, 1, 0, 1, -1, 1>}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #acc>
    scf.for %t = %c0 to %n step %c1  : i32 {
      %row = arith.muli %t, %c32 : i32
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>)  : i32 {
        %at = arith.muli %k, %c32 : i32
        %x = tt.descriptor_load %a[%row, %at] : !tt.tensordesc<tensor<64x32xf16, #sa>> -> tensor<64x32xf16, #la>
        %y = tt.descriptor_load %b[%at, %c0] : !tt.tensordesc<tensor<32x64xf16, #sb>> -> tensor<32x64xf16, #lb>
        %xm = ttg.local_alloc %x : (tensor<64x32xf16, #la>) -> !ttg.memdesc<64x32xf16, #sa, #smem>
        %ym = ttg.local_alloc %y : (tensor<32x64xf16, #lb>) -> !ttg.memdesc<32x64xf16, #sb, #smem>
        %d = ttng.warp_group_dot %xm, %ym, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf16, #sa, #smem> * !ttg.memdesc<32x64xf16, #sb, #smem> -> tensor<64x64xf32, #acc>
        scf.yield %d : tensor<64x64xf32, #acc>
      } {tt.num_stages = 3 : i32}
      %h = arith.truncf %r : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      tt.descriptor_store %c[%row, %c0], %h : !tt.tensordesc<tensor<64x64xf16, #sc>>, tensor<64x64xf16, #acc>
    } {tt.warp_specialize}
    tt.return
  }
  // A tile that loads what the one before stored does not go on: roles begin and end with each.
  // CHECK-LABEL: @chain
  // CHECK: scf.for
  // CHECK: ttg.warp_specialize
  // CHECK: default {
  // CHECK: tt.descriptor_store
  tt.func public @chain(%n: i32, %ap: !tt.ptr<f16>, %bp: !tt.ptr<f16>, %cp: !tt.ptr<f16>, %a: !tt.tensordesc<tensor<64x32xf16, #sa>> {neso.map = array<i64: 1, 0, 0, 1, 0, 1, 0, 1, -1, 1>}, %b: !tt.tensordesc<tensor<32x64xf16, #sb>> {neso.map = array<i64: 2, 0, 0, 1, 0, 1, 0, 1, -1, 1>}, %c: !tt.tensordesc<tensor<64x64xf16, #sc>> {neso.map = array<i64: 1, 0, 0, 1, 0, 1, 0, 1, -1, 1>}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #acc>
    scf.for %t = %c0 to %n step %c1  : i32 {
      %row = arith.muli %t, %c32 : i32
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>)  : i32 {
        %at = arith.muli %k, %c32 : i32
        %x = tt.descriptor_load %a[%row, %at] : !tt.tensordesc<tensor<64x32xf16, #sa>> -> tensor<64x32xf16, #la>
        %y = tt.descriptor_load %b[%at, %c0] : !tt.tensordesc<tensor<32x64xf16, #sb>> -> tensor<32x64xf16, #lb>
        %xm = ttg.local_alloc %x : (tensor<64x32xf16, #la>) -> !ttg.memdesc<64x32xf16, #sa, #smem>
        %ym = ttg.local_alloc %y : (tensor<32x64xf16, #lb>) -> !ttg.memdesc<32x64xf16, #sb, #smem>
        %d = ttng.warp_group_dot %xm, %ym, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf16, #sa, #smem> * !ttg.memdesc<32x64xf16, #sb, #smem> -> tensor<64x64xf32, #acc>
        scf.yield %d : tensor<64x64xf32, #acc>
      } {tt.num_stages = 3 : i32}
      %h = arith.truncf %r : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      tt.descriptor_store %c[%row, %c0], %h : !tt.tensordesc<tensor<64x64xf16, #sc>>, tensor<64x64xf16, #acc>
    } {tt.warp_specialize}
    tt.return
  }
}
