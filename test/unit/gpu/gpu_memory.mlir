// not a test: a program that wants more shared memory than a GPU has, for gpu_memory_test.c.
// tests: SHARED_MEMORY LOCAL_PART
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @big() {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<256x256xf16, #s, #m, mutable> loc("k.py":3:4)
    %1 = ttg.local_alloc : () -> !ttg.memdesc<256x256xf16, #s, #m, mutable> loc("k.py":4:4)
    %2 = ttg.local_load %0 : !ttg.memdesc<256x256xf16, #s, #m, mutable> -> tensor<256x256xf16, #b>
    %3 = ttg.local_load %1 : !ttg.memdesc<256x256xf16, #s, #m, mutable> -> tensor<256x256xf16, #b>
    tt.return
  }
}
