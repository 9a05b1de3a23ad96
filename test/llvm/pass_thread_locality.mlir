// A sum over a loop of sums over a tile: in each thread inside the loop, across threads behind it. Not so where the loop looks
// at the sum, or where the dims of threads and registers mix.
// run: codegen_tool --target sm_80 --warps 4 --pass optimize-thread-locality %s
#b = #ttg.linear<{register = [[0, 1], [0, 2], [0, 128]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0], [2, 0]], block = []}>
#row = #ttg.linear<{register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}>
#mixed = #ttg.linear<{register = [[0, 1], [0, 128], [0, 16]], lane = [[0, 2], [0, 4], [0, 8], [0, 32], [0, 64]], warp = [[1, 0], [2, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @sum
  // CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<4x32xf32
  // CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[ZERO]]) -> (tensor<4x32xf32
  // CHECK: %[[X:.*]] = tt.reshape {{.*}} -> tensor<4x2x32x4xf32
  // CHECK: %[[Y:.*]] = "tt.reduce"(%[[X]]) <{axis = 3 : i32}>
  // CHECK: %[[Z:.*]] = "tt.reduce"(%[[Y]]) <{axis = 1 : i32}>
  // CHECK: %[[T:.*]] = arith.addf %[[S]], %[[Z]]
  // CHECK: scf.yield %[[T]]
  // CHECK: %[[ALL:.*]] = "tt.reduce"(%[[SUM]]) <{axis = 1 : i32}>
  // CHECK: arith.addf %{{.*}}, %[[ALL]]
  tt.func private @sum(%x: tensor<4x256xf32, #b>, %n: i32) -> tensor<4xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = arith.constant dense<3.000000e+00> : tensor<4xf32, #row>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<4xf32, #row>) : i32 {
      %y = arith.mulf %x, %x : tensor<4x256xf32, #b>
      %r = "tt.reduce"(%y) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<4x256xf32, #b>) -> tensor<4xf32, #row>
      %t = arith.addf %s, %r : tensor<4xf32, #row>
      scf.yield %t : tensor<4xf32, #row>
    }
    tt.return %sum : tensor<4xf32, #row>
  }
  // CHECK-LABEL: @seen
  // CHECK: scf.for {{.*}} -> (tensor<4xf32
  tt.func private @seen(%x: tensor<4x256xf32, #b>, %n: i32) -> tensor<4xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = arith.constant dense<3.000000e+00> : tensor<4xf32, #row>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<4xf32, #row>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<4x256xf32, #b>) -> tensor<4xf32, #row>
      %t = arith.addf %s, %r : tensor<4xf32, #row>
      tt.print " s: " {hex = false, isSigned = array<i32: 0>} : %s : tensor<4xf32, #row>
      scf.yield %t : tensor<4xf32, #row>
    }
    tt.return %sum : tensor<4xf32, #row>
  }
  // CHECK-LABEL: @mixed
  // CHECK: scf.for {{.*}} -> (tensor<4xf32
  tt.func private @mixed(%x: tensor<4x256xf32, #mixed>, %n: i32) -> tensor<4xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = arith.constant dense<3.000000e+00> : tensor<4xf32, #row>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<4xf32, #row>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<4x256xf32, #mixed>) -> tensor<4xf32, #row>
      %t = arith.addf %s, %r : tensor<4xf32, #row>
      scf.yield %t : tensor<4xf32, #row>
    }
    tt.return %sum : tensor<4xf32, #row>
  }
}
