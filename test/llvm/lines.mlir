// Places of the source reach the line table, with the calls that they were inlined through.
// llvm: 22
// options: --lines
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%a: i32, %b: i32) {
    // CHECK: .loc [[KERN:[0-9]+]] 12 5{{$}}
    // CHECK-NEXT: .loc [[LIB:[0-9]+]] 191 40, function_name $L__inlined0, inlined_at [[KERN]] 12 5
    // CHECK-NEXT: .loc [[LIB]] 170 27, function_name $L__inlined0, inlined_at [[LIB]] 191 40
    // CHECK: mul
    %m = arith.muli %a, %b : i32 loc(callsite("/src/lib.py":170:26 at callsite("/src/lib.py":191:39 at "/src/kern.py":12:4)))
    // CHECK: .loc [[KERN]] 13 7{{$}}
    tt.call @use(%m) : (i32) -> () loc("/src/kern.py":13:6)
    tt.return loc("/src/kern.py":14:4)
  } loc("/src/kern.py":10:0)
  tt.func private @use(%a: i32) attributes {noinline = true} {
    gpu.barrier loc("/src/kern.py":4:4)
    tt.return loc("/src/kern.py":4:4)
  } loc("/src/kern.py":3:0)
  // CHECK-DAG: .file [[KERN]] "/src/kern.py"
  // CHECK-DAG: .file [[LIB]] "/src/lib.py"
  // CHECK: .section .debug_str
  // CHECK: $L__inlined0:
  // CHECK-NEXT: .b8 108,105,98,46,112,121,0
}
