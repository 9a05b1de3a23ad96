# A kernel of which several CTAs share an SM, for launches that give each an SM for itself: copies take its memory. Not where it is
# persistent for many, nor where programs take differently long.
# run: neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32,64,128,0"
# run: NESO_PERSIST=many neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32,64,128,0"
# run: neso compile %s:product --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32,128,256,0"
# run: neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32,64,128,1"
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K, few, M: tl.constexpr, N: tl.constexpr, VARIES: tl.constexpr):
    m, n, k = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, 64)
    acc = tl.zeros((M, N), tl.float32)
    end = tl.program_id(0) % few * 64 if VARIES else K
    for i in range(0, end, 64):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + n[None, :] * K + (i + k)[:, None])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))

# CHECK: loop alone: for launches of no more programs than the GPU has SMs
# CHECK: copied by TMA 6 ahead
# CHECK: CTAs that share an SM hide
# CHECK: copied by TMA 2 ahead
# CHECK: loop persistent-many
# CHECK-NOT: loop alone
