# Rounding to integers is one instruction for each element.
# run: neso compile %s:rounded --signature "*fp32:16,*i64:16" --target sm_90a --emit ptx
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def rounded(x_ptr, o_ptr):
    # CHECK-LABEL: .visible .entry rounded(
    # CHECK: ld.global
    # CHECK-NOT: selp
    # CHECK: cvt.rni.f32.f32
    # CHECK-NOT: selp
    # CHECK: cvt.rni.s64.f32
    # CHECK-NOT: selp
    # CHECK: cvt.rzi.f32.f32
    # CHECK-NOT: selp
    # CHECK: ret;
    i = tl.arange(0, 128)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr + i, libdevice.trunc(libdevice.nearbyint(x) + libdevice.llrint(x + 1).to(tl.float32)))
