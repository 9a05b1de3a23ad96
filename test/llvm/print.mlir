// tt.print: one call of vprintf for each element, with the place that upstream writes; a tile's elements that several threads hold are
// printed by one. tt.assert: __assertfail with message, file, line and function, and no thread goes on before all have checked.
// options: --emit llir
#l = #ttg.linear<{register = [[1], [0]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-DAG: c"pid (%u, %u, %u) idx (%2u) x: %f\0A\00"
  // CHECK-DAG: c"pid (%u, %u, %u) idx () 100%% (operand 0) 0x%08x\0A\00"
  // CHECK-DAG: c"pid (%u, %u, %u) idx () 100%% (operand 1) 0x%016llx\0A\00"
  // CHECK-DAG: c"pid (%u, %u, %u) idx () s: %lli\0A\00"
  // CHECK-DAG: c"pid (%u, %u, %u) here\0A\00"
  // CHECK-DAG: c"out of range\00"
  // CHECK-DAG: c"kernels.py\00"
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%t: tensor<64xf32, #l>, %n: i32, %m: i64, %p: tensor<64xi1, #l>) {
    // CHECK: alloca { i32, i32, i32, i32, double }
    // CHECK: icmp {{.*}}ult i32 %{{.*}}, 32
    // CHECK: then:
    // CHECK-COUNT-2: call i32 @vprintf(
    tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %t : tensor<64xf32, #l>
    // CHECK-COUNT-2: call i32 @vprintf(
    tt.print " 100% " {hex = true, isSigned = array<i32: 0, 1>} : %n, %m : i32, i64
    // CHECK: call i32 @vprintf(
    tt.print " s: " {hex = false, isSigned = array<i32: 1>} : %m : i64
    // CHECK: call i32 @vprintf(
    tt.print " here" {hex = false, isSigned = array<i32>}
    // CHECK-NOT: call i32 @vprintf(
    // CHECK: call void @__assertfail(ptr {{.*}}, ptr {{.*}}, i32 10, ptr {{.*}}, i64 1)
    // CHECK: call void @neso.barrier
    tt.assert %p, "out of range" : tensor<64xi1, #l> loc("kernels.py":10:4)
    tt.return
  }
}
