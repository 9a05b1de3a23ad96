// Loads and stores: 16 bytes at once where pointers and mask allow it, plain where nothing masks them, one address and constants
// after it, what caches are told, one thread for scalars and copies.
// llvm: 22
// options: --emit ptx
#v = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#c = #ttg.linear<{register = [[0]], lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %odd: i32, %s: !tt.ptr<i32>, %b: !tt.ptr<i8>, %k: i1) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #v>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #v>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #v>, tensor<1024xi32, #v>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #v>
    %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>, #v>, tensor<1024xi32, #v>
    // Nothing masks them.
    // CHECK: ld.global.v4.b32 {{{.*}}}, [%[[X:rd[0-9]+]]];
    // CHECK: ld.global.v4.b32 {{{.*}}}, [%[[X]]+2048];
    // CHECK: st.global.v4.b32 [%[[Y:rd[0-9]+]]],
    // CHECK: st.global.v4.b32 [%[[Y]]+2048],
    %a = tt.load %p : tensor<1024x!tt.ptr<f32>, #v>
    tt.store %q, %a : tensor<1024x!tt.ptr<f32>, #v>
    // A mask that is the same for 16 neighbours; nobody sees what is loaded where it is false.
    // CHECK-NOT: selp
    // CHECK: @%p[[M:[0-9]+]] ld.global.v4.b32 {
    // CHECK: @%p[[N:[0-9]+]] ld.global.v4.b32 {
    // CHECK: @%p[[M]] st.global.v4.b32 [
    // CHECK: @%p[[N]] st.global.v4.b32 [
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #v>
    %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #v>
    %am = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #v>
    tt.store %q, %am, %m : tensor<1024x!tt.ptr<f32>, #v>
    // Any mask: elements alone, and another value where it is false, which is there before the load.
    // CHECK: mov.b32 %[[GOT:r[0-9]+]], 0x3F800000; @%p{{[0-9]+}} ld.global.b32 %[[GOT]], [
    %os = tt.splat %odd : i32 -> tensor<1024xi32, #v>
    %mo = arith.cmpi slt, %r, %os : tensor<1024xi32, #v>
    %one = arith.constant dense<1.0> : tensor<1024xf32, #v>
    %ao = tt.load %p, %mo, %one : tensor<1024x!tt.ptr<f32>, #v>
    tt.store %q, %ao : tensor<1024x!tt.ptr<f32>, #v>
    // What caches are told.
    // CHECK: createpolicy.fractional.L2::evict_first.b64 %[[POLICY:rd[0-9]+]], 1.0;
    // CHECK: ld.global.L1::evict_first.L2::cache_hint.v4.b32 {{.*}}, %[[POLICY]];
    // CHECK: ld.global.cg.v4.b32
    // CHECK: st.global.cs.v4.b32
    // CHECK: ld.volatile.global.v4.b32
    // CHECK: ld.volatile.global.v4.b32
    // CHECK: ld.relaxed.sys.global.L2::cache_hint.v4.b32
    %af = tt.load %p evictionPolicy = evict_first : tensor<1024x!tt.ptr<f32>, #v>
    %ag = tt.load %p cacheModifier = cg : tensor<1024x!tt.ptr<f32>, #v>
    tt.store %q, %ag cacheModifier = cs : tensor<1024x!tt.ptr<f32>, #v>
    tt.store %q, %af : tensor<1024x!tt.ptr<f32>, #v>
    %av = tt.load %p {isVolatile = true} : tensor<1024x!tt.ptr<f32>, #v>
    tt.store %q, %av : tensor<1024x!tt.ptr<f32>, #v>
    %acv = tt.load %p cacheModifier = cv : tensor<1024x!tt.ptr<f32>, #v>
    tt.store %q, %acv : tensor<1024x!tt.ptr<f32>, #v>
    %alast = tt.load %p cacheModifier = cv evictionPolicy = evict_last : tensor<1024x!tt.ptr<f32>, #v>
    tt.store %q, %alast : tensor<1024x!tt.ptr<f32>, #v>
    // Every thread loads a scalar, the first one stores it; a masked byte.
    // CHECK: ld.global.b32
    // CHECK: @%p{{[0-9]+}} st.global.b32 [
    // CHECK: @%p{{[0-9]+}} ld.global.b8 %rs{{[0-9]+}}, [
    // CHECK: @%p{{[0-9]+}} st.global.b8 [
    %i = tt.load %s : !tt.ptr<i32>
    tt.store %s, %i : !tt.ptr<i32>
    %byte = tt.load %b, %k : !tt.ptr<i8>
    tt.store %b, %byte, %k : !tt.ptr<i8>
    // 16 elements in 128 threads and two registers each: one load a thread, and a store by the first 16 alone.
    // CHECK: ld.global.b32
    // CHECK-NOT: ld.global
    // CHECK: @%p{{[0-9]+}} st.global.b32 [
    // CHECK-NOT: st.global
    // CHECK: ret;
    %rc = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #c>
    %sc = tt.splat %s : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #c>
    %pc = tt.addptr %sc, %rc : tensor<16x!tt.ptr<i32>, #c>, tensor<16xi32, #c>
    %ac = tt.load %pc : tensor<16x!tt.ptr<i32>, #c>
    tt.store %pc, %ac : tensor<16x!tt.ptr<i32>, #c>
    tt.return
  }
}
