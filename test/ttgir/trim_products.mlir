// Products multiply no padding: where both operands are zero along K, and where no store writes the result's columns. One operand
// alone, another value than zero and columns that are stored leave it as it is.
// run: neso opt --pass=trim-products --verify-each --no-loc --target sm_90a %s
module {
  // CHECK-LABEL: @heads
  // CHECK: tt.dot
  // CHECK-SAME: neso.used_k = 96 : i32
  // CHECK-NOT: neso.used_n
  // CHECK: tt.dot
  // CHECK-NOT: neso.used_k
  // CHECK-SAME: neso.used_n = 96 : i32
  tt.func public @heads(%p: tensor<64x128x!tt.ptr<f16>>, %q: tensor<128x64x!tt.ptr<f16>>, %o: tensor<64x128x!tt.ptr<f32>>) {
    %zero = arith.constant dense<0.0> : tensor<64x128xf16>
    %zero_k = arith.constant dense<0.0> : tensor<128x64xf16>
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sums = arith.constant dense<0.0> : tensor<64x128xf32>
    %d = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %end = arith.constant dense<96> : tensor<1x128xi32>
    %end_k = arith.constant dense<96> : tensor<128x1xi32>
    %row = tt.expand_dims %d {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %column = tt.expand_dims %d {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %in = arith.cmpi slt, %row, %end : tensor<1x128xi32>
    %in_k = arith.cmpi slt, %column, %end_k : tensor<128x1xi32>
    %mask = tt.broadcast %in : tensor<1x128xi1> -> tensor<64x128xi1>
    %mask_k = tt.broadcast %in_k : tensor<128x1xi1> -> tensor<128x64xi1>
    %a = tt.load %p, %mask, %zero : tensor<64x128x!tt.ptr<f16>>
    %b = tt.load %q, %mask_k, %zero_k : tensor<128x64x!tt.ptr<f16>>
    %s = tt.dot %a, %b, %none : tensor<64x128xf16> * tensor<128x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %v = tt.load %p, %mask, %zero : tensor<64x128x!tt.ptr<f16>>
    %x = tt.dot %h, %v, %sums : tensor<64x64xf16> * tensor<64x128xf16> -> tensor<64x128xf32>
    tt.store %o, %x, %mask : tensor<64x128x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @others
  // CHECK-NOT: neso.used
  // CHECK: tt.return
  tt.func public @others(%p: tensor<64x128x!tt.ptr<f16>>, %q: tensor<128x64x!tt.ptr<f16>>, %o: tensor<64x128x!tt.ptr<f32>>,
                         %t: tensor<64x64x!tt.ptr<f32>>, %n: i32) {
    %zero = arith.constant dense<0.0> : tensor<64x128xf16>
    %one_k = arith.constant dense<1.0> : tensor<128x64xf16>
    %zero_k = arith.constant dense<0.0> : tensor<128x64xf16>
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sums = arith.constant dense<0.0> : tensor<64x128xf32>
    %d = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %end = arith.constant dense<96> : tensor<1x128xi32>
    %end_k = arith.constant dense<96> : tensor<128x1xi32>
    %row = tt.expand_dims %d {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %column = tt.expand_dims %d {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %in = arith.cmpi slt, %row, %end : tensor<1x128xi32>
    %in_k = arith.cmpi slt, %column, %end_k : tensor<128x1xi32>
    %mask = tt.broadcast %in : tensor<1x128xi1> -> tensor<64x128xi1>
    %mask_k = tt.broadcast %in_k : tensor<128x1xi1> -> tensor<128x64xi1>
    %any = tt.splat %n : i32 -> tensor<1x128xi32>
    %below = arith.cmpi slt, %row, %any : tensor<1x128xi32>
    %mask_n = tt.broadcast %below : tensor<1x128xi1> -> tensor<64x128xi1>
    %a = tt.load %p, %mask, %zero : tensor<64x128x!tt.ptr<f16>>
    %b = tt.load %q, %mask_k, %one_k : tensor<128x64x!tt.ptr<f16>>
    %c = tt.load %q : tensor<128x64x!tt.ptr<f16>>
    %e = tt.load %q, %mask_k, %zero_k : tensor<128x64x!tt.ptr<f16>>
    %f = tt.load %p, %mask_n, %zero : tensor<64x128x!tt.ptr<f16>>
    %s0 = tt.dot %a, %b, %none : tensor<64x128xf16> * tensor<128x64xf16> -> tensor<64x64xf32>
    %s1 = tt.dot %a, %c, %s0 : tensor<64x128xf16> * tensor<128x64xf16> -> tensor<64x64xf32>
    %s2 = tt.dot %f, %e, %s1 : tensor<64x128xf16> * tensor<128x64xf16> -> tensor<64x64xf32>
    tt.store %t, %s2 : tensor<64x64x!tt.ptr<f32>>
    %h = arith.truncf %s2 : tensor<64x64xf32> to tensor<64x64xf16>
    %x = tt.dot %h, %a, %sums : tensor<64x64xf16> * tensor<64x128xf16> -> tensor<64x128xf32>
    tt.store %o, %x : tensor<64x128x!tt.ptr<f32>>
    tt.return
  }
}
