// Loads that a loop waits for where they stand begin in front of the product before theirs, in branches that do nothing but load too,
// with what their addresses are made of; numbers that these are loaded from go in front of one product more. Not across a store, and
// not what comes from that product.
// run: neso opt --pass=hoist-loads --verify-each --no-loc --target sm_90a %s
#acc = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#tile = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#shared = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @branches
  // CHECK: scf.for
  // CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>
  // CHECK: %[[V:.*]] = scf.if
  // CHECK: tt.load %{{.*}}, %m :
  // CHECK: else
  // CHECK: tt.load
  // CHECK: ttg.local_alloc
  // CHECK: ttng.warp_group_dot
  // CHECK-NOT: tt.load
  // CHECK: ttg.local_alloc %[[V]]
  // CHECK: ttng.warp_group_dot
  tt.func public @branches(%q: !ttg.memdesc<64x64xf16, #shared, #smem>, %p: tensor<64x64x!tt.ptr<f16>, #tile>, %m: tensor<64x64xi1, #tile>,
                           %o: tensor<64x64xi32, #tile>, %n: i32, %f: i1, %x: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64x64xf32, #acc>)  : i32 {
      %k = tt.load %p : tensor<64x64x!tt.ptr<f16>, #tile>
      %ks = ttg.local_alloc %k : (tensor<64x64xf16, #tile>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %s = ttng.warp_group_dot %q, %ks, %x : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #acc>
      %h = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %at = tt.addptr %p, %o : tensor<64x64x!tt.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
      %v = scf.if %f -> (tensor<64x64xf16, #tile>) {
        %1 = tt.load %at, %m : tensor<64x64x!tt.ptr<f16>, #tile>
        scf.yield %1 : tensor<64x64xf16, #tile>
      } else {
        %2 = tt.load %at : tensor<64x64x!tt.ptr<f16>, #tile>
        scf.yield %2 : tensor<64x64xf16, #tile>
      }
      %vs = ttg.local_alloc %v : (tensor<64x64xf16, #tile>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttng.warp_group_dot %h, %vs, %a : tensor<64x64xf16, #acc> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #acc>
      scf.yield %b : tensor<64x64xf32, #acc>
    }
    tt.return %r : tensor<64x64xf32, #acc>
  }
  // CHECK-LABEL: @stays
  // CHECK: scf.for
  // CHECK: ttng.warp_group_dot
  // CHECK: tt.store
  // CHECK: tt.load
  // CHECK: ttng.warp_group_dot
  tt.func public @stays(%q: !ttg.memdesc<64x64xf16, #shared, #smem>, %p: tensor<64x64x!tt.ptr<f16>, #tile>, %to: tensor<64x64x!tt.ptr<f32>, #acc>,
                        %n: i32, %x: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64x64xf32, #acc>)  : i32 {
      %k = tt.load %p : tensor<64x64x!tt.ptr<f16>, #tile>
      %ks = ttg.local_alloc %k : (tensor<64x64xf16, #tile>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %s = ttng.warp_group_dot %q, %ks, %x : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #acc>
      tt.store %to, %s : tensor<64x64x!tt.ptr<f32>, #acc>
      %h = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #tile>
      %vs = ttg.local_alloc %v : (tensor<64x64xf16, #tile>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttng.warp_group_dot %h, %vs, %a : tensor<64x64xf16, #acc> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #acc>
      scf.yield %b : tensor<64x64xf32, #acc>
    }
    tt.return %r : tensor<64x64xf32, #acc>
  }
  // Assembly that is not pure may store as well.
  // CHECK-LABEL: @behind_assembly
  // CHECK: scf.for
  // CHECK: ttng.warp_group_dot
  // CHECK: tt.elementwise_inline_asm
  // CHECK: tt.load
  // CHECK: ttng.warp_group_dot
  tt.func public @behind_assembly(%q: !ttg.memdesc<64x64xf16, #shared, #smem>, %p: tensor<64x64x!tt.ptr<f16>, #tile>,
                                  %n: i32, %x: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64x64xf32, #acc>)  : i32 {
      %k = tt.load %p : tensor<64x64x!tt.ptr<f16>, #tile>
      %ks = ttg.local_alloc %k : (tensor<64x64xf16, #tile>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %s = ttng.warp_group_dot %q, %ks, %x : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #acc>
      %u = tt.elementwise_inline_asm "other $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %s : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #acc>
      %h = arith.truncf %u : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #tile>
      %vs = ttg.local_alloc %v : (tensor<64x64xf16, #tile>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttng.warp_group_dot %h, %vs, %a : tensor<64x64xf16, #acc> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #acc>
      scf.yield %b : tensor<64x64xf32, #acc>
    }
    tt.return %r : tensor<64x64xf32, #acc>
  }
}
