// The greatest and smallest of a tile that was widened from 16 bits are taken before; not where it was wider than that, and not of a
// loop's running maximum, which threads keep for themselves.
// run: neso opt --pass=narrow-extremes --verify-each --no-loc --target sm_90a %s
module {
  // CHECK-LABEL: @most
  // CHECK: %[[X:.*]] = tt.load
  // CHECK: %[[W:.*]] = arith.extf %[[X]] : tensor<64xbf16> to tensor<64xf32>
  // CHECK: %[[M:.*]] = "tt.reduce"(%[[X]])
  // CHECK: arith.maxnumf %{{.*}} : bf16
  // CHECK: (tensor<64xbf16>) -> bf16
  // CHECK: %[[E:.*]] = arith.extf %[[M]] : bf16 to f32
  // CHECK: tt.splat %[[E]] : f32 -> tensor<64xf32>
  tt.func public @most(%p: !tt.ptr<bf16>, %q: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %sp = tt.splat %p : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>
    %at = tt.addptr %sp, %r : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>
    %x = tt.load %at : tensor<64x!tt.ptr<bf16>>
    %w = arith.extf %x : tensor<64xbf16> to tensor<64xf32>
    %m = "tt.reduce"(%w) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64xf32>) -> f32
    %s = tt.splat %m : f32 -> tensor<64xf32>
    %d = arith.subf %w, %s : tensor<64xf32>
    %sq = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %to = tt.addptr %sq, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %to, %d : tensor<64x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @magnitudes
  // CHECK-NEXT: %[[B:.*]] = tt.reshape %x : tensor<8x32xf16> -> tensor<4x64xf16>
  // CHECK-NEXT: %[[A:.*]] = math.absf %[[B]] : tensor<4x64xf16>
  // CHECK-NEXT: "tt.reduce"(%[[A]])
  // CHECK: (tensor<4x64xf16>) -> tensor<4xf16>
  // CHECK: arith.extf %{{.*}} : tensor<4xf16> to tensor<4xf32>
  tt.func public @magnitudes(%x: tensor<8x32xf16>, %q: tensor<4x!tt.ptr<f32>>) {
    %w = arith.extf %x : tensor<8x32xf16> to tensor<8x32xf32>
    %v = math.absf %w : tensor<8x32xf32>
    %f = tt.reshape %v : tensor<8x32xf32> -> tensor<4x64xf32>
    %m = "tt.reduce"(%f) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<4x64xf32>) -> tensor<4xf32>
    tt.store %q, %m : tensor<4x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @others
  // CHECK: (tensor<64xf32>) -> f32
  // CHECK: (tensor<64xf32>) -> f32
  // CHECK: scf.for
  // CHECK: (tensor<64xf32>) -> f32
  tt.func public @others(%x: tensor<64xbf16>, %y: tensor<64xf32>, %n: i32, %q: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %low = arith.constant 0xFF800000 : f32
    %w = arith.extf %x : tensor<64xbf16> to tensor<64xf32>
    %m = "tt.reduce"(%y) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64xf32>) -> f32
    tt.store %q, %m : !tt.ptr<f32>
    %s = "tt.reduce"(%w) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64xf32>) -> f32
    tt.store %q, %s : !tt.ptr<f32>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%so = %low) -> (f32) : i32 {
      %k = "tt.reduce"(%w) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.maxnumf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<64xf32>) -> f32
      %t = arith.maxnumf %so, %k : f32
      scf.yield %t : f32
    }
    tt.store %q, %l : !tt.ptr<f32>
    tt.return
  }
}
