// Shape operations move nothing: the kernel only passes its registers on, in another order.
// options: --emit llir
#x = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#t = #ttg.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}>
#r = #ttg.linear<{register = [[0, 0, 1], [0, 1, 0]], lane = [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[8, 0, 0], [16, 0, 0]], block = []}>
#h = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#f = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>
#c = #ttg.linear<{register = [[1], [256]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  // CHECK-SAME: float %0, float %1, float %2, float %3
  tt.func public @k(%x: tensor<32x16xf32, #x>) {
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x16xf32, #x> -> tensor<16x32xf32, #t>
    %r = tt.reshape %x : tensor<32x16xf32, #x> -> tensor<32x8x2xf32, #r>
    %a, %b = tt.split %r : tensor<32x8x2xf32, #r> -> tensor<32x8xf32, #h>
    %j = tt.join %b, %a : tensor<32x8xf32, #h> -> tensor<32x8x2xf32, #r>
    %p = tt.reshape %a : tensor<32x8xf32, #h> -> tensor<256xf32, #f>
    %q = tt.reshape %b : tensor<32x8xf32, #h> -> tensor<256xf32, #f>
    %c = tt.cat %p, %q : tensor<256xf32, #f> -> tensor<512xf32, #c>
    // CHECK: call void @use(float %0, float %1, float %2, float %3, float %1, float %3, float %1, float %0, float %3, float %2, float %0, float %2, float %1, float %3)
    tt.call @use(%t, %b, %j, %c) : (tensor<16x32xf32, #t>, tensor<32x8xf32, #h>, tensor<32x8x2xf32, #r>, tensor<512xf32, #c>) -> ()
    tt.return
  }
  tt.func private @use(%a0: tensor<16x32xf32, #t>, %a1: tensor<32x8xf32, #h>, %a2: tensor<32x8x2xf32, #r>, %a3: tensor<512xf32, #c>) attributes {noinline = true} {
    tt.return
  }
}
