// Dots become what the target has instructions for: fp32 in parts, fp8 as fp16 below sm_89, fp16 accumulators of fp8 in fp32,
// scaled dots as scaling and a dot, odd types in the accumulator's.
// run: codegen_tool --target sm_80 --pass decompose-dots %s
module {
  // CHECK-LABEL: @tf32x3
  // CHECK: %[[AB:.*]] = tt.elementwise_inline_asm "cvt.rna.tf32.f32 $0, $1;"
  // CHECK: %[[REST:.*]] = arith.subf %{{.*}}, %[[AB]]
  // CHECK: %[[AS:.*]] = tt.elementwise_inline_asm "cvt.rna.tf32.f32 $0, $1;" {{.*}} %[[REST]]
  // CHECK: %[[BB:.*]] = tt.elementwise_inline_asm
  // CHECK: %[[BS:.*]] = tt.elementwise_inline_asm
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
  // CHECK: %[[D0:.*]] = tt.dot %[[AS]], %[[BB]], %[[ZERO]], inputPrecision = tf32
  // CHECK: %[[D1:.*]] = tt.dot %[[AB]], %[[BS]], %[[D0]], inputPrecision = tf32
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[D1]], %[[D1]]
  // CHECK: %[[SUM:.*]] = arith.select %[[NAN]], %[[ZERO]], %[[D1]]
  // CHECK: %[[D2:.*]] = tt.dot %[[AB]], %[[BB]], %[[SUM]], inputPrecision = tf32
  // CHECK: arith.addf %[[D2]]
  tt.func private @tf32x3(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    tt.return %d : tensor<32x32xf32>
  }
  // CHECK-LABEL: @bf16x6
  // CHECK-COUNT-6: tt.dot {{.*}} : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  // CHECK-NOT: tt.dot
  tt.func private @bf16x6(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    tt.return %d : tensor<32x32xf32>
  }
  // CHECK-LABEL: @fp8
  // CHECK: %[[A:.*]] = tt.fp_to_fp %{{.*}} : tensor<32x32xf8E4M3FN> -> tensor<32x32xf16>
  // CHECK: %[[B:.*]] = tt.fp_to_fp %{{.*}} : tensor<32x32xf8E5M2> -> tensor<32x32xf16>
  // CHECK: tt.dot %[[A]], %[[B]]
  tt.func private @fp8(%a: tensor<32x32xf8E4M3FN>, %b: tensor<32x32xf8E5M2>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<32x32xf8E4M3FN> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
    tt.return %d : tensor<32x32xf32>
  }
  // No instruction has so short a K: operands in the type of the sum.
  // CHECK-LABEL: @short
  // CHECK: %[[A:.*]] = arith.extf
  // CHECK: %[[B:.*]] = arith.extf
  // CHECK: tt.dot %[[A]], %[[B]]{{.*}} : tensor<16x4xf32> * tensor<4x16xf32>
  tt.func private @short(%a: tensor<16x4xf16>, %b: tensor<4x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x4xf16> * tensor<4x16xf16> -> tensor<16x16xf32>
    tt.return %d : tensor<16x16xf32>
  }
  // CHECK-LABEL: @scaled
  // CHECK: tt.fp_to_fp %{{.*}} : tensor<32x64xf8E4M3FN> -> tensor<32x64xbf16>
  // CHECK: %[[E:.*]] = arith.extui %{{.*}} : tensor<32x2xi8> to tensor<32x2xi16>
  // CHECK: arith.shli %[[E]]
  // CHECK: tt.broadcast {{.*}} -> tensor<32x2x32xbf16>
  // CHECK: %[[A:.*]] = arith.mulf {{.*}} : tensor<32x64xbf16>
  // CHECK: tt.join {{.*}} -> tensor<16x32x2xf16>
  // CHECK: %[[B:.*]] = arith.truncf {{.*}} to tensor<64x16xbf16>
  // CHECK: tt.dot %[[A]], %[[B]]{{.*}}inputPrecision = tf32
  tt.func private @scaled(%a: tensor<32x64xf8E4M3FN>, %b: tensor<32x16xi8>, %s: tensor<32x2xi8>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<32x64xf8E4M3FN>, tensor<32x2xi8> * tensor<32x16xi8> -> tensor<32x16xf32>
    tt.return %d : tensor<32x16xf32>
  }
}
