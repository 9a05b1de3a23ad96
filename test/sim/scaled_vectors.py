# A scaled and masked vector's maximum, one number, is taken of what is not scaled, as that of rows is.
# run: neso run %s:largest --target sim:sm_90a --check -q -g 2 h=rand:65536:fp32 zero=zeros:4096:fp32 wrong=zeros:1:i32 scale=0.125 N=7000 --expect wrong=zeros:1:i32
# run: neso run %s:largest --target sim:sm_90a --check -q -g 2 h=rand:65536:fp32 zero=zeros:4096:fp32 wrong=zeros:1:i32 scale=-2.0 N=8192 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def largest(h, zero, wrong, scale, N):
    r = tl.arange(0, 4096)
    big, total = -float("inf"), 0.0
    same, sums = -float("inf"), 0.0
    for n in range(0, N, 4096):
        s = tl.load(h + tl.program_id(0) * 32768 + n + r)
        x = tl.where(n + r < N, s * scale, -float("inf"))
        new = tl.maximum(big, tl.max(x, 0))
        total = total * tl.exp2(big - new) + tl.sum(tl.exp2(x - new), 0)
        big = new
        y = tl.where(n + r < N, s * (scale + tl.load(zero + r)), -float("inf"))
        new = tl.maximum(same, tl.max(y, 0))
        sums = sums * tl.exp2(same - new) + tl.sum(tl.exp2(y - new), 0)
        same = new
    tl.atomic_add(wrong, ((big != same) | (tl.abs(total - sums) > 1e-4 * sums)).to(tl.int32))
