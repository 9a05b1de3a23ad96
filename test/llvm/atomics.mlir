// Atomics: vectors of floats where the GPU has them, red where nobody looks, the order in the operation or in one fence, scalars by
// the first thread with the old value for all, copies by one, loops for what PTX has no instruction for.
// llvm: 22
// run: codegen_tool --pass allocate,barriers --emit ptx %s
// run: codegen_tool --pass allocate,barriers --emit ptx --target sm_80 %s
#v = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#one = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .target sm_90a
  // CHECK: .visible .entry k(
  // CHECK: fence.acq_rel.gpu;
  // CHECK-COUNT-2: red.relaxed.gpu.global.add.v4.f32 [
  // CHECK: red.relaxed.gpu.global.add.noftz.v2.f16x2 [
  // CHECK: atom.relaxed.gpu.global.add.noftz.v2.f16x2 {
  // CHECK: fence.acq_rel.gpu;
  // CHECK: atom.global.cta.relaxed.max.s32 %old, [
  // CHECK: @%p{{[0-9]+}} atom.global.gpu.acq_rel.add.u32 %[[OLD:r[0-9]+]], [
  // CHECK: st.shared.b32 [{{.*}}], %[[OLD]];
  // CHECK: bar.sync 0;
  // CHECK: ld.shared.b32
  // CHECK: bar.sync 0;
  // CHECK: bra
  // CHECK: atom.global.acq_rel.sys.cas.b64
  // CHECK: st.shared.b64
  // CHECK: bar.sync 0;
  // CHECK: ld.shared.b64
  // CHECK: bar.sync 0;
  // CHECK: bra
  // CHECK: atom.global.gpu.release.or.b32 %old, [
  // CHECK: red.relaxed.gpu.global.add.noftz.v2.bf16x2 [
  // CHECK: atom.relaxed.sys.global.cas.b32
  // CHECK: bar.warp.sync 0xffffffff;
  // CHECK: ret;
  // CHECK-LABEL: .target sm_80
  // CHECK-COUNT-8: atom.global.gpu.relaxed.add.f32 %old, [
  // CHECK-COUNT-4: red.relaxed.gpu.global.add.noftz.f16x2 [
  // CHECK: atom.relaxed.sys.global.cas.b32
  // CHECK: bar.warp.sync 0xffffffff;
  // CHECK: ret;
  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %h: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %i: !tt.ptr<i32>, %j: !tt.ptr<i64>, %b: !tt.ptr<i8>, %c: i64) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #v>
    %one = arith.constant dense<1.0> : tensor<1024xf32, #v>
    %half = arith.constant dense<1.0> : tensor<1024xf16, #v>
    %brain = arith.constant dense<1.0> : tensor<1024xbf16, #v>
    %byte = arith.constant dense<1> : tensor<1024xi8, #v>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #v>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #v>, tensor<1024xi32, #v>
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %one : (tensor<1024x!tt.ptr<f32>, #v>, tensor<1024xf32, #v>) -> tensor<1024xf32, #v>
    %hs = tt.splat %h : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #v>
    %hp = tt.addptr %hs, %r : tensor<1024x!tt.ptr<f16>, #v>, tensor<1024xi32, #v>
    %1 = tt.atomic_rmw fadd, relaxed, gpu, %hp, %half : (tensor<1024x!tt.ptr<f16>, #v>, tensor<1024xf16, #v>) -> tensor<1024xf16, #v>
    %2 = tt.atomic_rmw fadd, acquire, gpu, %hp, %half : (tensor<1024x!tt.ptr<f16>, #v>, tensor<1024xf16, #v>) -> tensor<1024xf16, #v>
    tt.store %hp, %2 : tensor<1024x!tt.ptr<f16>, #v>
    %is = tt.splat %i : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #v>
    %ip = tt.addptr %is, %r : tensor<1024x!tt.ptr<i32>, #v>, tensor<1024xi32, #v>
    %3 = tt.atomic_rmw max, relaxed, cta, %ip, %r : (tensor<1024x!tt.ptr<i32>, #v>, tensor<1024xi32, #v>) -> tensor<1024xi32, #v>
    // 32 elements in four warps: the first warp asks, all get the answer.
    %rw = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #one>
    %iw = tt.splat %i : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #one>
    %ipw = tt.addptr %iw, %rw : tensor<32x!tt.ptr<i32>, #one>, tensor<32xi32, #one>
    %4 = tt.atomic_rmw add, acq_rel, gpu, %ipw, %rw : (tensor<32x!tt.ptr<i32>, #one>, tensor<32xi32, #one>) -> tensor<32xi32, #one>
    %5 = tt.addptr %ipw, %4 : tensor<32x!tt.ptr<i32>, #one>, tensor<32xi32, #one>
    tt.store %5, %4 : tensor<32x!tt.ptr<i32>, #one>
    %6 = tt.atomic_cas acq_rel, sys, %j, %c, %c : (!tt.ptr<i64>, i64, i64) -> i64
    tt.store %j, %6 : !tt.ptr<i64>
    %seven = arith.constant 7 : i32
    %7 = tt.atomic_rmw or, release, gpu, %i, %seven : (!tt.ptr<i32>, i32) -> i32
    %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>, #v>
    %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<bf16>, #v>, tensor<1024xi32, #v>
    %8 = tt.atomic_rmw fadd, relaxed, gpu, %yp, %brain : (tensor<1024x!tt.ptr<bf16>, #v>, tensor<1024xbf16, #v>) -> tensor<1024xbf16, #v>
    %bs = tt.splat %b : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>, #v>
    %bp = tt.addptr %bs, %r : tensor<1024x!tt.ptr<i8>, #v>, tensor<1024xi32, #v>
    %9 = tt.atomic_rmw add, relaxed, gpu, %bp, %byte : (tensor<1024x!tt.ptr<i8>, #v>, tensor<1024xi8, #v>) -> tensor<1024xi8, #v>
    tt.return
  }
}
