// The threads meet behind a scalar's acquire, but not where the kernel ends: in a branch neither. There it acquires for nobody.
// options: --pass allocate,barriers --emit ptx --kernel k
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: .visible .entry k(
  // CHECK: bar.sync 0;
  // CHECK: atom.global.gpu.acq_rel.add.u32
  // CHECK: bar.sync 0;
  // CHECK: ld.global
  // CHECK: bar.sync 0;
  // CHECK: atom.global.gpu.release.add.u32
  // CHECK-NOT: bar.sync
  // CHECK: ret;
  tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %c1 : (!tt.ptr<i32>, i32) -> i32
    %1 = tt.load %q : !tt.ptr<i32>
    %2 = arith.cmpi slt, %n, %1 : i32
    scf.if %2 {
      %3 = tt.addptr %p, %c1 : !tt.ptr<i32>, i32
      %4 = tt.atomic_rmw add, acq_rel, gpu, %3, %1 : (!tt.ptr<i32>, i32) -> i32
    }
    tt.return
  }
}
