// The copy takes what it needs of the arguments anew: quotients too, which are not hoisted; loads in front of the loop stay.
// options: --pass=align-loops --verify-each --stress --no-loc --target sm_90a
module {
  // CHECK-LABEL: @columns
  // CHECK: %[[WRAPPED:.*]] = arith.remsi
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK-NEXT: %[[LOW:.*]] = arith.andi %n, %[[ONE]] : i32
  // CHECK: %[[EVEN:.*]] = arith.cmpi eq, %[[LOW]], %{{.*}} : i32
  // CHECK: scf.if %[[EVEN]] -> (tensor<64x64xf32>) {
  // CHECK: %[[MASK:.*]] = arith.constant -2 : i32
  // CHECK-NEXT: %[[N:.*]] = arith.andi %n, %[[MASK]] {tt.divisibility = 2 : i32} : i32
  // CHECK: %[[TILE:.*]] = tt.splat %[[N]] : i32 -> tensor<64xi32>
  // CHECK: arith.remsi %{{.*}}, %[[TILE]] : tensor<64xi32>
  // CHECK: scf.for
  // CHECK: tt.dot
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK: tt.dot
  // CHECK: tt.store
  tt.func public @columns(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %times: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64 = arith.constant dense<64> : tensor<64x1xi32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %s = tt.splat %n : i32 -> tensor<64xi32>
    %w = arith.remsi %r, %s : tensor<64xi32>
    %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %rows = arith.muli %row, %c64 : tensor<64x1xi32>
    %rb = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
    %col = tt.expand_dims %w {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %cb = tt.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
    %at = arith.addi %rb, %cb : tensor<64x64xi32>
    %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %bp = tt.addptr %bs, %at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %sum = scf.for %i = %c0 to %times step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>)  : i32 {
      %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
      %y = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
      %d = tt.dot %x, %y, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
  // What no product takes is not worth a second loop.
  // CHECK-LABEL: @summed
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func public @summed(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %times: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64 = arith.constant dense<64> : tensor<64x1xi32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %s = tt.splat %n : i32 -> tensor<64x1xi32>
    %rows = arith.muli %row, %c64 : tensor<64x1xi32>
    %far = arith.muli %row, %s : tensor<64x1xi32>
    %rb = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
    %fb = tt.broadcast %far : tensor<64x1xi32> -> tensor<64x64xi32>
    %col = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %cb = tt.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
    %at = arith.addi %rb, %cb : tensor<64x64xi32>
    %to = arith.addi %fb, %cb : tensor<64x64xi32>
    %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %bp = tt.addptr %bs, %to : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %sum = scf.for %i = %c0 to %times step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>)  : i32 {
      %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
      %y = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
      %w = arith.extf %y : tensor<64x64xf16> to tensor<64x64xf32>
      %d = tt.dot %x, %x, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %e = arith.addf %d, %w : tensor<64x64xf32>
      scf.yield %e : tensor<64x64xf32>
    }
    %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
