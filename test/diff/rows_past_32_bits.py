# Rows that 64 bits count, and 32 do not: a tensor map's coordinates have 32, and what is behind the end stays there. (2^30 rows a program
# stand for as many programs of 128 rows.)
# run: difftest %s
# expect: success
# launch: 5 4 3 1 1 1
# buffer: a fp16 25600 6083406509918329696 -2 3
# buffer: b fp16 16384 14214759042439812016 -2 3
# buffer: c fp32 20480 12444352230540812832 -2 3
# buffer: d fp32 6400 2032885214018757960 -2 3
# number: M i32 100
# number: K i32 256
# number: LA i32 256
# number: LB i32 64
# number: LD i32 64
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, M, K, LA, LB, LD):
    me = tl.program_id(0)
    rows = me.to(tl.int64) * 1073741824 + tl.arange(0, 64)
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for at in range(0, K, 64):
        x = tl.load(a + rows[:, None] * LA + (at + k)[None, :], mask=rows[:, None] < M, other=0.0)
        y = tl.load(b + (at + k)[:, None] * LB + j[None, :], mask=(at + k)[:, None] < K, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + me * 4096 + i[:, None] * 64 + j[None, :], acc)
    tl.store(d + rows[:, None] * LD + j[None, :], acc + me, mask=(rows[:, None] < M) & (j[None, :] < LD))
