# What a loop of products adds to memory by copies: several programs add to the same tiles, and what one has added is there when its loop
# has ended.
# run: neso run %s:kernel --target sim:sm_90a --schedules 3 --against interp --atol 0.05 -q -g 2 randn:128,64:fp16:1 randn:64,64:fp16:2 zeros:2,128,64:fp32 zeros:128,64:fp32 zeros:128,64:fp32 128
# run: neso run %s:kernel --target sim:sm_90a --schedules 3 --against interp --atol 0.05 -q -g 2 randn:128,64:fp16:1 randn:64,64:fp16:2 zeros:2,128,64:fp32 zeros:128,64:fp32 zeros:128,64:fp32 128 --num-warps 8 --num-stages 2
# expect: success
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, mine, all, out, N):
    at = tl.arange(0, 64)
    x = tl.load(b + at[:, None] * 64 + at[None, :])
    total = tl.zeros([64, 64], dtype=tl.float32)
    own = mine + tl.program_id(0) * N * 64
    for start in range(0, N, 64):
        rows = (start + at)[:, None] * 64 + at[None, :]
        y = tl.load(a + rows)
        total = tl.dot(tl.trans(y), y, total)
        s = tl.dot(y, x)
        tl.atomic_add(own + rows, s, sem="relaxed")
        tl.atomic_add(all + rows, s, sem="relaxed")
    tl.store(out + tl.program_id(0) * 4096 + at[:, None] * 64 + at[None, :], total + tl.load(own + at[:, None] * 64 + at[None, :]))
