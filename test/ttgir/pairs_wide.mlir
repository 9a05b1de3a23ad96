// A butterfly over 16-bit elements loads 16 bytes a thread, though its first stages want neighbours in other
// warps: loads of 2 bytes ask for half a line each, and requests are few.
// options: --pass=convert-ttir-to-ttgir,coalesce,remove-layout-conversions,cse,dce --verify-each --no-loc --num-warps 2 --target sm_90a
module {
  // CHECK: #[[WIDE:[a-z0-9]*]] = #ttg.linear<{register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8],
  // CHECK: tt.load {{.*}} : tensor<512x!tt.ptr<bf16>, #[[WIDE]]>
  tt.func public @butterfly(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %q = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
    %sp = tt.splat %p : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
    %at = tt.addptr %sp, %q : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
    %x = tt.load %at : tensor<512x!tt.ptr<bf16>>
    %r0 = tt.reshape %x : tensor<512xbf16> -> tensor<1x2x256xbf16>
    %t0 = tt.trans %r0 {order = array<i32: 0, 2, 1>} : tensor<1x2x256xbf16> -> tensor<1x256x2xbf16>
    %a0, %b0 = tt.split %t0 : tensor<1x256x2xbf16> -> tensor<1x256xbf16>
    %s0 = arith.addf %a0, %b0 : tensor<1x256xbf16>
    %d0 = arith.subf %a0, %b0 : tensor<1x256xbf16>
    %j0 = tt.join %s0, %d0 : tensor<1x256xbf16> -> tensor<1x256x2xbf16>
    %u0 = tt.trans %j0 {order = array<i32: 0, 2, 1>} : tensor<1x256x2xbf16> -> tensor<1x2x256xbf16>
    %v0 = tt.reshape %u0 : tensor<1x2x256xbf16> -> tensor<512xbf16>
    %r1 = tt.reshape %v0 : tensor<512xbf16> -> tensor<2x2x128xbf16>
    %t1 = tt.trans %r1 {order = array<i32: 0, 2, 1>} : tensor<2x2x128xbf16> -> tensor<2x128x2xbf16>
    %a1, %b1 = tt.split %t1 : tensor<2x128x2xbf16> -> tensor<2x128xbf16>
    %s1 = arith.addf %a1, %b1 : tensor<2x128xbf16>
    %d1 = arith.subf %a1, %b1 : tensor<2x128xbf16>
    %j1 = tt.join %s1, %d1 : tensor<2x128xbf16> -> tensor<2x128x2xbf16>
    %u1 = tt.trans %j1 {order = array<i32: 0, 2, 1>} : tensor<2x128x2xbf16> -> tensor<2x2x128xbf16>
    %v1 = tt.reshape %u1 : tensor<2x2x128xbf16> -> tensor<512xbf16>
    %r2 = tt.reshape %v1 : tensor<512xbf16> -> tensor<4x2x64xbf16>
    %t2 = tt.trans %r2 {order = array<i32: 0, 2, 1>} : tensor<4x2x64xbf16> -> tensor<4x64x2xbf16>
    %a2, %b2 = tt.split %t2 : tensor<4x64x2xbf16> -> tensor<4x64xbf16>
    %s2 = arith.addf %a2, %b2 : tensor<4x64xbf16>
    %d2 = arith.subf %a2, %b2 : tensor<4x64xbf16>
    %j2 = tt.join %s2, %d2 : tensor<4x64xbf16> -> tensor<4x64x2xbf16>
    %u2 = tt.trans %j2 {order = array<i32: 0, 2, 1>} : tensor<4x64x2xbf16> -> tensor<4x2x64xbf16>
    %v2 = tt.reshape %u2 : tensor<4x2x64xbf16> -> tensor<512xbf16>
    %r3 = tt.reshape %v2 : tensor<512xbf16> -> tensor<8x2x32xbf16>
    %t3 = tt.trans %r3 {order = array<i32: 0, 2, 1>} : tensor<8x2x32xbf16> -> tensor<8x32x2xbf16>
    %a3, %b3 = tt.split %t3 : tensor<8x32x2xbf16> -> tensor<8x32xbf16>
    %s3 = arith.addf %a3, %b3 : tensor<8x32xbf16>
    %d3 = arith.subf %a3, %b3 : tensor<8x32xbf16>
    %j3 = tt.join %s3, %d3 : tensor<8x32xbf16> -> tensor<8x32x2xbf16>
    %u3 = tt.trans %j3 {order = array<i32: 0, 2, 1>} : tensor<8x32x2xbf16> -> tensor<8x2x32xbf16>
    %v3 = tt.reshape %u3 : tensor<8x2x32xbf16> -> tensor<512xbf16>
    tt.store %at, %v3 : tensor<512x!tt.ptr<bf16>>
    tt.return
  }
}
