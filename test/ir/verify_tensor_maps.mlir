// Barriers in memory and copies by tensor maps: shapes, what may change, indices.
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%i: i32, %im: !ttg.memdesc<16x32xf16, #s, #m>, %mu: !ttg.memdesc<16x32xf16, #s, #m, mutable>, %d: !tt.tensordesc<tensor<16x32xf16, #s>>, %bar: !ttg.memdesc<1xi64, #s1, #m, mutable>, %fix: !ttg.memdesc<1xi64, #s1, #m>, %yes: i1) {
    ttng.init_barrier %mu {count = 1 : i32} : !ttg.memdesc<16x32xf16, #s, #m, mutable>  // error: 5: ttng.init_barrier: the shape of operand 0 must be 1xi64; found !ttg.memdesc<16x32xf16
    ttng.wait_barrier %fix, %i : !ttg.memdesc<1xi64, #s1, #m>  // error: 5: ttng.wait_barrier: operand 0 must be mutable memory; found
    ttng.async_tma_copy_global_to_local %d[%i] %mu, %bar, %yes : !tt.tensordesc<tensor<16x32xf16, #s>>, !ttg.memdesc<1xi64, #s1, #m, mutable> -> !ttg.memdesc<16x32xf16, #s, #m, mutable>  // error: 5: ttng.async_tma_copy_global_to_local: the number of indices must be 2; found 1
    ttng.async_tma_copy_global_to_local %d[%i, %i] %im, %bar, %yes : !tt.tensordesc<tensor<16x32xf16, #s>>, !ttg.memdesc<1xi64, #s1, #m, mutable> -> !ttg.memdesc<16x32xf16, #s, #m>  // error: 5: ttng.async_tma_copy_global_to_local: operand 1 must be mutable memory; found
    ttng.async_tma_copy_local_to_global %d[%i, %i] %bar : !tt.tensordesc<tensor<16x32xf16, #s>>, !ttg.memdesc<1xi64, #s1, #m, mutable>  // error: 5: ttng.async_tma_copy_local_to_global: the shape of operand 1 must be 16x32xf16; found
    tt.return
  }
}
