// Loops are built rotated; regions' values meet in phis; functions take and give registers; a kernel's attributes.
// llvm: 22
// options: --emit llir --warps 4
#l = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: define ptx_kernel void @k(ptr addrspace(1) align 16 %0, i32 %1, i64 %2) #[[KERNEL:[0-9]+]]
  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %m: i64) {
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : i32
    %z = arith.constant 0 : i64
    // No first round where the bound is not above the start; the counter's step of 3 may wrap.
    // CHECK: icmp sgt i32 %1, 0
    // CHECK: loop:
    // CHECK: %[[NEXT:.*]] = add {{(nuw )?}}i32 %{{.*}}, 3
    // CHECK: %[[GO:.*]] = icmp slt i32 %[[NEXT]], %1
    // CHECK: br i1 %[[GO]], label %loop
    %f = scf.for %i = %c0 to %n step %c3 iter_args(%a = %m) -> (i64) : i32 {
      %w = arith.extsi %i : i32 to i64
      %b = arith.addi %a, %w : i64
      scf.yield %b : i64
    }
    // CHECK: while:
    // CHECK: icmp sgt i64
    // CHECK: br i1 %{{.*}}, label %do, label %done
    // CHECK: br label %while
    // CHECK: done:
    %r = scf.while (%a = %f) : (i64) -> i64 {
      %c = arith.cmpi sgt, %a, %z : i64
      scf.condition(%c) %a : i64
    } do {
    ^bb0(%a: i64):
      %h = arith.constant 1 : i64
      %b = arith.shrsi %a, %h : i64
      scf.yield %b : i64
    }
    %c = arith.cmpi eq, %r, %m : i64
    // CHECK: br i1 %{{.*}}, label %[[THEN:then[0-9]*]], label %[[ELSE:else[0-9]*]]
    // CHECK: endif
    // CHECK: phi i64
    %s = scf.if %c -> (i64) {
      %b = arith.addi %r, %f : i64
      scf.yield %b : i64
    } else {
      %b, %d = tt.call @two(%r) : (i64) -> (i64, i64)
      scf.yield %d : i64
    }
    // CHECK: call i64 @one(i64
    %t = tt.call @one(%s) : (i64) -> i64
    // CHECK: call void @llvm.assume(i1
    llvm.intr.assume %c : i1
    tt.return
  }
  // CHECK: define internal { i64, i64 } @two(i64 %0) #[[FUNCTION:[0-9]+]]
  // CHECK: insertvalue
  tt.func private @two(%a: i64) -> (i64, i64) attributes {noinline = true} {
    gpu.barrier
    %b = arith.addi %a, %a : i64
    tt.return %a, %b : i64, i64
  }
  // CHECK: define internal i64 @one(i64 %0)
  tt.func private @one(%a: i64) -> i64 attributes {noinline = true} {
    gpu.barrier
    tt.return %a : i64
  }
  // CHECK: attributes #[[KERNEL]] = { {{.*}}"neso"="kernel=k args=p48 threads=128 shared=0 {{.*}} "nvvm.reqntid"="128"
  // CHECK: attributes #[[FUNCTION]] = { convergent noinline
}
