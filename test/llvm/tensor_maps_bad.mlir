// Memory that is not what the map's boxes fill, and none that any box does.
// options: --emit llir --target sm_90a
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#o = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<f16>, %n: i64, %i: i32, %d: !tt.tensordesc<tensor<64x64xf16, #o>> {neso.map = array<i64: 0, -1, 1, 1, 1, 1, 1, 1, -1, 1>}, %e: !tt.tensordesc<tensor<64x64xf16, #t>> {neso.map = array<i64: 0, -1, 1, 1, 1, 1, 1, 1, -1, 1>}) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #m, mutable>
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #o>>, !ttg.memdesc<64x64xf16, #s, #m, mutable>  // error: 5: 'ttng.async_tma_copy_local_to_global' has a tensor map and memory that do not go together
    tt.return
  }
}
