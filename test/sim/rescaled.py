# Sums that are rescaled in a branch, where some row's maximum has changed, are to the bit what they are when all are multiplied:
# maxima that rise in each iteration, in some rows alone, never again; rows of nothing but infinities.
# run: for k in "ONE=1" "ONE=0"; do neso run %s:rescaled --target sim:sm_90a --check -q -g 4 h=rand:65536:fp16 zeros=zeros:128:fp32 wrong=zeros:1:i32 N=256 BM=64 BN=32 $k --num-warps 4 --num-stages 2 --expect wrong=zeros:1:i32 || exit 1; done
# run: neso run %s:rescaled --target sim:sm_90a --check -q -g 4 h=rand:65536:fp16 zeros=zeros:128:fp32 wrong=zeros:1:i32 N=160 BM=128 BN=32 ONE=0 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def rescaled(h, zeros, wrong, N, BM: tl.constexpr, BN: tl.constexpr, ONE: tl.constexpr):
    pid = tl.program_id(0)
    m, n, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, 64)
    q = tl.load(h + m[:, None] * 64 + d[None, :])
    zero = tl.load(zeros + m)
    most = tl.full((BM,), -float("inf"), tl.float32)
    acc = tl.zeros((BM, 64), tl.float32)
    same = tl.zeros((BM, 64), tl.float32)
    for i in range(0, N, BN):
        k = tl.load(h + 8192 + (i + n)[None, :] * 64 + d[:, None])
        s = tl.dot(q, k)
        rises = (pid == 0) | ((pid == 1) & (m % 16 == 3)) | ((pid == 2) & (i == 0))
        s += tl.where(rises, i.to(tl.float32), -100.0)[:, None]
        s = tl.where((pid == 3) & (m < 20)[:, None] & (i < 64), -float("inf"), s)
        new = tl.maximum(most, tl.max(s, 1))
        by = tl.exp2(most - new)
        p = tl.exp2(s - new[:, None]).to(tl.float16)
        v = tl.load(h + 32768 + (i + n)[:, None] * 64 + d[None, :])
        acc = tl.dot(p, v, acc * by[:, None])
        if not ONE:
            same = tl.dot(p, v, same * (by + zero)[:, None])
        most = new
    if ONE:
        most = tl.full((BM,), -float("inf"), tl.float32)
        for i in range(0, N, BN):
            k = tl.load(h + 8192 + (i + n)[None, :] * 64 + d[:, None])
            s = tl.dot(q, k)
            rises = (pid == 0) | ((pid == 1) & (m % 16 == 3)) | ((pid == 2) & (i == 0))
            s += tl.where(rises, i.to(tl.float32), -100.0)[:, None]
            s = tl.where((pid == 3) & (m < 20)[:, None] & (i < 64), -float("inf"), s)
            new = tl.maximum(most, tl.max(s, 1))
            by = tl.exp2(most - new) + zero
            p = tl.exp2(s - new[:, None]).to(tl.float16)
            v = tl.load(h + 32768 + (i + n)[:, None] * 64 + d[None, :])
            same = tl.dot(p, v, same * by[:, None])
            most = new
    differs = (acc != same) & ((acc == acc) | (same == same))
    tl.atomic_add(wrong, tl.sum(tl.sum(differs.to(tl.int32), 1)))
