// fp8 is a format of memory and of products: no op computes in it; the sign of one is a bit, which may be cleared.
tt.func public @kernel(%f: f8E5M2, %g: f8E4M3FN, %t: tensor<16xf8E5M2>, %c: tensor<16xi1>) {
  %0 = arith.addf %f, %f : f8E5M2  // error: 8: arith.addf: operand 0 must be floats of 16 bits or more; found f8E5M2
  %1 = arith.mulf %t, %t : tensor<16xf8E5M2>  // error: 8: arith.mulf: operand 0 must be floats of 16 bits or more; found tensor<16xf8E5M2>
  %2 = arith.cmpf olt, %g, %g : f8E4M3FN  // error: 8: arith.cmpf: operand 0 must be floats of 16 bits or more; found f8E4M3FN
  %3 = math.fma %f, %f, %f : f8E5M2  // error: 8: math.fma: operand 0 must be floats of 16 bits or more; found f8E5M2
  %4 = arith.maxnumf %g, %g : f8E4M3FN  // error: 8: arith.maxnumf: operand 0 must be floats of 16 bits or more; found f8E4M3FN
  %5 = math.absf %f : f8E5M2
  %6 = arith.select %c, %t, %t : tensor<16xi1>, tensor<16xf8E5M2>
  tt.return
}
