// Counts in shared memory, by additions whose old value nobody wants; values outside and masked ones add nothing; copies count once.
// options: --emit llir
#x = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [0]], block = []}>
#y = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<128xi32, #x>, %m: tensor<128xi1, #x>) {
    // CHECK: store i32 0, ptr addrspace(3)
    // CHECK: call void @neso.barrier()
    // CHECK: icmp ult i32 {{.*}}, 32
    // CHECK: atomicrmw add ptr addrspace(3) {{.*}}, i32 1 monotonic
    // CHECK: atomicrmw add ptr addrspace(3) {{.*}}, i32 1 monotonic
    // CHECK-NOT: atomicrmw
    // CHECK: call void @neso.barrier()
    // CHECK: load i32, ptr addrspace(3)
    %0 = tt.histogram %x, %m {allocation.offset = 0 : i32} : tensor<128xi32, #x> -> tensor<32xi32, #y>
    tt.call @use(%0) : (tensor<32xi32, #y>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<32xi32, #y>) attributes {noinline = true} {
    tt.return
  }
}
