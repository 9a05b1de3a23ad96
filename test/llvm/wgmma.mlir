// One operation for all of K, descriptors by bytes from the start, which all lanes take from the first; nothing to add to: accumulators are not read. B lies along N.
// options: --target sm_90a --warps 4
// CHECK: fence.proxy.async
// CHECK-COUNT-2: shfl.sync.idx.b32 {{.*}}, 0, 31, -1;
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, p, 1, 1, 0, 1;wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, q, 1, 1, 0, 1;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
#t = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [32, 0]], block = []}>
#u = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#c = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: tensor<64x32xf16, #t>, %y: tensor<32x64xf16, #u>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #c>
    %0 = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<64x32xf16, #t>) -> !ttg.memdesc<64x32xf16, #a, #smem>
    %1 = ttg.local_alloc %y {allocation.offset = 4096 : i32} : (tensor<32x64xf16, #u>) -> !ttg.memdesc<32x64xf16, #b, #smem>
    ttng.fence_async_shared {bCluster = false}
    gpu.barrier
    %2 = ttng.warp_group_dot %0, %1, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf16, #a, #smem> * !ttg.memdesc<32x64xf16, #b, #smem> -> tensor<64x64xf32, #c>
    tt.call @use(%2) : (tensor<64x64xf32, #c>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<64x64xf32, #c>) attributes {noinline = true} {
    tt.return
  }
}
