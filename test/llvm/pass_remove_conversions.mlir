// Conversions stand only where that costs least. Ranges and index arithmetic are computed where they are wanted; what is
// widened is converted before; what a loop does not change is converted in front of it; a carried tile has the layout
// that its body is cheapest with.
// run: codegen_tool --target sm_80 --warps 4 --pass remove-layout-conversions,cse,dce %s
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[ROWS:.*]] = #ttg.linear<{register = {{\[}}[0, 1], [0, 2], [16, 0]], lane = {{\[}}[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = {{\[}}[4, 0], [8, 0]]
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.linear<{register = {{\[}}[1, 0], [2, 0], [0, 16]], lane = {{\[}}[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = {{\[}}[0, 4], [0, 8]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @copy
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.load
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @copy(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #one>
    %ri = ttg.convert_layout %r : tensor<512xi32, #one> -> tensor<512xi32, #line>
    %pi = tt.splat %in : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
    %ai = tt.addptr %pi, %ri : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
    %x = tt.load %ai : tensor<512x!tt.ptr<f32>, #line>
    %y = ttg.convert_layout %x : tensor<512xf32, #line> -> tensor<512xf32, #one>
    %z = arith.addf %y, %y : tensor<512xf32, #one>
    %po = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #one>
    %ao = tt.addptr %po, %r : tensor<512x!tt.ptr<f32>, #one>, tensor<512xi32, #one>
    %bo = ttg.convert_layout %ao : tensor<512x!tt.ptr<f32>, #one> -> tensor<512x!tt.ptr<f32>, #line>
    %zo = ttg.convert_layout %z : tensor<512xf32, #one> -> tensor<512xf32, #line>
    tt.store %bo, %zo : tensor<512x!tt.ptr<f32>, #line>
    tt.return
  }
  // From rows to columns, once, and narrow.
  // CHECK-LABEL: @widened
  // CHECK: %[[X:.*]] = tt.load {{.*}} : tensor<32x32x!tt.ptr<f16>, #[[ROWS]]>
  // CHECK: %[[Y:.*]] = ttg.convert_layout %[[X]] : tensor<32x32xf16, #[[ROWS]]> -> tensor<32x32xf16, #[[COLUMNS]]>
  // CHECK-NEXT: arith.extf %[[Y]] : tensor<32x32xf16, #[[COLUMNS]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store {{.*}} : tensor<32x32x!tt.ptr<f32>, #[[COLUMNS]]>
  tt.func public @widened(%in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %c = arith.constant dense<64> : tensor<32x1xi32, #rows>
    %cc = arith.constant dense<64> : tensor<1x32xi32, #columns>
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %ie = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<32x1xi32, #rows>
    %je = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x32xi32, #rows>
    %is = arith.muli %ie, %c : tensor<32x1xi32, #rows>
    %ib = tt.broadcast %is : tensor<32x1xi32, #rows> -> tensor<32x32xi32, #rows>
    %jb = tt.broadcast %je : tensor<1x32xi32, #rows> -> tensor<32x32xi32, #rows>
    %at = arith.addi %ib, %jb : tensor<32x32xi32, #rows>
    %ps = tt.splat %in : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #rows>
    %p = tt.addptr %ps, %at : tensor<32x32x!tt.ptr<f16>, #rows>, tensor<32x32xi32, #rows>
    %x = tt.load %p : tensor<32x32x!tt.ptr<f16>, #rows>
    %w = arith.extf %x : tensor<32x32xf16, #rows> to tensor<32x32xf32, #rows>
    %v = ttg.convert_layout %w : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    %k = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #columns}>>
    %l = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #columns}>>
    %ke = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #columns}>> -> tensor<32x1xi32, #columns>
    %le = tt.expand_dims %l {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #columns}>> -> tensor<1x32xi32, #columns>
    %ls = arith.muli %le, %cc : tensor<1x32xi32, #columns>
    %kb = tt.broadcast %ke : tensor<32x1xi32, #columns> -> tensor<32x32xi32, #columns>
    %lb = tt.broadcast %ls : tensor<1x32xi32, #columns> -> tensor<32x32xi32, #columns>
    %to = arith.addi %kb, %lb : tensor<32x32xi32, #columns>
    %qs = tt.splat %out : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #columns>
    %q = tt.addptr %qs, %to : tensor<32x32x!tt.ptr<f32>, #columns>, tensor<32x32xi32, #columns>
    tt.store %q, %v : tensor<32x32x!tt.ptr<f32>, #columns>
    tt.return
  }
  // The loop's tile is carried as the body wants it: one conversion behind the loop.
  // CHECK-LABEL: @carried
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield {{.*}} : tensor<512xf32, #{{.*}}>
  // CHECK: }
  tt.func public @carried(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<512xf32, #one>
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #line>
    %ps = tt.splat %in : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
    %p = tt.addptr %ps, %r : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<512xf32, #one>) : i32 {
      %x = tt.load %p : tensor<512x!tt.ptr<f32>, #line>
      %y = ttg.convert_layout %x : tensor<512xf32, #line> -> tensor<512xf32, #one>
      %t = arith.addf %s, %y : tensor<512xf32, #one>
      scf.yield %t : tensor<512xf32, #one>
    }
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
    %q = tt.addptr %o, %r : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
    %v = ttg.convert_layout %sum : tensor<512xf32, #one> -> tensor<512xf32, #line>
    tt.store %q, %v : tensor<512x!tt.ptr<f32>, #line>
    tt.return
  }
}
