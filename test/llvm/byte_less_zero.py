# Bytes become floats as what they add to 2^23. The zero point that is taken off next goes with that: one difference a byte.
# run: neso compile %s:kernel --signature "*u8:16,*fp32:16,128" --target sm_90 --emit ptx
# run: neso compile %s:kernel --signature "*u8:16,*fp32:16,0.5" --target sm_90 --emit ptx
import triton
import triton.language as tl


# CHECK-COUNT-4: {{add|sub}}{{.*}}.f32
# CHECK-NOT: {{add|sub}}{{.*}}.f32
# CHECK: ret;
# CHECK-COUNT-8: {{add|sub}}{{.*}}.f32
# CHECK: ret;
@triton.jit
def kernel(x, o, zero: tl.constexpr):
    i = tl.arange(0, 512)
    tl.store(o + i, tl.load(x + i).to(tl.float32) - zero)
