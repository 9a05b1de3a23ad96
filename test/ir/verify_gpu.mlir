// Ops that exist once layouts are chosen: shapes, elements, parts of memory, partitions.
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%t: tensor<16x32xf16, #b>, %p: tensor<16x32x!tt.ptr<f16>, #b>, %k: tensor<16x32xi1, #b>, %i: i32, %im: !ttg.memdesc<16x32xf16, #s, #m>, %mu: !ttg.memdesc<16x32xf16, #s, #m, mutable>, %r3: !ttg.memdesc<3x16x32xf16, #s, #m, mutable>) {
    %0 = ttg.convert_layout %t : tensor<16x32xf16, #b> -> tensor<16x32xf32, #b>  // error: 10: ttg.convert_layout: the shape of the result must be 16x32xf16; found tensor<16x32xf32
    %1 = ttg.local_alloc %t : (tensor<16x32xf16, #b>) -> !ttg.memdesc<32x16xf16, #s, #m>  // error: 10: ttg.local_alloc: the shape of the result must be 16x32xf16; found !ttg.memdesc<32x16xf16
    %2 = ttg.local_alloc : () -> !ttg.memdesc<32x16xf16, #s, #m>  // error: 10: ttg.local_alloc: the result, which nothing fills, must be mutable memory; found
    %3 = ttg.local_alloc : () -> !ttg.memdesc<16x16xf16, #s, #m, mutable, 16x32>  // error: 10: ttg.local_alloc: the result must be no part of other memory; found
    %4 = ttg.local_load %mu : !ttg.memdesc<16x32xf16, #s, #m, mutable> -> tensor<16x32xi16, #b>  // error: 10: ttg.local_load: the shape of the result must be 16x32xf16; found
    ttg.local_store %t, %im : tensor<16x32xf16, #b> -> !ttg.memdesc<16x32xf16, #s, #m>  // error: 5: ttg.local_store: operand 1 must be mutable memory; found
    %5 = ttg.memdesc_index %r3[%i] : !ttg.memdesc<3x16x32xf16, #s, #m, mutable> -> !ttg.memdesc<3x16xf16, #s, #m, mutable>  // error: 10: ttg.memdesc_index: the shape of the result must be 16x32xf16; found
    %6 = ttg.memdesc_index %r3[%i] : !ttg.memdesc<3x16x32xf16, #s, #m, mutable> -> !ttg.memdesc<16x32xf16, #s, #m>  // error: 10: ttg.memdesc_index: the result must be mutable, as operand 0; found
    %7 = ttg.memdesc_subslice %mu[0, 8] : !ttg.memdesc<16x32xf16, #s, #m, mutable> -> !ttg.memdesc<16x16xf16, #s, #m, mutable, 16x32>  // error: 10: ttg.memdesc_subslice: offset 1 must be a multiple of 16, at most 16; found 8
    %8 = ttg.memdesc_subslice %mu[0, 16] : !ttg.memdesc<16x32xf16, #s, #m, mutable> -> !ttg.memdesc<16x16xf16, #s, #m, mutable>  // error: 10: ttg.memdesc_subslice: the result must be a part of what operand 0 is, in its layout; found
    %9 = ttg.memdesc_trans %mu {order = array<i32: 1, 1>} : !ttg.memdesc<16x32xf16, #s, #m, mutable> -> !ttg.memdesc<32x16xf16, #s, #m, mutable>  // error: 10: ttg.memdesc_trans: attribute 'order' must be an order of 2 dimensions; found array<i32: 1, 1>
    %10 = ttg.memdesc_reshape %mu : !ttg.memdesc<16x32xf16, #s, #m, mutable> -> !ttg.memdesc<16x16xf16, #s, #m, mutable>  // error: 11: ttg.memdesc_reshape: the number of elements of the result must be 512; found 256
    %11 = ttg.memdesc_reinterpret %mu : !ttg.memdesc<16x32xf16, #s, #m, mutable> -> !ttg.memdesc<16x32xf32, #s, #m, mutable>  // error: 11: ttg.memdesc_reinterpret: the bits of the result must be at most 8192; found 16384
    %12 = ttg.async_copy_global_to_local %p, %im : tensor<16x32x!tt.ptr<f16>, #b> -> <16x32xf16, #s, #m>  // error: 11: ttg.async_copy_global_to_local: operand 1 must be mutable memory; found
    %13 = ttg.async_copy_global_to_local %p, %mu mask %k {contiguity = 3 : i32} : tensor<16x32x!tt.ptr<f16>, #b> -> <16x32xf16, #s, #m, mutable>  // error: 11: ttg.async_copy_global_to_local: attribute 'contiguity' must be a power of two; found 3
    %14 = ttg.async_commit_group tokens %13
    %15 = ttg.async_wait %14 {num = -1 : i32}  // error: 11: ttg.async_wait: attribute 'num' must be at least 0; found -1
    %16 = "ttg.local_load"(%mu, %i) : (!ttg.memdesc<16x32xf16, #s, #m, mutable>, i32) -> tensor<16x32xf16, #b>  // error: 11: ttg.local_load: operand 1 must be a token; found i32
    "ttg.local_dealloc"(%i) : (i32) -> ()  // error: 5: ttg.local_dealloc: operand 0 must be memory; found i32
    tt.return
  }
}
