# A bf16 that is the upper half of a loaded word becomes an f32 by one instruction, not by taking it out and putting it up again.
# run: neso compile %s:scale --signature "*bf16:16,*fp32:16,i32:16" --target sm_90a --emit ptx --num-warps 1
import triton
import triton.language as tl


# CHECK: ld.global.v2.b32
# CHECK-COUNT-4: and.b32 {{.*}}, -65536
# CHECK-NOT: {_, %rs
@triton.jit
def scale(x, out, n):
    at = tl.arange(0, 256)
    tl.store(out + at, tl.load(x + at, mask=at < n).to(tl.float32) * 2.5)
