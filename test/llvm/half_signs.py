# Pairs of halves with two signs, as {-6, x} and {x, |y|}, which ptxas takes for others where an instruction has two of them, are computed one
# half at a time there (llvm/halves.h); with one of them, with both halves of one sign, and for {6, x} two at a time.
# run: neso compile %s:constants --target sm_90a --emit ptx --signature "*fp16:16,*fp16:16,-6.0"
# run: neso compile %s:constants --target sm_90a --emit ptx --signature "*bf16:16,*bf16:16,6.0"
# run: neso compile %s:magnitudes --target sm_90a --emit ptx --signature "*fp16:16,*fp16:16"
# run: neso compile %s:one_sign --target sm_90a --emit ptx --signature "*fp16:16,*fp16:16"
import triton
import triton.language as tl


@triton.jit
def constants(x, o, C: tl.constexpr):
    i, j = tl.arange(0, 128), tl.arange(0, 256)
    a = tl.load(x + i)
    v = tl.interleave(tl.full((128,), C, x.dtype.element_ty), a)
    u = tl.interleave(a, tl.load(x + 128 + i))
    tl.store(o + j, tl.fma(v, v, u))
    tl.store(o + 256 + j, tl.fma(v, u, u))


@triton.jit
def magnitudes(x, o):
    i, j = tl.arange(0, 128), tl.arange(0, 256)
    a, b = tl.load(x + i), tl.load(x + 128 + i)
    v, u = tl.interleave(a, tl.abs(b)), tl.interleave(tl.abs(a), b)
    tl.store(o + j, v * u)
    tl.store(o + 256 + j, v * v)


@triton.jit
def one_sign(x, o):
    i, j = tl.arange(0, 128), tl.arange(0, 256)
    a, b = tl.load(x + i), tl.load(x + 128 + i)
    v = tl.interleave(tl.abs(a), tl.abs(b))
    tl.store(o + j, v * v)

# CHECK-LABEL: .entry constants
# CHECK-COUNT-2: fma.rn.f16 {{.*}}
# CHECK: fma.rn.f16x2
# CHECK-NOT: fma.rn
# CHECK-LABEL: .entry constants
# CHECK-COUNT-2: fma.rn.bf16x2
# CHECK-NOT: fma.rn
# CHECK-LABEL: .entry magnitudes
# CHECK-COUNT-4: mul.rn.f16 {{.*}}
# CHECK-NOT: mul.rn.f16
# CHECK-LABEL: .entry one_sign
# CHECK: mul.rn.f16x2
# CHECK-NOT: mul.rn.f16
# CHECK: ret
