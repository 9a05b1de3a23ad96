// Offsets marked neso.wide are widened in each address, by one multiply-add, and not in front of the loop; constants are as elsewhere.
// options: --emit llir
#l = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: !tt.ptr<f32>, %n: i32, %step: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %seven = arith.constant dense<7> : tensor<512xi32, #l>
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #l>
    %ss = tt.splat %step : i32 -> tensor<512xi32, #l>
    %o = arith.muli %r, %ss : tensor<512xi32, #l>
    // CHECK: loop:
    // CHECK: %[[P:.*]] = phi ptr addrspace(1)
    // CHECK-COUNT-4: call ptr addrspace(1) @neso.address(ptr addrspace(1) %[[P]], i32 %{{.*}}, i32 4)
    // CHECK-NOT: sext
    // CHECK: call void @use(
    // CHECK: getelementptr i8, ptr addrspace(1) %[[P]], i64 28
    // CHECK-NOT: @neso.address
    // CHECK: call void @use(
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (!tt.ptr<f32>) : i32 {
      %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
      %q = tt.addptr %ps, %o {neso.wide} : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
      tt.call @use(%q) : (tensor<512x!tt.ptr<f32>, #l>) -> ()
      %far = tt.addptr %ps, %seven {neso.wide} : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
      tt.call @use(%far) : (tensor<512x!tt.ptr<f32>, #l>) -> ()
      %next = tt.addptr %p, %step : !tt.ptr<f32>, i32
      scf.yield %next : !tt.ptr<f32>
    }
    tt.return
  }
  tt.func private @use(%q: tensor<512x!tt.ptr<f32>, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
