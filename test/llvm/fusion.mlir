// A product that sums alone use is fused into them; one that is used otherwise as well stays, with its sums.
// llvm: 22
// run: codegen_tool --emit ptx %s
// run: codegen_tool --emit ptx --no-fusion %s
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .visible .entry k(
  // CHECK-DAG: fma.rn.f32
  // CHECK-DAG: neg.f32
  // CHECK-DAG: fma.rn.f32
  // CHECK: mul.rn.f32
  // CHECK: add.f32
  // CHECK: ret;
  // CHECK-LABEL: .visible .entry k(
  // CHECK-NOT: fma
  // CHECK: ret;
  tt.func public @k(%a: f32, %b: f32, %c: f32, %p: !tt.ptr<f32>) {
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    %d = arith.subf %m, %c : f32
    %m2 = arith.mulf %a, %c : f32
    %s2 = arith.addf %b, %m2 : f32
    %r = tt.call @use(%s, %d, %m2, %s2) : (f32, f32, f32, f32) -> f32
    tt.return
  }
  tt.func private @use(%a: f32, %b: f32, %c: f32, %d: f32) -> f32 attributes {noinline = true} {
    gpu.barrier
    tt.return %a : f32
  }
}
