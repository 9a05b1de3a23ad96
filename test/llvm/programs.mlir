// Ids of programs, with clusters and without; tables of constants that differ.
// llvm: 22
// run: codegen_tool --emit llir %s
// run: codegen_tool %s
#l = #ttg.linear<{register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0], [0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: @table = internal addrspace(1) constant [4 x i32] [i32 3, i32 1, i32 4, i32 1], align 16
  // CHECK: call range(i32 0, 2147483647) i32 @neso.ctaid_x()
  // CHECK: call range(i32 0, 65535) i32 @neso.ctaid_z()
  // CHECK: call range(i32 1, 65536) i32 @neso.nctaid_y()
  // CHECK: %tid.x
  // CHECK: ld.global{{.*}}b32
  tt.func public @k() {
    %x = tt.get_program_id x : i32
    %z = tt.get_program_id z : i32
    %n = tt.get_num_programs y : i32
    %t = arith.constant dense<[3, 1, 4, 1]> : tensor<4xi32, #l>
    tt.call @use(%x, %z, %n, %t) : (i32, i32, i32, tensor<4xi32, #l>) -> ()
    tt.return
  }
  tt.func private @use(%a: i32, %b: i32, %c: i32, %d: tensor<4xi32, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
