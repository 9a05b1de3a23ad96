// Elements of a thread that are known to have one address are loaded once: 8 neighbours of a row share a weight, whose index
// is a quotient. Where the mask may tell them apart, each is loaded.
// options: --emit ptx
#l = #ttg.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  tt.func public @k(%w: !tt.ptr<f32>, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %m: i32) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #l>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #l>
    %c = arith.divsi %r, %ns : tensor<1024xi32, #l>
    %ws = tt.splat %w : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %wa = tt.addptr %ws, %c : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
    // CHECK: .entry k
    // CHECK-COUNT-1: ld.global
    %k = arith.cmpi slt, %r, %ns : tensor<1024xi32, #l>
    %x = tt.load %wa, %k : tensor<1024x!tt.ptr<f32>, #l>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    %oa = tt.addptr %os, %r : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
    // CHECK-NOT: ld.global
    // CHECK-COUNT-2: st.global{{.*}}v4
    tt.store %oa, %x : tensor<1024x!tt.ptr<f32>, #l>
    gpu.barrier
    // CHECK: bar
    // CHECK-COUNT-8: ld.global
    %ms = tt.splat %m : i32 -> tensor<1024xi32, #l>
    %k2 = arith.cmpi slt, %r, %ms : tensor<1024xi32, #l>
    %y = tt.load %wa, %k2 : tensor<1024x!tt.ptr<f32>, #l>
    // CHECK-NOT: ld.global
    // CHECK: st.global
    tt.store %oa, %y : tensor<1024x!tt.ptr<f32>, #l>
    tt.return
  }
}
