// More shared memory than there is: what each tile takes, at its line.
// options: --pass allocate
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: tensor<256x256xf16, #rows>, %q: tensor<128x256xf32, #rows>) {  // error: 3: 'k' needs 262144 bytes of shared memory; a program on sm_90a can have 232448
    %a = ttg.local_alloc %p : (tensor<256x256xf16, #rows>) -> !ttg.memdesc<256x256xf16, #s, #m>
    %b = ttg.local_alloc %q : (tensor<128x256xf32, #rows>) -> !ttg.memdesc<128x256xf32, #s, #m>
    %c = ttg.local_load %a : !ttg.memdesc<256x256xf16, #s, #m> -> tensor<256x256xf16, #rows>
    %d = ttg.local_load %b : !ttg.memdesc<128x256xf32, #s, #m> -> tensor<128x256xf32, #rows>
    tt.return
  }
}
