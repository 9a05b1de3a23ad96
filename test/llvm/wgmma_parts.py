# Where the user limits how much of K adds up in wgmma's own way, threads add the parts, and the one part of a step, to
# the sums so far: these do not stay in the instruction over the loop. 64 x 64 sums are 32 a thread.
# run: for most in 32 64 0; do neso compile %s:kernel --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,i32,$most" --target sm_90a --emit ptx | grep -c "add.rn.f32"; done; true
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, o, steps, MOST: tl.constexpr):
    r, k = tl.arange(0, 64), tl.arange(0, 64)
    sums = tl.zeros((64, 64), tl.float32)
    for i in range(steps):
        x = tl.load(a + r[:, None] * 64 + k[None, :])
        y = tl.load(b + r[None, :] * 64 + k[:, None])
        sums = tl.dot(x, y, sums, max_num_imprecise_acc=MOST)
        a += 4096
        b += 4096
    tl.store(o + r[:, None] * 64 + r[None, :], sums)
# CHECK: {{^64$}}
# CHECK-NEXT: {{^32$}}
# CHECK-NEXT: {{^0$}}
