# A loop that adds a tile to memory by a copy in each iteration is bound by that: an SM adds 8 bytes a cycle. A CTA that has the SM to
# itself waits for it besides.
# run: neso compile %s:kernel --target sim:sm_90a --why --num-warps 4 --signature "*fp16:16,*fp16:16,*fp32:16,*fp16:16,i32:16,64"
# run: neso compile %s:kernel --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp32:16,*fp16:16,i32:16,128"
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, sums, out, N, M: tl.constexpr):
    m, d = tl.arange(0, M), tl.arange(0, 128)
    x = tl.load(b + m[:, None] * 128 + d[None, :])
    total = tl.zeros([M, 128], dtype=tl.float32)
    for start in range(0, N, M):
        rows = (start + m)[:, None] * 128 + d[None, :]
        y = tl.load(a + rows)
        s = tl.dot(x, tl.trans(y)).to(tl.float16)
        total = tl.dot(s, y, total)
        tl.atomic_add(sums + rows, tl.dot(tl.trans(s), x), sem="relaxed")
    tl.store(out + m[:, None] * 128 + d[None, :], total.to(tl.float16))

# CHECK: loop cycles: an iteration of each of 2 CTAs on an SM is to take 8192 cycles ({{.*}}bound by additions to memory)
# CHECK: loop cycles: an iteration of each of 1 CTAs on an SM is to take 9916 cycles ({{.*}}bound by additions to memory)
