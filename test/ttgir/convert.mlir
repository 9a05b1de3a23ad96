// Every tile gets the usual layout of its shape; ops that tie shapes together work in the layout that follows from one side.
// options: --pass=convert-ttir-to-ttgir --verify-each --stress --no-loc --target sm_80
// CHECK-DAG: #[[V:linear[0-9]*]] = #ttg.linear<{register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]], block = []}>
// CHECK-DAG: #[[M:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}1, 0], [2, 0]], block = []}>
// CHECK-DAG: #[[R:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}4], [8], [16], [32], [64]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]], block = []}>
// CHECK-DAG: #[[C:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = {{\[\[}}1, 0], [2, 0]], block = []}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32}
tt.func public @f(%p: !tt.ptr<f32>, %n: i32) {
  // CHECK: %cst = arith.constant dense<1.000000e+00> : tensor<128x32xf32, #[[M]]>
  %cst = arith.constant dense<1.0> : tensor<128x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %r = tt.make_range {{.*}} : tensor<128xi32, #[[V]]>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  // CHECK-NEXT: %e = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32, #[[V]]> -> tensor<128x1xi32, #[[E:linear[0-9]*]]>
  %e = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  // CHECK-NEXT: %[[N:.*]] = ttg.convert_layout %e : tensor<128x1xi32, #[[E]]> -> tensor<128x1xi32, #[[C]]>
  // CHECK-NEXT: tt.broadcast %[[N]] : tensor<128x1xi32, #[[C]]> -> tensor<128x32xi32, #[[M]]>
  %b = tt.broadcast %e : tensor<128x1xi32> -> tensor<128x32xi32>
  // CHECK: scf.for {{.*}} -> (tensor<128x32xf32, #[[M]]>)
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %cst) -> (tensor<128x32xf32>) : i32 {
    %y = arith.addf %x, %cst : tensor<128x32xf32>
    scf.yield %y : tensor<128x32xf32>
  }
  // CHECK: }) : (tensor<128x32xf32, #[[M]]>) -> tensor<128xf32, #[[R]]>
  // CHECK-NEXT: ttg.convert_layout %s : tensor<128xf32, #[[R]]> -> tensor<128xf32, #[[V]]>
  %s = "tt.reduce"(%l) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tt.reduce.return %d : f32
  }) : (tensor<128x32xf32>) -> tensor<128xf32>
  // CHECK: %j = tt.join {{.*}} -> tensor<128x2xf32, #[[J:linear[0-9]*]]>
  // CHECK-NEXT: ttg.convert_layout %j : tensor<128x2xf32, #[[J]]> -> tensor<128x2xf32
  %j = tt.join %s, %s : tensor<128xf32> -> tensor<128x2xf32>
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: tt.split {{.*}} -> tensor<128xf32, #[[V]]>
  %q, %w = tt.split %j : tensor<128x2xf32> -> tensor<128xf32>
  // CHECK-NEXT: tt.cat {{.*}} : tensor<128xf32, #[[V]]> -> tensor<256xf32, #[[K:linear[0-9]*]]>
  %k = tt.cat %q, %w : tensor<128xf32> -> tensor<256xf32>
  // CHECK: tt.call @g({{.*}}) : (tensor<128x32xi32, #[[M]]>) -> tensor<128x32xi32, #[[M]]>
  %v = tt.call @g(%b) : (tensor<128x32xi32>) -> tensor<128x32xi32>
  tt.print "x" {hex = false, isSigned = array<i32: 0, 1>} : %k, %v : tensor<256xf32>, tensor<128x32xi32>
  tt.return
}
// CHECK: tt.func private @g(%x: tensor<128x32xi32, #[[M]]>) -> tensor<128x32xi32, #[[M]]>
tt.func private @g(%x: tensor<128x32xi32>) -> tensor<128x32xi32> attributes {noinline = true} {
  tt.return %x : tensor<128x32xi32>
}
