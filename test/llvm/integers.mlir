// Integer arithmetic that LLVM has no instruction for, and comparisons.
// options: --emit llir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @k(
  tt.func public @k(%a: i32, %b: i32, %h: i64, %p: i1) {
    // CHECK-DAG: call i32 @llvm.smin.i32(i32 %0, i32 %1)
    %min = arith.minsi %a, %b : i32
    // CHECK-DAG: call i32 @llvm.umax.i32(i32 %0, i32 %1)
    %max = arith.maxui %a, %b : i32
    // The least value has no opposite: its absolute value is itself.
    // CHECK-DAG: call i32 @llvm.abs.i32(i32 %0, i1 false)
    %abs = math.absi %a : i32
    // CHECK-DAG: zext i64 %2 to i128
    %hi = tt.mulhiui %h, %h : i64
    // Rounded up: one more where there is a rest and the signs agree; rounded down: one less where they differ.
    // CHECK-DAG: %[[Q:.*]] = sdiv i32 %0, %1
    %up = arith.ceildivsi %a, %b : i32
    %down = arith.floordivsi %a, %b : i32
    // CHECK-DAG: icmp uge i32
    %c = arith.cmpi uge, %min, %max : i32
    // CHECK-DAG: select i1 %3
    %s = arith.select %p, %up, %down : i32
    // CHECK: call void @use(
    tt.call @use(%abs, %hi, %s, %c) : (i32, i64, i32, i1) -> ()
    tt.return
  }
  tt.func private @use(%a: i32, %b: i64, %c: i32, %d: i1) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
