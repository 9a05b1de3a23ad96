// Conversions: pairs of floats in one instruction, fp8 by the hardware, to f16 two at a time and from it four, or computed, integers, bits, pointers.
// llvm: 22
// run: codegen_tool --emit llir --target sm_90a %s | sed 's/^/90 /'; codegen_tool --emit llir --target sm_80 %s | sed 's/^/80 /'
#l = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: 90 define ptx_kernel void @k(
  tt.func public @k(%f: tensor<512xf32, #l>, %q: tensor<512xf8E4M3FN, #l>, %d: f64, %i: i64, %p: !tt.ptr<f32>, %c: i1) {
    // CHECK-COUNT-2: 90 {{.*}}fptrunc <2 x float> {{.*}} to <2 x half>
    %h = arith.truncf %f : tensor<512xf32, #l> to tensor<512xf16, #l>
    tt.call @f16(%h) : (tensor<512xf16, #l>) -> ()
    // CHECK-COUNT-2: 90 {{.*}}call i32 @neso.cvt_rz_f16x2(float
    %z = tt.fp_to_fp %f, rounding = rtz : tensor<512xf32, #l> -> tensor<512xf16, #l>
    tt.call @f16(%z) : (tensor<512xf16, #l>) -> ()
    // CHECK: 90 {{.*}}call i32 @neso.f32_to_e4m3(float
    // CHECK-NOT: @neso.f32_to_e4m3
    %e = tt.fp_to_fp %f, rounding = rtne : tensor<512xf32, #l> -> tensor<512xf8E4M3FN, #l>
    tt.call @f8(%e) : (tensor<512xf8E4M3FN, #l>) -> ()
    // CHECK-COUNT-2: 90 {{.*}}call i32 @neso.e4m3_to_f16(i16
    // CHECK-NOT: @neso.e4m3_to_f16
    %w = tt.fp_to_fp %q : tensor<512xf8E4M3FN, #l> -> tensor<512xf16, #l>
    tt.call @f16(%w) : (tensor<512xf16, #l>) -> ()
    // An f64 is cut to f32 with a sticky last bit, so that rounding it again is right.
    // CHECK: 90 {{.*}}call float @neso.cvt_rz_f32_f64(double
    // CHECK: 90 {{.*}}fcmp une double
    // CHECK: 90 {{.*}}call i32 @neso.f32_to_e4m3(float
    %t = tt.fp_to_fp %d, rounding = rtne : f64 -> f8E4M3FN
    tt.call @byte(%t) : (f8E4M3FN) -> ()
    // Beyond the type it is the nearest number, which LLVM's own conversion does not promise.
    // CHECK: 90 {{.*}}call i16 @neso.f64_to_s16(double
    %n = arith.fptosi %d : f64 to i8
    tt.call @i8(%n) : (i8) -> ()
    // What a mask leaves of an integer is below a power of two: 1024 and the number, less 1024, two at a time.
    // CHECK-COUNT-2: 90 {{.*}}call i32 @neso.and_or(i32 {{.*}}, i32 983055, i32 1677747200)
    // CHECK: 90 {{.*}}fadd <2 x half> {{.*}} splat (half 0xHE400)
    %c15 = arith.constant dense<15> : tensor<512xi32, #l>
    %g = tt.call @word() : () -> tensor<512xi32, #l>
    %g15 = arith.andi %g, %c15 : tensor<512xi32, #l>
    %g16 = arith.sitofp %g15 : tensor<512xi32, #l> to tensor<512xf16, #l>
    tt.call @f16(%g16) : (tensor<512xf16, #l>) -> ()
    // More than bf16 holds.
    // CHECK-NOT: @neso.and_or
    // CHECK-COUNT-4: 90 {{.*}}uitofp nneg i32 {{.*}} to float
    %c255 = arith.constant dense<255> : tensor<512xi32, #l>
    %g255 = arith.andi %g, %c255 : tensor<512xi32, #l>
    %gb = arith.sitofp %g255 : tensor<512xi32, #l> to tensor<512xbf16, #l>
    %gf = arith.extf %gb : tensor<512xbf16, #l> to tensor<512xf32, #l>
    %gt = arith.truncf %gf : tensor<512xf32, #l> to tensor<512xf16, #l>
    tt.call @f16(%gt) : (tensor<512xf16, #l>) -> ()
    // Nothing is left of them; f64 has no such power.
    // CHECK: 90 {{.*}}call void @f64s(double 0.000000e+00, double 0.000000e+00,
    %c0 = arith.constant dense<0> : tensor<512xi32, #l>
    %g0 = arith.andi %g, %c0 : tensor<512xi32, #l>
    %gd = arith.sitofp %g0 : tensor<512xi32, #l> to tensor<512xf64, #l>
    tt.call @f64s(%gd) : (tensor<512xf64, #l>) -> ()
    // CHECK: 90 {{.*}}uitofp i1 {{.*}} to double
    %u = arith.uitofp %c : i1 to f64
    tt.call @f64(%u) : (f64) -> ()
    // CHECK: 90 {{.*}}bitcast i64 {{.*}} to double
    %b = tt.bitcast %i : i64 -> f64
    tt.call @f64(%b) : (f64) -> ()
    // CHECK: 90 {{.*}}ptrtoint ptr addrspace(1) {{.*}} to i64
    %a = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
    tt.call @i64(%a) : (i64) -> ()
    tt.return
  }
  // CHECK: 80 define ptx_kernel void @k(
  // CHECK-NOT: 80 {{.*}}@neso.f32_to_e4m3
  // CHECK-NOT: 80 {{.*}}@neso.e4m3_to_f16
  // CHECK: 80 {{.*}}call i32 @neso.prmt(i32 0,
  // CHECK: 80 {{.*}}fmul <2 x half> {{.*}} splat (half 0xH5C00)
  tt.func private @f16(%a: tensor<512xf16, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @f64s(%a: tensor<512xf64, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @word() -> tensor<512xi32, #l> attributes {noinline = true} {
    gpu.barrier
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #l>
    tt.return %r : tensor<512xi32, #l>
  }
  tt.func private @f8(%a: tensor<512xf8E4M3FN, #l>) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @byte(%a: f8E4M3FN) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @i8(%a: i8) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @i64(%a: i64) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @f64(%a: f64) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
