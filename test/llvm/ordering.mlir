// What LLVM must not move or merge: loads of what others write, and anything over an atomic, also where it is known to lie elsewhere.
// options: --emit llir --kernel spin
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @spin(
  // CHECK: while:
  // CHECK: load volatile i32, ptr addrspace(1)
  // CHECK: br i1
  tt.func public @spin(%flag: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    scf.while : () -> () {
      %f = tt.load %flag cacheModifier = cv : !tt.ptr<i32>
      %again = arith.cmpi eq, %f, %c0 : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    tt.return
  }
  // CHECK-LABEL: @hinted(
  // CHECK: call i32 @neso.ld_fresh.always.cg.v1b32(
  // CHECK: call i32 @neso.ld_fresh.always.cg.v1b32(
  tt.func public @hinted(%p: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
    %a = tt.load %p cacheModifier = cg : !tt.ptr<i32>
    gpu.barrier
    %b = tt.load %p cacheModifier = cg : !tt.ptr<i32>
    %s = arith.addi %a, %b : i32
    tt.store %o, %s : !tt.ptr<i32>
    tt.return
  }
  // CHECK-LABEL: @locked(
  // CHECK: load i32, ptr addrspace(1)
  // CHECK: call {{.*}} @neso.atom_global.acq_rel.gpu.add.u32.always.v1b32(
  // CHECK: call void @neso.barrier()
  // CHECK: load i32, ptr addrspace(1)
  // CHECK: ret void
  tt.func public @locked(%p: !tt.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %q = tt.addptr %p, %c1 : !tt.ptr<i32>, i32
    %o = tt.addptr %p, %c2 : !tt.ptr<i32>, i32
    %a = tt.load %q : !tt.ptr<i32>
    %old = tt.atomic_rmw add, acq_rel, gpu, %p, %c1 : (!tt.ptr<i32>, i32) -> i32
    %b = tt.load %q : !tt.ptr<i32>
    %s = arith.addi %a, %b : i32
    tt.store %o, %s : !tt.ptr<i32>
    tt.return
  }
}
