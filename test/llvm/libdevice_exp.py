# libdevice.exp takes eight instructions of fp32 and two of integers: no rounding, conversion or branch of its own.
# llvm: 22
# run: neso compile %s:kernel --signature "*fp32,*fp32" --target sm_90a --emit ptx
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(x_ptr, out_ptr):
    # CHECK-LABEL: .visible .entry kernel(
    # CHECK-NOT: cvt
    # CHECK: fma.rn.f32
    # CHECK: max.f32
    # CHECK: min.f32
    # CHECK: fma.rn.f32
    # CHECK: sub.f32
    # CHECK: fma.rn.f32
    # CHECK: fma.rn.f32
    # CHECK-NOT: mul
    # CHECK: ex2.approx.ftz.f32
    # CHECK: shl.b32
    # CHECK: mul{{.*}}.f32
    # CHECK-NOT: {{cvt|mul|selp}}
    # CHECK: ret;
    tl.store(out_ptr, libdevice.exp(tl.load(x_ptr)))
