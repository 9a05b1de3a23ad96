# A masked load has set its registers to the constant of masked elements, and selects it no more; another value is selected.
# run: neso compile %s:copy --target sm_90a --emit ptx --signature "*fp16,*fp16,i32,'0'"
# run: neso compile %s:copy --target sm_90a --emit ptx --signature "*fp16,*fp16,i32,'1'"
# run: neso compile %s:copy --target sm_90a --emit ptx --signature "*fp16,*fp16,i32,'n'"
import triton
import triton.language as tl


@triton.jit
def copy(p, o, n, OTHER: tl.constexpr):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    x = tl.load(p + i, mask=i < n, other=0.0 if OTHER == '0' else 1.0 if OTHER == '1' else n.to(tl.float16))
    tl.store(o + i, x)

# CHECK: mov.b16 %rs{{[0-9]+}}, 0; @%p{{[0-9]+}} ld.global.b16
# CHECK-NOT: selp
# CHECK: .visible .entry copy
# CHECK: mov.b16 %rs{{[0-9]+}}, 0x3C00; @%p{{[0-9]+}} ld.global.b16
# CHECK-NOT: selp
# CHECK: .visible .entry copy
# CHECK: ld.global.b16
# CHECK: selp
