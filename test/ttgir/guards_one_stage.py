# A mask of 32 words of a thread is in a branch, but not in a kernel of one stage, where more is scheduled beside what a loop waits for;
# one of 64 words is in both.
# run: neso compile %s:kernel --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,64" --target sm_90a --num-stages 2 --emit ttgir --no-loc
# run: neso compile %s:kernel --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,64" --target sm_90a --num-stages 1 --emit ttgir --no-loc
# run: neso compile %s:kernel --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,128" --target sm_90a --num-stages 1 --emit ttgir --no-loc
import triton
import triton.language as tl


# CHECK: tt.func public @kernel
# CHECK: scf.for
# CHECK: scf.if {{.*}}tensor<64x64xf32
# CHECK: tt.return
# CHECK: tt.func public @kernel
# CHECK: scf.for
# CHECK-NOT: scf.if
# CHECK: tt.return
# CHECK: tt.func public @kernel
# CHECK: scf.for
# CHECK: scf.if {{.*}}tensor<128x64xf32
# CHECK: tt.return
@triton.jit
def kernel(q, k, o, N, M: tl.constexpr):
    m, n, d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, 64), tl.arange(0, 64)
    x = tl.load(q + m[:, None] * 64 + d[None, :])
    total = tl.zeros([M, 64], dtype=tl.float32)
    for start in range(0, N, 64):
        y = tl.load(k + (start + n)[:, None] * 64 + d[None, :])
        s = tl.where(m[:, None] >= (start + n)[None, :], tl.dot(x, tl.trans(y)), 0.0)
        total = tl.dot(s.to(tl.float16), y, total)
    tl.store(o + m[:, None] * 64 + d[None, :], total.to(tl.float16))
