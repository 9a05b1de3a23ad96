# Rows that are sums in 64 bits of several numbers that 32 hold: of all programs but the first one they are 2^32 and on, and would come
# round to the first ones.
# run: difftest %s
# expect: success
# launch: 5 4 3 1 1 1
# buffer: a fp16 12800 6083406509918329696 -2 3
# buffer: b fp16 8192 14214759042439812016 -2 3
# buffer: c fp32 20480 12444352230540812832 -2 3
# number: M i32 100
# number: K i32 128
# number: LA i32 128
# number: LB i32 64
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, M, K, LA, LB):
    me = tl.program_id(0)
    rows = (me * 268435456).to(tl.int64) + (me * 7 % 8 * 268435456).to(tl.int64) + (me * 5 % 8 * 268435456).to(tl.int64)
    rows += (me * 3 % 8 * 268435456).to(tl.int64) + tl.arange(0, 64)
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for at in range(0, K, 64):
        x = tl.load(a + rows[:, None] * LA + (at + k)[None, :], mask=rows[:, None] < M, other=0.0)
        y = tl.load(b + (at + k)[:, None] * LB + j[None, :], mask=(at + k)[:, None] < K, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + me * 4096 + i[:, None] * 64 + j[None, :], acc)
