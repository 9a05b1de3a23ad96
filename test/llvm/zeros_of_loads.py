# A masked load sets its registers before to what masked elements become, and selects nothing: a register that nothing has set is no
# value to ptxas, and could come to be any (apart.mlir).
# run: neso compile %s:copy --target sm_90a --emit ptx --signature "*fp16,*fp16,i32,'0'"
# run: neso compile %s:copy --target sm_90a --emit ptx --signature "*fp16,*fp16,i32,'1'"
import triton
import triton.language as tl


@triton.jit
def copy(p, o, n, OTHER: tl.constexpr):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    x = tl.load(p + i, mask=i < n, other=0.0 if OTHER == '0' else 1.0)
    tl.store(o + i, x)

# CHECK: mov.b16 %rs{{[0-9]+}}, 0; @%p{{[0-9]+}} ld.global.b16
# CHECK-NOT: selp
# CHECK: .visible .entry copy
# CHECK: mov.b16 %[[R:rs[0-9]+]], {{0x3C00|15360}};
# CHECK: @%p{{[0-9]+}} ld.global.b16 %[[R]]
# CHECK-NOT: selp
