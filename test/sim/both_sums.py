# Matrices of partial sums are loaded by whole warps, though only some lanes store what comes of them.
# run: neso run %s:both_sums --target sim:sm_90a --num-warps 8 --check -q -g 1 rand:128,32:fp16 rand:128,32:fp16 zeros:128:fp32 128 32
# run: neso run %s:both_sums --target sim:sm_80 --num-warps 8 --check -q -g 1 rand:128,32:fp16 rand:128,32:fp16 zeros:128:fp32 128 32
# expect: success
import triton
import triton.language as tl


@triton.jit
def both_sums(a_ptr, b_ptr, out_ptr, N: tl.constexpr, K: tl.constexpr):
    i, k = tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + i[:, None] * K + k[None, :])
    b = tl.load(b_ptr + i[None, :] * K + k[:, None])
    s = tl.dot(a, b)
    tl.store(out_ptr + i, tl.sum(s, 1) - tl.sum(s, 0))
