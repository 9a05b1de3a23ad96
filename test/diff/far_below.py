# Rows far below the first one, which 32 bits do not hold: the mask leaves them out, and so does a tensor map, whose coordinates have 32.
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
    rows = tl.arange(0, 64) - me.to(tl.int64) * 4294967296
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for at in range(0, K, 64):
        x = tl.load(a + rows[:, None] * LA + (at + k)[None, :], mask=(rows[:, None] >= 0) & (rows[:, None] < M), other=0.0)
        y = tl.load(b + (at + k)[:, None] * LB + j[None, :], mask=(at + k)[:, None] < K, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + me * 4096 + i[:, None] * 64 + j[None, :], acc)
