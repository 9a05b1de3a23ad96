// f16 and bf16: what is exact in them is done in them, the rest in f32, rounded once; bf16 has sums of its own from sm_90 on.
// llvm: 22
// run: codegen_tool --emit ptx --target sm_90a %s | sed 's/^/90 /'; codegen_tool --emit ptx --target sm_80 %s | sed 's/^/80 /'
#l = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: 90 .visible .entry k(
  tt.func public @k(%h: f16, %b: bf16, %q: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    // CHECK: 90 {{.*}}add.bf16
    %s = arith.addf %b, %b : bf16
    tt.call @use(%s) : (bf16) -> ()
    // CHECK: 90 {{.*}}max.NaN.bf16
    %m = arith.maximumf %b, %s : bf16
    tt.call @use(%m) : (bf16) -> ()
    // An integer of f32 that is near an f16 is one: LLVM makes it one instruction.
    // CHECK: 90 {{.*}}cvt.rmi.f16.f16
    %f = math.floor %h : f16
    tt.call @useh(%f) : (f16) -> ()
    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
    %qs = tt.splat %q : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #l>
    %o = tt.addptr %qs, %r : tensor<256x!tt.ptr<bf16>, #l>, tensor<256xi32, #l>
    %t = tt.load %o : tensor<256x!tt.ptr<bf16>, #l>
    // Two results are rounded together.
    // CHECK-COUNT-2: 90 {{.*}}ex2.approx.ftz.f32
    // CHECK: 90 {{.*}}cvt.rn.bf16x2.f32
    %e = math.exp2 %t : tensor<256xbf16, #l>
    tt.store %o, %e : tensor<256x!tt.ptr<bf16>, #l>
    tt.return
  }
  // CHECK: 80 .visible .entry k(
  // CHECK: 80 {{.*}}fma.rn.bf16
  // CHECK: 80 {{.*}}max.NaN.bf16
  // CHECK: 80 {{.*}}cvt.rn.bf16x2.f32
  tt.func private @use(%a: bf16) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @useh(%a: f16) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
