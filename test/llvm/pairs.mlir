// Arithmetic of 16-bit floats takes two registers at a time; bf16 of sm_80 has fma alone; an odd register goes by itself.
// llvm: 22
// run: codegen_tool --target sm_90a %s
// run: codegen_tool --target sm_80 %s
#l = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#s = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: .target sm_90a
  // CHECK-LABEL: .visible .entry k(
  // CHECK: ld.global.v2.b32
  // CHECK-COUNT-2: add.f16x2
  // CHECK-COUNT-2: fma.rn.f16x2
  // CHECK-COUNT-2: sub.bf16x2
  // CHECK-COUNT-2: mul.rn.bf16x2
  // CHECK: add.f16
  // CHECK: .target sm_80
  // CHECK-COUNT-2: add.f16x2
  // CHECK-COUNT-2: fma.rn.f16x2
  // CHECK-COUNT-4: fma.rn.bf16x2
  tt.func public @k(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #l>
    %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f16>, #l>, tensor<512xi32, #l>
    %a = tt.load %xp : tensor<512x!tt.ptr<f16>, #l>
    %b = arith.addf %a, %a : tensor<512xf16, #l>
    %p = arith.mulf %a, %b : tensor<512xf16, #l>
    %c = arith.subf %p, %b : tensor<512xf16, #l>
    tt.store %xp, %c : tensor<512x!tt.ptr<f16>, #l>
    %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>, #l>
    %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<bf16>, #l>, tensor<512xi32, #l>
    %d = tt.load %yp : tensor<512x!tt.ptr<bf16>, #l>
    %e = arith.subf %d, %d : tensor<512xbf16, #l>
    %f = arith.mulf %d, %e : tensor<512xbf16, #l>
    tt.store %yp, %f : tensor<512x!tt.ptr<bf16>, #l>
    %q = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #s>
    %zs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #s>
    %zp = tt.addptr %zs, %q : tensor<128x!tt.ptr<f16>, #s>, tensor<128xi32, #s>
    %g = tt.load %zp : tensor<128x!tt.ptr<f16>, #s>
    %h = arith.addf %g, %g : tensor<128xf16, #s>
    tt.store %zp, %h : tensor<128x!tt.ptr<f16>, #s>
    tt.return
  }
}
