// A tile that comes by TMA is waited for in front of assembly, which may store where it comes from; not in front of assembly that is said to
// have no effect.
// options: --pass=map-descriptors,lower-descriptors,canonicalize,dce,convert-ttir-to-ttgir,coalesce,remove-layout-conversions,cse,tensor-copies,cse,dce,allocate,barriers --verify-each --stress --no-loc --target sm_90a
module {
  // CHECK-LABEL: @effects
  // CHECK: ttng.async_tma_copy_global_to_local
  // CHECK: ttng.wait_barrier
  // CHECK: tt.elementwise_inline_asm
  // CHECK-NOT: ttng.wait_barrier
  // CHECK: tt.return
  tt.func public @effects(%a: !tt.tensordesc<tensor<32x64xf16>>, %p: !tt.ptr<f16>, %o: !tt.ptr<f16>) {
    %c0 = arith.constant 0 : i32
    %x = tt.descriptor_load %a[%c0, %c0] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
    %asm = tt.elementwise_inline_asm "st.global.u16 [$1], 0; mov.u32 $0, 0;" {constraints = "=r,l", packed_element = 1 : i32, pure = false} %p : !tt.ptr<f16> -> i32
    %q = tt.splat %o : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    tt.store %q, %x : tensor<32x64x!tt.ptr<f16>>
    tt.return
  }
  // CHECK-LABEL: @none
  // CHECK: ttng.async_tma_copy_global_to_local
  // CHECK-NOT: ttng.wait_barrier
  // CHECK: tt.elementwise_inline_asm
  // CHECK: ttng.wait_barrier
  // CHECK: tt.return
  tt.func public @none(%a: !tt.tensordesc<tensor<32x64xf16>>, %p: !tt.ptr<f16>, %o: !tt.ptr<f16>) {
    %c0 = arith.constant 0 : i32
    %x = tt.descriptor_load %a[%c0, %c0] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
    %asm = tt.elementwise_inline_asm "mov.u32 $0, 7;" {constraints = "=r,l", packed_element = 1 : i32, pure = true} %p : !tt.ptr<f16> -> i32
    %at = tt.addptr %o, %asm : !tt.ptr<f16>, i32
    %q = tt.splat %at : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    tt.store %q, %x : tensor<32x64x!tt.ptr<f16>>
    tt.return
  }
}
