// Barriers in shared memory that are made one after another, or dropped, take one branch of one thread, and one fence behind those made.
// llvm: 22
// options: --emit llir --warps 4
// CHECK: neso.elect
// CHECK: neso.mbarrier_init
// CHECK-NOT: neso.elect
// CHECK-NOT: neso.fence_async
// CHECK: neso.mbarrier_init
// CHECK-NOT: neso.fence_async
// CHECK: neso.mbarrier_init
// CHECK: neso.fence_async
// CHECK: neso.barrier
// CHECK: neso.elect
// CHECK: neso.mbarrier_inval
// CHECK-NOT: neso.elect
// CHECK: neso.mbarrier_inval
// CHECK: neso.mbarrier_inval
#one = #ttg.shared_linear<{offset = []}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 48 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @barriers() {
    %zero = arith.constant 0 : i32
    %first = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<2x1xi64, #one, #smem, mutable>
    %a = ttg.memdesc_index %first[%zero] : !ttg.memdesc<2x1xi64, #one, #smem, mutable> -> !ttg.memdesc<1xi64, #one, #smem, mutable>
    ttng.init_barrier %a {count = 1 : i32} : !ttg.memdesc<1xi64, #one, #smem, mutable>
    %i = arith.constant 1 : i32
    %b = ttg.memdesc_index %first[%i] : !ttg.memdesc<2x1xi64, #one, #smem, mutable> -> !ttg.memdesc<1xi64, #one, #smem, mutable>
    ttng.init_barrier %b {count = 1 : i32} : !ttg.memdesc<1xi64, #one, #smem, mutable>
    %more = ttg.local_alloc {allocation.offset = 16 : i32} : () -> !ttg.memdesc<1x1xi64, #one, #smem, mutable>
    %c = ttg.memdesc_index %more[%zero] : !ttg.memdesc<1x1xi64, #one, #smem, mutable> -> !ttg.memdesc<1xi64, #one, #smem, mutable>
    ttng.init_barrier %c {count = 4 : i32} : !ttg.memdesc<1xi64, #one, #smem, mutable>
    gpu.barrier
    ttng.inval_barrier %a : !ttg.memdesc<1xi64, #one, #smem, mutable>
    ttng.inval_barrier %b : !ttg.memdesc<1xi64, #one, #smem, mutable>
    ttg.local_dealloc %first : !ttg.memdesc<2x1xi64, #one, #smem, mutable>
    ttng.inval_barrier %c : !ttg.memdesc<1xi64, #one, #smem, mutable>
    ttg.local_dealloc %more : !ttg.memdesc<1x1xi64, #one, #smem, mutable>
    tt.return
  }
}
