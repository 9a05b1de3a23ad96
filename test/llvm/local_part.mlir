// Parts of memory that no address can be made for.
// options: --pass allocate,barriers --emit llir
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%k: i1) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #m, mutable>
    %p = scf.if %k -> (!ttg.memdesc<64x32xf16, #s, #m, mutable, 64x64>) {
      %l = ttg.memdesc_subslice %a[0, 0] : !ttg.memdesc<64x64xf16, #s, #m, mutable> -> !ttg.memdesc<64x32xf16, #s, #m, mutable, 64x64>
      scf.yield %l : !ttg.memdesc<64x32xf16, #s, #m, mutable, 64x64>
    } else {
      %r = ttg.memdesc_subslice %a[0, 32] : !ttg.memdesc<64x64xf16, #s, #m, mutable> -> !ttg.memdesc<64x32xf16, #s, #m, mutable, 64x64>
      scf.yield %r : !ttg.memdesc<64x32xf16, #s, #m, mutable, 64x64>
    }
    %v = ttg.local_load %p : !ttg.memdesc<64x32xf16, #s, #m, mutable, 64x64> -> tensor<64x32xf16, #rows>  // error: 10: ttg.local_load cannot take a part of memory that control flow chooses
    tt.return
  }
}
