// Partitions have no accesses of global memory: one thread of the kernel's warps does those of scalars.
// options: --emit llir --warps 4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<i32>) {
    ttg.warp_specialize(%p)
    default {
      ttg.warp_yield
    }
    partition0(%q: !tt.ptr<i32>) num_warps(1) {
      %c0 = arith.constant 0 : i32
      tt.store %q, %c0 : !tt.ptr<i32>  // error: 7: 'tt.store' has no code: a partition computes scalars and issues copies
      ttg.warp_return
    } : (!tt.ptr<i32>) -> ()
    tt.return
  }
}
