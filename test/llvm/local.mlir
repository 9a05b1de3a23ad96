// Memory of the CTA: vectors and matrices as its layout allows, parts, buffers in a row, padding; copies that go on after the op, as wide
// as both sides allow, with zeros from the copy itself.
// llvm: 22
// options: --pass allocate,barriers --emit ptx --kernel parts
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#flat = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#lhs = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rhs = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#swizzled = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .visible .entry parts(
  // CHECK-COUNT-4: st.shared.v4.b32
  // CHECK: bar.sync 0;
  // CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
  // CHECK-NOT: ldmatrix
  // CHECK: ret;
  tt.func public @parts(%x: f16, %o: !tt.ptr<f16>, %i: i32) {
    %v = tt.splat %x : f16 -> tensor<64x64xf16, #rows>
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #swizzled, #m, mutable>
    %a = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x64xf16, #swizzled, #m, mutable> -> !ttg.memdesc<64x64xf16, #swizzled, #m, mutable>
    ttg.local_store %v, %a : tensor<64x64xf16, #rows> -> !ttg.memdesc<64x64xf16, #swizzled, #m, mutable>
    %l = ttg.local_load %a : !ttg.memdesc<64x64xf16, #swizzled, #m, mutable> -> tensor<64x64xf16, #lhs>
    %half = ttg.memdesc_subslice %a[0, 32] : !ttg.memdesc<64x64xf16, #swizzled, #m, mutable> -> !ttg.memdesc<64x32xf16, #swizzled, #m, mutable, 64x64>
    %r = ttg.local_load %half : !ttg.memdesc<64x32xf16, #swizzled, #m, mutable, 64x64> -> tensor<64x32xf16, #rhs>
    %p = tt.splat %o : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #lhs>
    tt.store %p, %l : tensor<64x64x!tt.ptr<f16>, #lhs>
    %q = tt.splat %o : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #rhs>
    tt.store %q, %r : tensor<64x32x!tt.ptr<f16>, #rhs>
    ttg.local_dealloc %ring : !ttg.memdesc<3x64x64xf16, #swizzled, #m, mutable>
    tt.return
  }
  // CHECK-LABEL: .visible .entry copies(
  // CHECK: selp.b32 %[[BYTES:r[0-9]+]], 16, 0, %p
  // CHECK: cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %[[BYTES]];
  // CHECK: cp.async.commit_group
  // CHECK: cp.async.wait_group 0;
  // CHECK: bar.sync 0;
  // CHECK: ld.shared.v4.b32
  // CHECK: bar.sync 0;
  // CHECK: @%p{{[0-9]+}} cp.async.cg.shared.global
  // CHECK: bra
  // CHECK: st.shared.v4.b32
  // CHECK: cp.async.wait_group 0;
  // CHECK: ret;
  tt.func public @copies(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #ttg.slice<{dim = 0, parent = #flat}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<512xi32, #ttg.slice<{dim = 0, parent = #flat}>> -> tensor<1x512xi32, #flat>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1x512x!tt.ptr<f32>, #flat>
    %p = tt.addptr %xs, %e : tensor<1x512x!tt.ptr<f32>, #flat>, tensor<1x512xi32, #flat>
    %ns = tt.splat %n : i32 -> tensor<1x512xi32, #flat>
    %m = arith.cmpi slt, %e, %ns : tensor<1x512xi32, #flat>
    %one = arith.constant dense<1.0> : tensor<1x512xf32, #flat>
    %mem = ttg.local_alloc : () -> !ttg.memdesc<1x512xf32, #plain, #m, mutable>
    %t = ttg.async_copy_global_to_local %p, %mem mask %m : tensor<1x512x!tt.ptr<f32>, #flat> -> <1x512xf32, #plain, #m, mutable>
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %v = ttg.local_load %mem token %w : !ttg.memdesc<1x512xf32, #plain, #m, mutable> -> tensor<1x512xf32, #flat>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<1x512x!tt.ptr<f32>, #flat>
    %q = tt.addptr %os, %e : tensor<1x512x!tt.ptr<f32>, #flat>, tensor<1x512xi32, #flat>
    tt.store %q, %v : tensor<1x512x!tt.ptr<f32>, #flat>
    %t2 = ttg.async_copy_global_to_local %p, %mem mask %m other %one : tensor<1x512x!tt.ptr<f32>, #flat> -> <1x512xf32, #plain, #m, mutable>
    %g2 = ttg.async_commit_group tokens %t2
    %w2 = ttg.async_wait %g2 {num = 0 : i32}
    %v2 = ttg.local_load %mem token %w2 : !ttg.memdesc<1x512xf32, #plain, #m, mutable> -> tensor<1x512xf32, #flat>
    tt.store %q, %v2 : tensor<1x512x!tt.ptr<f32>, #flat>
    tt.return
  }
}
