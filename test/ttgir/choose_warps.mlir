// Sums that a loop of products carries, 256 words of each thread of 4 warps: there are 8. With 128 words there are 4, and where assembly
// may look at its threads.
// options: --pass=choose-warps,convert-ttir-to-ttgir --verify-each --no-loc --target sm_90a
// CHECK: module attributes {{.*}}"ttg.num-warps" = 8
module {
  tt.func public @wide(%a: !tt.ptr<f16>, %n: i32) {
    %0 = arith.constant 0 : i32
    %1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<128x256xf32>
    %x = arith.constant dense<1.0> : tensor<128x64xf16>
    %y = arith.constant dense<1.0> : tensor<64x256xf16>
    %s = scf.for %i = %0 to %n step %1 iter_args(%acc = %z) -> (tensor<128x256xf32>)  : i32 {
      %d = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    tt.return
  }
}
