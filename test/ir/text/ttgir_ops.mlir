// not a test: read, printed and compared by ir_text_test
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#loc2 = loc("ops.ttgir":11:21)
#loc3 = loc("ops.ttgir":11:64)
#loc4 = loc("ops.ttgir":11:97)
#loc5 = loc("ops.ttgir":11:131)
#loc26 = loc("ops.ttgir":34:16)
#loc27 = loc("ops.ttgir":34:25)
#loc29 = loc("ops.ttgir":37:16)
#loc30 = loc("ops.ttgir":37:25)
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#shared3 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#shared4 = #ttg.padded_shared<[64:+8, 128:+4] {order = [1, 0], shape = [16, 32]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%arg0: tensor<16x32x!tt.ptr<f16>, #blocked> loc("ops.ttgir":11:21), %arg1: tensor<16x32xi1, #blocked> loc("ops.ttgir":11:64), %arg2: tensor<16x32xf16, #blocked> loc("ops.ttgir":11:97), %arg3: i32 loc("ops.ttgir":11:131)) {
    %0 = ttg.local_alloc %arg2 : (tensor<16x32xf16, #blocked>) -> !ttg.memdesc<16x32xf16, #shared, #smem> loc(#loc6)
    %1 = ttg.local_alloc : () -> !ttg.memdesc<3x16x32xf16, #shared, #smem, mutable> loc(#loc7)
    %2 = ttg.memdesc_index %1[%arg3] : !ttg.memdesc<3x16x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable> loc(#loc8)
    %3 = ttg.async_copy_global_to_local %arg0, %2 mask %arg1 other %arg2 cacheModifier = cg {contiguity = 4 : i32} : tensor<16x32x!tt.ptr<f16>, #blocked> -> <16x32xf16, #shared, #smem, mutable> loc(#loc9)
    %4 = ttg.async_copy_global_to_local %arg0, %2 : tensor<16x32x!tt.ptr<f16>, #blocked> -> <16x32xf16, #shared, #smem, mutable> loc(#loc10)
    %5 = ttg.async_commit_group tokens %3, %4 loc(#loc11)
    %6 = ttg.async_wait %5 {num = 1 : i32} loc(#loc12)
    %7 = ttg.local_load %2 token %6 : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #blocked> loc(#loc13)
    %8 = ttg.local_load %2 : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #linear> loc(#loc14)
    %9 = ttg.convert_layout %8 : tensor<16x32xf16, #linear> -> tensor<16x32xf16, #blocked> loc(#loc15)
    ttg.local_store %7, %2 : tensor<16x32xf16, #blocked> -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable> loc(#loc16)
    %10 = ttg.memdesc_subslice %2[0, 16] : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x16xf16, #shared, #smem, mutable, 16x32> loc(#loc17)
    %11 = ttg.memdesc_trans %2 {order = array<i32: 1, 0>} : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x16xf16, #shared1, #smem, mutable> loc(#loc18)
    %12 = ttg.memdesc_reshape %2 : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<4x4x32xf16, #shared2, #smem, mutable> loc(#loc19)
    %13 = ttg.memdesc_reinterpret %2 : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<8x32xf32, #shared, #smem, mutable> loc(#loc20)
    %14 = ttg.local_alloc : () -> !ttg.memdesc<16x32xf16, #shared3, #smem, mutable> loc(#loc21)
    %15 = ttg.local_alloc : () -> !ttg.memdesc<16x32xf16, #shared4, #smem, mutable> loc(#loc22)
    ttg.local_dealloc %1 : !ttg.memdesc<3x16x32xf16, #shared, #smem, mutable> loc(#loc23)
    %16 = ttg.warp_specialize(%arg3, %2) attributes {requestedRegisters = array<i32: 24, 32>}
    default {
      ttg.warp_yield %arg3 : i32 loc(#loc25)
    }
    partition0(%arg4: i32 loc("ops.ttgir":34:16), %arg5: !ttg.memdesc<16x32xf16, #shared, #smem, mutable> loc("ops.ttgir":34:25)) num_warps(4) {
      ttg.warp_return loc(#loc28)
    }
    partition1(%arg4: i32 loc("ops.ttgir":37:16), %arg5: !ttg.memdesc<16x32xf16, #shared, #smem, mutable> loc("ops.ttgir":37:25)) num_warps(1) {
      ttg.warp_return loc(#loc31)
    } : (i32, !ttg.memdesc<16x32xf16, #shared, #smem, mutable>) -> i32 loc(#loc24)
    tt.return loc(#loc32)
  } loc(#loc1)
} loc(#loc)
#loc = loc("ops.ttgir":10:1)
#loc1 = loc("ops.ttgir":11:3)
#loc6 = loc("ops.ttgir":12:10)
#loc7 = loc("ops.ttgir":13:10)
#loc8 = loc("ops.ttgir":14:10)
#loc9 = loc("ops.ttgir":15:10)
#loc10 = loc("ops.ttgir":16:11)
#loc11 = loc("ops.ttgir":17:11)
#loc12 = loc("ops.ttgir":18:11)
#loc13 = loc("ops.ttgir":19:10)
#loc14 = loc("ops.ttgir":20:11)
#loc15 = loc("ops.ttgir":21:11)
#loc16 = loc("ops.ttgir":22:5)
#loc17 = loc("ops.ttgir":23:10)
#loc18 = loc("ops.ttgir":24:11)
#loc19 = loc("ops.ttgir":25:11)
#loc20 = loc("ops.ttgir":26:11)
#loc21 = loc("ops.ttgir":27:11)
#loc22 = loc("ops.ttgir":28:11)
#loc23 = loc("ops.ttgir":29:5)
#loc24 = loc("ops.ttgir":30:10)
#loc25 = loc("ops.ttgir":32:7)
#loc28 = loc("ops.ttgir":35:7)
#loc31 = loc("ops.ttgir":38:7)
#loc32 = loc("ops.ttgir":40:5)
