// Index arithmetic is computed just before it is needed: that of the store behind the loop, that of the load in front of it. What
// nobody needs goes; loads and what depends on them stay.
// run: codegen_tool --target sm_80 --warps 4 --pass reorder-instructions %s
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @kernel
  // CHECK: %[[BASE:.*]] = arith.muli
  // CHECK: %[[ZERO:.*]] = arith.constant dense
  // CHECK-NEXT: %[[X:.*]] = tt.splat %x
  // CHECK-NEXT: %[[R:.*]] = tt.make_range
  // CHECK-NEXT: %[[P:.*]] = tt.addptr %[[X]], %[[R]]
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: %[[V:.*]] = tt.load %[[P]]
  // CHECK-NEXT: arith.addf
  // CHECK: }
  // CHECK-NEXT: %[[O:.*]] = tt.splat %o
  // CHECK-NEXT: %[[S:.*]] = tt.splat %[[BASE]]
  // CHECK-NEXT: %[[A:.*]] = arith.addi %[[R]], %[[S]]
  // CHECK-NEXT: %[[Q:.*]] = tt.addptr %[[O]], %[[A]]
  // CHECK-NEXT: tt.store %[[Q]]
  // CHECK-NEXT: tt.return
  tt.func public @kernel(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %base = arith.muli %n, %n : i32
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #l>
    %dead = arith.addi %r, %r : tensor<512xi32, #l>
    %s = tt.splat %base : i32 -> tensor<512xi32, #l>
    %a = arith.addi %r, %s : tensor<512xi32, #l>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %q = tt.addptr %os, %a : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %zero = arith.constant dense<0.000000e+00> : tensor<512xf32, #l>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (tensor<512xf32, #l>) : i32 {
      %v = tt.load %p : tensor<512x!tt.ptr<f32>, #l>
      %u = arith.addf %t, %v : tensor<512xf32, #l>
      scf.yield %u : tensor<512xf32, #l>
    }
    tt.store %q, %sum : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
  // A tile that is widened in front of a reduction and needed behind it is widened there; not where no reduction stands between.
  // CHECK-LABEL: @widened
  // CHECK: %[[W:.*]] = tt.load
  // CHECK-NEXT: %[[F:.*]] = arith.extf %[[W]]
  // CHECK-NEXT: %[[V:.*]] = tt.load
  // CHECK-NEXT: "tt.reduce"(%[[F]])
  // CHECK: %[[G:.*]] = arith.extf %[[V]]
  // CHECK-NEXT: arith.addf %[[G]]
  tt.func public @widened(%p: tensor<512x!tt.ptr<f16>, #l>, %q: tensor<512x!tt.ptr<f32>, #l>) {
    %w = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %w : tensor<512xf16, #l> to tensor<512xf32, #l>
    %v = tt.load %p {isVolatile = true} : tensor<512x!tt.ptr<f16>, #l>
    %g = arith.extf %v : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %y = arith.addf %g, %t : tensor<512xf32, #l>
    tt.store %q, %y : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
}
