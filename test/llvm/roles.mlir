// Warps with code of their own: the others wait where they begin for the number of an op, which one thread of the kernel's warps
// writes with what is not known to all; registers move at the start; everybody meets by number, the kernel's warps too.
// llvm: 22
// options: --emit llir --warps 4
#shared = #ttg.shared_linear<{offset = []}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 64 : i32} {
  // CHECK: define ptx_kernel void @k(ptr addrspace(1) %0, i32 %1) #[[KERNEL:[0-9]+]]
  // CHECK: call range(i32 0, 256) i32 @neso.tid_x()
  // CHECK: %[[WARP:.*]] = call i32 @neso.warp_uniform
  // CHECK: %[[OTHER:.*]] = icmp ugt i32 %[[WARP]], 3
  // CHECK: br i1 %[[OTHER]], label %others, label %body
  // CHECK: body:
  // CHECK: call void @neso.setmaxnreg.inc.216()
  tt.func public @k(%p: !tt.ptr<i32>, %n: i32) {
    // CHECK: others:
    // CHECK-NEXT: call void @neso.setmaxnreg.dec.40()
    // CHECK: wait:
    // CHECK-NEXT: call void @neso.named_barrier(i32 1, i32 256)
    // CHECK-NEXT: %[[WHICH:.*]] = load volatile i32, ptr addrspace(3)
    // CHECK-NEXT: switch i32 %[[WHICH]], label %ended [
    // CHECK-NEXT: i32 1, label %role
    // CHECK: ended:
    // CHECK-NEXT: ret void
    // CHECK: store volatile i32 1, ptr addrspace(3)
    // CHECK-NEXT: store i32 %[[X:.*]], ptr addrspace(3)
    // CHECK: call void @neso.named_barrier(i32 1, i32 256)
    // CHECK-NEXT: call void @neso.named_barrier(i32 2, i32 128)
    // CHECK-NEXT: call void @neso.named_barrier(i32 1, i32 256)
    // CHECK: role:
    // CHECK: br i1 %{{.*}}, label %[[IN:.*]], label %[[OUT:.*]]
    // CHECK: [[IN]]:
    // CHECK: load i32, ptr addrspace(3)
    // CHECK: call void @neso.named_barrier(i32 3, i32 32)
    // CHECK: [[OUT]]:
    // CHECK-NEXT: call void @neso.named_barrier(i32 1, i32 256)
    // CHECK-NEXT: br label %wait
    // CHECK: store volatile i32 0, ptr addrspace(3)
    // CHECK: call void @neso.named_barrier(i32 1, i32 256)
    // CHECK-NEXT: ret void
    // CHECK: attributes #[[KERNEL]] = {{{.*}}"nvvm.maxnreg"="128"{{.*}}"nvvm.reqntid"="256"
    %x = tt.get_program_id x : i32
    %y = arith.addi %x, %n : i32
    ttg.warp_specialize(%y, %p) attributes {actualRegisters = array<i32: 216, 40>, allocation.offset = 16 : i32}
    default {
      gpu.barrier
      ttg.warp_yield
    }
    partition0(%z: i32, %q: !tt.ptr<i32>) num_warps(1) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      scf.for %i = %c0 to %z step %c1  : i32 {
        gpu.barrier
      }
      ttg.warp_return
    } : (i32, !tt.ptr<i32>) -> ()
    tt.return
  }
}
