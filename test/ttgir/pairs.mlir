// Stages of a butterfly whose pairs lie in lanes share conversions: bits of several stages go to registers at once.
// options: --pass=convert-ttir-to-ttgir,coalesce,remove-layout-conversions,cse,dce --verify-each --no-loc --num-warps 1 --target sm_90a
module {
  // CHECK-LABEL: @butterfly
  // CHECK: tt.load
  // CHECK-COUNT-2: ttg.convert_layout
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store
  tt.func public @butterfly(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %q = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %at : tensor<1024x!tt.ptr<f32>>
    %r0 = tt.reshape %x : tensor<1024xf32> -> tensor<128x2x4xf32>
    %t0 = tt.trans %r0 {order = array<i32: 0, 2, 1>} : tensor<128x2x4xf32> -> tensor<128x4x2xf32>
    %a0, %b0 = tt.split %t0 : tensor<128x4x2xf32> -> tensor<128x4xf32>
    %s0 = arith.addf %a0, %b0 : tensor<128x4xf32>
    %d0 = arith.subf %a0, %b0 : tensor<128x4xf32>
    %j0 = tt.join %s0, %d0 : tensor<128x4xf32> -> tensor<128x4x2xf32>
    %u0 = tt.trans %j0 {order = array<i32: 0, 2, 1>} : tensor<128x4x2xf32> -> tensor<128x2x4xf32>
    %v0 = tt.reshape %u0 : tensor<128x2x4xf32> -> tensor<1024xf32>
    %r1 = tt.reshape %v0 : tensor<1024xf32> -> tensor<64x2x8xf32>
    %t1 = tt.trans %r1 {order = array<i32: 0, 2, 1>} : tensor<64x2x8xf32> -> tensor<64x8x2xf32>
    %a1, %b1 = tt.split %t1 : tensor<64x8x2xf32> -> tensor<64x8xf32>
    %s1 = arith.addf %a1, %b1 : tensor<64x8xf32>
    %d1 = arith.subf %a1, %b1 : tensor<64x8xf32>
    %j1 = tt.join %s1, %d1 : tensor<64x8xf32> -> tensor<64x8x2xf32>
    %u1 = tt.trans %j1 {order = array<i32: 0, 2, 1>} : tensor<64x8x2xf32> -> tensor<64x2x8xf32>
    %v1 = tt.reshape %u1 : tensor<64x2x8xf32> -> tensor<1024xf32>
    %r2 = tt.reshape %v1 : tensor<1024xf32> -> tensor<32x2x16xf32>
    %t2 = tt.trans %r2 {order = array<i32: 0, 2, 1>} : tensor<32x2x16xf32> -> tensor<32x16x2xf32>
    %a2, %b2 = tt.split %t2 : tensor<32x16x2xf32> -> tensor<32x16xf32>
    %s2 = arith.addf %a2, %b2 : tensor<32x16xf32>
    %d2 = arith.subf %a2, %b2 : tensor<32x16xf32>
    %j2 = tt.join %s2, %d2 : tensor<32x16xf32> -> tensor<32x16x2xf32>
    %u2 = tt.trans %j2 {order = array<i32: 0, 2, 1>} : tensor<32x16x2xf32> -> tensor<32x2x16xf32>
    %v2 = tt.reshape %u2 : tensor<32x2x16xf32> -> tensor<1024xf32>
    tt.store %at, %v2 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
