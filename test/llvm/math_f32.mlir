// Arithmetic of f32 and f64: the hardware's approximations where the language allows them, else rounded right.
// llvm: 22
// options: --emit ptx --target sm_90a
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .entry k(
  tt.func public @k(%a: f32, %b: f32, %x: f64, %y: f64) {
    // CHECK: div.full.f32
    %div = arith.divf %a, %b : f32
    tt.call @use(%div) : (f32) -> ()
    // CHECK: div.rn.f32
    %divp = tt.precise_divf %a, %b : f32
    tt.call @use(%divp) : (f32) -> ()
    // CHECK: sqrt.approx.ftz.f32
    %sqrt = math.sqrt %a : f32
    tt.call @use(%sqrt) : (f32) -> ()
    // CHECK: sqrt.rn.f32
    %sqrtp = tt.precise_sqrt %a : f32
    tt.call @use(%sqrtp) : (f32) -> ()
    // CHECK: rsqrt.approx.ftz.f32
    %rsqrt = math.rsqrt %a : f32
    tt.call @use(%rsqrt) : (f32) -> ()
    // The product is rounded before the power, and denormal results stay.
    // CHECK: mul.rn.f32 %[[P:r[0-9]+]], %{{.*}}, 0f3FB8AA3B;
    // CHECK: ex2.approx.f32 %{{.*}}, %[[P]];
    %exp = math.exp %a : f32
    tt.call @use(%exp) : (f32) -> ()
    // CHECK: ex2.approx.ftz.f32
    %exp2 = math.exp2 %a : f32
    tt.call @use(%exp2) : (f32) -> ()
    // CHECK: cvt.rmi.f32.f32
    %floor = math.floor %a : f32
    tt.call @use(%floor) : (f32) -> ()
    // CHECK: cvt.rpi.f32.f32
    %ceil = math.ceil %a : f32
    tt.call @use(%ceil) : (f32) -> ()
    // CHECK: abs.f32
    %abs = math.absf %a : f32
    tt.call @use(%abs) : (f32) -> ()
    // CHECK: min.NaN.f32
    %min = arith.minimumf %a, %b : f32
    tt.call @use(%min) : (f32) -> ()
    // CHECK: max.f32
    %max = arith.maxnumf %a, %b : f32
    tt.call @use(%max) : (f32) -> ()
    // CHECK: max.NaN.f32 %[[LOW:r[0-9]+]],
    // CHECK-NEXT: min.NaN.f32 %{{.*}}, %[[LOW]],
    %clamp = tt.clampf %a, %b, %max, propagateNan = all : f32
    tt.call @use(%clamp) : (f32) -> ()
    // CHECK: div.rn.f64
    %div64 = arith.divf %x, %y : f64
    tt.call @use64(%div64) : (f64) -> ()
    // CHECK: sqrt.rn.f64
    %sqrt64 = math.sqrt %x : f64
    tt.call @use64(%sqrt64) : (f64) -> ()
    // CHECK: fma.rn.f64 %{{.*}}, %{{.*}}, 0d3FF71547652B82FE, 0d4338000000000000;
    %exp64 = math.exp %x : f64
    tt.call @use64(%exp64) : (f64) -> ()
    // One with branches stays a function.
    // CHECK: call.uni (retval0), neso_fmod_f64,
    %rem64 = arith.remf %x, %y : f64
    tt.call @use64(%rem64) : (f64) -> ()
    tt.return
  }
  tt.func private @use(%a: f32) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @use64(%a: f64) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
