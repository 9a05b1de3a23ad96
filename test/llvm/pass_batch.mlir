// Conversions through shared memory that stand together: all stores, one barrier, all loads. What uses one of them, or a region,
// ends a group; what shuffles do stays as it is.
// run: codegen_tool --target sm_80 --warps 4 --pass batch-conversions,allocate,barriers %s
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#near = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @together
  // CHECK-NEXT: %[[A:.*]] = ttg.local_alloc %x
  // CHECK-NEXT: %[[B:.*]] = ttg.local_alloc %y
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: ttg.local_load %[[A]]
  // CHECK-NEXT: ttg.local_load %[[B]]
  // CHECK-NEXT: arith.addf
  tt.func public @together(%x: tensor<32x32xf32, #rows>, %y: tensor<32x32xf32, #rows>) {
    %a = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    %b = ttg.convert_layout %y : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    %c = arith.addf %a, %b : tensor<32x32xf32, #columns>
    tt.print " c: " {hex = false, isSigned = array<i32: 0>} : %c : tensor<32x32xf32, #columns>
    tt.return
  }
  // CHECK-LABEL: @apart
  // CHECK: ttg.convert_layout
  // CHECK-NEXT: arith.mulf
  // CHECK: ttg.convert_layout
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func public @apart(%x: tensor<32x32xf32, #rows>) {
    %a = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    %b = arith.mulf %a, %a : tensor<32x32xf32, #columns>
    %c = ttg.convert_layout %b : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    %d = ttg.convert_layout %c : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #near>
    tt.print " d: " {hex = false, isSigned = array<i32: 0>} : %d : tensor<32x32xf32, #near>
    tt.return
  }
}
