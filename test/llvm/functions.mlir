// Functions of f64 without branches: inlined where they are called a few times, so that constants are shared; calls where there are many.
// options: --emit llir
#few = #ttg.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]], block = []}>
#many = #ttg.linear<{register = [[1], [2], [4], [8], [16]], lane = [[32], [64], [128], [256], [512]], warp = [[1024], [2048]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-NOT: @neso_exp_f64
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<1024xf64, #few>, %y: tensor<4096xf64, #many>) {
    // CHECK-COUNT-8: call double @llvm.fma.f64(double {{.*}}, double 0x3FF71547652B82FE,
    %e = math.exp %x : tensor<1024xf64, #few>
    // CHECK-COUNT-32: call double @neso_log_f64(double
    // CHECK-NOT: call double @neso_log_f64(double
    %l = math.log %y : tensor<4096xf64, #many>
    tt.call @use(%e, %l) : (tensor<1024xf64, #few>, tensor<4096xf64, #many>) -> ()
    tt.return
  }
  tt.func private @use(%x: tensor<1024xf64, #few>, %y: tensor<4096xf64, #many>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
