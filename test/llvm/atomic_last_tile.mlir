// Several operations of a thread have a fence in front, and one behind where something of the kernel follows; not at its end, where that
// would wait until all have been done.
// options: --pass allocate,barriers --emit ptx --kernel k
#r = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: .visible .entry k(
  // CHECK: fence.acq_rel.gpu
  // CHECK-COUNT-2: atom.global.gpu.relaxed.add.f32
  // CHECK: fence.acq_rel.gpu
  // CHECK: ld.global
  // CHECK: fence.acq_rel.gpu
  // CHECK-COUNT-2: atom.global.gpu.relaxed.add.f32
  // CHECK-NOT: fence
  // CHECK: ret;
  tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #r>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #r>
    %at = tt.addptr %ps, %i : tensor<256x!tt.ptr<f32>, #r>, tensor<256xi32, #r>
    %one = arith.constant dense<1.0> : tensor<256xf32, #r>
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %at, %one : (tensor<256x!tt.ptr<f32>, #r>, tensor<256xf32, #r>) -> tensor<256xf32, #r>
    %x = tt.load %q : !tt.ptr<f32>
    %xs = tt.splat %x : f32 -> tensor<256xf32, #r>
    %1 = tt.atomic_rmw fadd, acq_rel, gpu, %at, %xs : (tensor<256x!tt.ptr<f32>, #r>, tensor<256xf32, #r>) -> tensor<256xf32, #r>
    tt.return
  }
}
