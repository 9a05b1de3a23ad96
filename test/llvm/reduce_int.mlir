// A warp's integers are combined by one instruction; narrower ones too, extended as the operation wants.
// options: --emit llir
#row = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: tensor<1024xi16, #row>) {
    // CHECK-COUNT-7: call i16 @llvm.smin.i16
    // CHECK: sext i16 {{.*}} to i32
    // CHECK: call i32 @neso.redux_min(i32 {{.*}}, i32 -1)
    // CHECK: trunc i32 {{.*}} to i16
    // CHECK-NOT: neso.shfl
    // CHECK: call void @neso.barrier()
    // CHECK-COUNT-3: call i16 @llvm.smin.i16
    %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i16, %b: i16):
      %c = arith.minsi %a, %b : i16
      tt.reduce.return %c : i16
    }) {allocation.offset = 0 : i32} : (tensor<1024xi16, #row>) -> i16
    // CHECK: call void @use(
    tt.call @use(%0) : (i16) -> ()
    tt.return
  }
  tt.func private @use(%a0: i16) attributes {noinline = true} {
    tt.return
  }
}
