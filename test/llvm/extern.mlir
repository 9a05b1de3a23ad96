// Functions of the device library: one instruction, or built from several; what is neither comes from libdevice.10.bc.
// options: --emit llir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: define ptx_kernel void @k(
  tt.func public @k(%f: f32, %i: i32, %d: f64) {
    // CHECK: call float @neso.alu.add.rz.f32(float %0, float %0)
    %a = tt.extern_elementwise %f, %f {libname = "", libpath = "", pure = true, symbol = "__nv_fadd_rz"} : (f32, f32) -> f32
    tt.call @use(%a) : (f32) -> ()
    // CHECK: call float @neso.alu.cvt.rp.f32.s32(i32 %1)
    %b = tt.extern_elementwise %i {libname = "", libpath = "", pure = true, symbol = "__nv_int2float_ru"} : (i32) -> f32
    tt.call @use(%b) : (f32) -> ()
    // CHECK: call float @neso.alu.lg2.approx.f32(float %0)
    // CHECK: fmul float %{{.*}}, 0x3FE62E4300000000
    %c = tt.extern_elementwise %f {libname = "", libpath = "", pure = true, symbol = "__nv_fast_logf"} : (f32) -> f32
    tt.call @use(%c) : (f32) -> ()
    // CHECK: call double @neso.alu.rcp.approx.ftz.f64(double
    // CHECK: fptrunc double
    %e = tt.extern_elementwise %f, %f {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (f32, f32) -> f32
    tt.call @use(%e) : (f32) -> ()
    // CHECK: call {{.*}}i32 @llvm.cttz.i32(i32 %1, i1 true)
    %g = tt.extern_elementwise %i {libname = "", libpath = "", pure = true, symbol = "__nv_ffs"} : (i32) -> i32
    // CHECK: fdiv double 2.000000e+00
    %h = tt.extern_elementwise %d {libname = "", libpath = "", pure = true, symbol = "__nv_tanh"} : (f64) -> f64
    tt.call @use2(%g, %h) : (i32, f64) -> ()
    tt.return
  }
  tt.func private @use(%a: f32) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
  tt.func private @use2(%a: i32, %b: f64) attributes {noinline = true} {
    gpu.barrier
    tt.return
  }
}
