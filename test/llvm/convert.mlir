// Conversions between layouts: names alone, selects, shuffles of packed words, shared memory, ldmatrix; copies are stored once.
// llvm: 22
// options: --pass allocate,barriers --emit ptx --kernel names
#a = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#renamed = #ttg.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#lanes = #ttg.linear<{register = [[1], [4]], lane = [[2], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#warps = #ttg.linear<{register = [[128], [256]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#operand = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#twice = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], block = []}>
#apart = #ttg.linear<{register = [], lane = [[0], [0], [1], [2], [0]], warp = [[4], [8]], block = []}>
#each = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}>
#eight = #ttg.linear<{register = [[1], [2], [4]], lane = [[8], [16], [0], [0], [0]], warp = [[0], [0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .visible .entry names(
  // CHECK-NOT: shfl
  // CHECK-NOT: selp
  // CHECK-NOT: shared
  // CHECK: ret;
  tt.func public @names(%x: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>
    %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #a>, tensor<512xi32, #a>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #a>
    %q = ttg.convert_layout %p : tensor<512x!tt.ptr<f32>, #a> -> tensor<512x!tt.ptr<f32>, #renamed>
    %w = ttg.convert_layout %v : tensor<512xf32, #a> -> tensor<512xf32, #renamed>
    tt.store %q, %w : tensor<512x!tt.ptr<f32>, #renamed>
    tt.return
  }
  // Half of a thread's elements come from the neighbour: two rounds, four selects.
  // CHECK-LABEL: .visible .entry lanes(
  // CHECK-COUNT-2: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  // CHECK-NOT: shared
  // CHECK: ret;
  tt.func public @lanes(%x: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>
    %rl = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #lanes>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>
    %xl = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #lanes>
    %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #a>, tensor<512xi32, #a>
    %q = tt.addptr %xl, %rl : tensor<512x!tt.ptr<f32>, #lanes>, tensor<512xi32, #lanes>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #a>
    %w = ttg.convert_layout %v : tensor<512xf32, #a> -> tensor<512xf32, #lanes>
    tt.store %q, %w : tensor<512x!tt.ptr<f32>, #lanes>
    tt.return
  }
  // The same for 16 bits: both elements in one word.
  // CHECK-LABEL: .visible .entry halves(
  // CHECK-COUNT-1: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  // CHECK: ret;
  tt.func public @halves(%x: !tt.ptr<f16>) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>
    %rl = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #lanes>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #a>
    %xl = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #lanes>
    %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f16>, #a>, tensor<512xi32, #a>
    %q = tt.addptr %xl, %rl : tensor<512x!tt.ptr<f16>, #lanes>, tensor<512xi32, #lanes>
    %v = tt.load %p : tensor<512x!tt.ptr<f16>, #a>
    %w = ttg.convert_layout %v : tensor<512xf16, #a> -> tensor<512xf16, #lanes>
    tt.store %q, %w : tensor<512x!tt.ptr<f16>, #lanes>
    tt.return
  }
  // CHECK-LABEL: .visible .entry warps(
  // CHECK: st.shared.v4.b32 [
  // CHECK: bar.sync 0;
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK-NOT: bar.sync
  // CHECK: ret;
  tt.func public @warps(%x: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>
    %rl = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #warps>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>
    %xl = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #warps>
    %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #a>, tensor<512xi32, #a>
    %q = tt.addptr %xl, %rl : tensor<512x!tt.ptr<f32>, #warps>, tensor<512xi32, #warps>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #a>
    %w = ttg.convert_layout %v : tensor<512xf32, #a> -> tensor<512xf32, #warps>
    tt.store %q, %w : tensor<512x!tt.ptr<f32>, #warps>
    tt.return
  }
  // CHECK-LABEL: .visible .entry matrix(
  // CHECK-COUNT-4: st.shared.v4.b32 [
  // CHECK: bar.sync 0;
  // CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK: ret;
  tt.func public @matrix(%x: f16, %o: !tt.ptr<f16>) {
    %v = tt.splat %x : f16 -> tensor<64x64xf16, #rows>
    %w = ttg.convert_layout %v : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #operand>
    %p = tt.splat %o : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #operand>
    tt.store %p, %w : tensor<64x64x!tt.ptr<f16>, #operand>
    tt.return
  }
  // Eight threads hold each element: one of them stores it.
  // CHECK-LABEL: .visible .entry copies(
  // CHECK: and.b32 %{{r[0-9]+}}, %{{r[0-9]+}}, 19;
  // CHECK: bra
  // CHECK: st.shared.b32
  // CHECK: bar.sync 0;
  // CHECK: ld.shared.b32
  // CHECK: ret;
  tt.func public @copies(%x: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #apart>
    %rl = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #twice>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #apart>
    %xl = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #twice>
    %p = tt.addptr %xs, %r : tensor<16x!tt.ptr<f32>, #apart>, tensor<16xi32, #apart>
    %q = tt.addptr %xl, %rl : tensor<16x!tt.ptr<f32>, #twice>, tensor<16xi32, #twice>
    %v = tt.load %p : tensor<16x!tt.ptr<f32>, #apart>
    %w = ttg.convert_layout %v : tensor<16xf32, #apart> -> tensor<16xf32, #twice>
    tt.store %q, %w : tensor<16x!tt.ptr<f32>, #twice>
    tt.return
  }
  // What lanes hold of pages of 16 tokens is one number in each thread: one lane is asked. Of pages
  // of two, four.
  // CHECK-LABEL: .visible .entry pages(
  // CHECK-COUNT-1: shfl.sync.idx.b32
  // CHECK-NOT: shfl
  // CHECK: ret;
  tt.func public @pages(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #each>
    %re = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #eight>
    %by = arith.constant dense<16> : tensor<32xi32, #each>
    %at = arith.divsi %r, %by : tensor<32xi32, #each>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #each>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #eight>
    %p = tt.addptr %xs, %at : tensor<32x!tt.ptr<i32>, #each>, tensor<32xi32, #each>
    %q = tt.addptr %ys, %re : tensor<32x!tt.ptr<i32>, #eight>, tensor<32xi32, #eight>
    %v = tt.load %p : tensor<32x!tt.ptr<i32>, #each>
    %w = ttg.convert_layout %v : tensor<32xi32, #each> -> tensor<32xi32, #eight>
    tt.store %q, %w : tensor<32x!tt.ptr<i32>, #eight>
    tt.return
  }
  // CHECK-LABEL: .visible .entry short_pages(
  // CHECK-COUNT-4: shfl.sync.idx.b32
  // CHECK-NOT: shfl
  // CHECK: ret;
  tt.func public @short_pages(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #each>
    %re = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #eight>
    %by = arith.constant dense<2> : tensor<32xi32, #each>
    %at = arith.divsi %r, %by : tensor<32xi32, #each>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #each>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #eight>
    %p = tt.addptr %xs, %at : tensor<32x!tt.ptr<i32>, #each>, tensor<32xi32, #each>
    %q = tt.addptr %ys, %re : tensor<32x!tt.ptr<i32>, #eight>, tensor<32xi32, #eight>
    %v = tt.load %p : tensor<32x!tt.ptr<i32>, #each>
    %w = ttg.convert_layout %v : tensor<32xi32, #each> -> tensor<32xi32, #eight>
    tt.store %q, %w : tensor<32x!tt.ptr<i32>, #eight>
    tt.return
  }
}
