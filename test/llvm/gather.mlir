// Where each warp holds what its indices ask for: a shuffle for each register that may be meant. Else through shared memory.
// options: --emit llir
#in = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#flat = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<16x16xf32, #in>, %i: tensor<16x16xi32, #in>, %y: tensor<512xi16, #flat>, %j: tensor<512xi8, #flat>) {
    // CHECK: call i32 @neso.shfl_idx(
    // CHECK: call i32 @neso.shfl_idx(
    // CHECK: select i1
    // CHECK: call i32 @neso.shfl_idx(
    // CHECK: call i32 @neso.shfl_idx(
    // CHECK: select i1
    %0 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<16x16xf32, #in>, tensor<16x16xi32, #in>) -> tensor<16x16xf32, #in>
    // CHECK: store <2 x i32> {{.*}} align 8
    // CHECK: call void @neso.barrier()
    // CHECK: sext i8
    // CHECK: load i16, ptr addrspace(3)
    // CHECK: load i16, ptr addrspace(3)
    // CHECK-NOT: barrier
    %1 = tt.gather %y[%j] {allocation.offset = 0 : i32, axis = 0 : i32} : (tensor<512xi16, #flat>, tensor<512xi8, #flat>) -> tensor<512xi16, #flat>
    // CHECK: call void @use(
    tt.call @use(%0, %1) : (tensor<16x16xf32, #in>, tensor<512xi16, #flat>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<16x16xf32, #in>, %a1: tensor<512xi16, #flat>) attributes {noinline = true} {
    tt.return
  }
}
