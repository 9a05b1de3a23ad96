# Rows that 64 bits count and nothing ends, of strides so small that there may be 2^31 of them: the launch takes the kernel that has pointers.
# With larger ones it takes maps.
# run: difftest %s
# expect: success
# launch: 4 4 3 1 1 1
# buffer: a fp16 16384 6083406509918329696 -2 3
# buffer: b fp16 8192 14214759042439812016 -2 3
# buffer: e fp16 65536 6083406509918329699 -2 3
# buffer: c fp32 16384 12444352230540812832 -2 3
# number: N i32 64
# number: K i32 64
# number: LA i32 64
# number: LB i32 64
# number: LE i32 256
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, e, c, N, K, LA, LB, LE):
    me = tl.program_id(0)
    rows = me.to(tl.int64) * N + tl.arange(0, 64)
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for at in range(0, K, 32):
        y = tl.load(b + (at + k)[:, None] * LB + j[None, :])
        acc = tl.dot(tl.load(a + rows[:, None] * LA + (at + k)[None, :]), y, acc)
    for at in range(0, K, 32):
        y = tl.load(b + (at + k)[:, None] * LB + j[None, :])
        acc = tl.dot(tl.load(e + rows[:, None] * LE + (at + k)[None, :]), y, acc)
    tl.store(c + me * 4096 + i[:, None] * 64 + j[None, :], acc)
