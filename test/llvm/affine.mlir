// Registers that differ by constants: one base for all, one value carried by a loop, constants as offsets. Zero bits below a
// multiple of the block prove that the 32-bit sum does not wrap; without them each index is extended by itself.
// options: --emit llir
#l = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %step: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %B = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %o = arith.muli %pid, %B : i32
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #l>
    %os = tt.splat %o : i32 -> tensor<1024xi32, #l>
    %at = arith.addi %os, %r : tensor<1024xi32, #l>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
    // CHECK: shl nuw nsw i32 %{{.*}}, 2
    // CHECK: %[[INDEX:.*]] = or disjoint i32
    // CHECK: %[[WIDE:.*]] = sext i32 %[[INDEX]] to i64
    // CHECK: %[[BASE:.*]] = getelementptr i32, ptr addrspace(1) %0, i64 %[[WIDE]]
    %p = tt.addptr %xs, %at : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
    %ss = tt.splat %step : i32 -> tensor<1024xi32, #l>
    // CHECK: loop:
    // CHECK: phi i32
    // CHECK-NEXT: %[[P:.*]] = phi ptr addrspace(1) [ %[[NEXT:.*]], %loop ], [ %[[BASE]],
    // CHECK-NOT: phi
    // CHECK-DAG: getelementptr i8, ptr addrspace(1) %[[P]], i64 4
    // CHECK-DAG: getelementptr i8, ptr addrspace(1) %[[P]], i64 2060
    // CHECK: call void @use(ptr addrspace(1) %[[P]],
    // CHECK: %[[NEXT]] = getelementptr i32, ptr addrspace(1) %[[P]], i64
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<1024x!tt.ptr<f32>, #l>) : i32 {
      tt.call @use(%q) : (tensor<1024x!tt.ptr<f32>, #l>) -> ()
      %q2 = tt.addptr %q, %ss : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
      scf.yield %q2 : tensor<1024x!tt.ptr<f32>, #l>
    }
    // CHECK: exit:
    // CHECK: %[[AFTER:.*]] = phi ptr addrspace(1) [ %[[BASE]], %body ], [ %
    // CHECK-NOT: phi
    // CHECK: getelementptr i8, ptr addrspace(1) %[[AFTER]], i64 4
    tt.call @use(%s) : (tensor<1024x!tt.ptr<f32>, #l>) -> ()
    // An offset of which nothing is known: the sum may wrap, so every index is extended after it.
    // CHECK-COUNT-4: sext i32
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #l>
    %at2 = arith.addi %ns, %r : tensor<1024xi32, #l>
    %p2 = tt.addptr %xs, %at2 : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
    tt.call @use(%p2) : (tensor<1024x!tt.ptr<f32>, #l>) -> ()
    tt.return
  }
  tt.func private @use(%q: tensor<1024x!tt.ptr<f32>, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
