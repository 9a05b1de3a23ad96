// A tile of 512 KB whose two layouts have two registers in common: 128 KB for each of four passes are more than a CTA of sm_86 has. On
// sm_90a they are not.
// run: neso opt --target sm_86 --pass=detour-conversions,allocate %s
// run: neso opt --target sm_90a --pass=detour-conversions %s
// CHECK: ttg.shared = 65536
// CHECK: %[[A:.*]] = ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32}
// CHECK-NEXT: ttg.convert_layout %[[A]] {allocation.offset = 0 : i32}
// CHECK: "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp"
// CHECK: ttg.convert_layout %x
// CHECK-NOT: ttg.convert_layout
#from = #ttg.linear<{register = [[0, 1], [8, 0], [0, 16], [0, 32], [0, 64], [0, 128], [64, 0], [128, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0], [32, 0]], block = []}>
#to = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64], [0, 128]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<256x256xf64, #from>) -> tensor<256x256xf64, #to> {
    %0 = ttg.convert_layout %x : tensor<256x256xf64, #from> -> tensor<256x256xf64, #to>
    tt.return %0 : tensor<256x256xf64, #to>
  }
}
