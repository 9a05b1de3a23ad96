# Copies into free slots stand between a product that takes its slot as it is and one that takes what is computed an iteration ahead
# (stage-ahead): threads meet in front of them, as the first product of the iteration before reads a slot that they fill.
# run: difftest %s
# expect: success
# launch: 5 8 2 1 1 1
# buffer: a bf16 5136 15818470803070611368 -2 3
# buffer: b bf16 5136 6735101412990120200 -2 3
# buffer: c fp16 24576 14674523112463532032 -2 3
# buffer: d fp16 96 6524974279060114504 -2 3
# buffer: e i32 72 679229212075933656 0 3
# buffer: f i32 1 13708285941814017568 0 0
# buffer: o fp32 24576 17318791954312737528 -2 3
# buffer: v fp32 192 16005501273462515392 0 0
# buffer: q i32 82 10031700252817461472 1 2
# number: M i32 64
# number: N i32 64
# number: K i32 80
# number: FROM i32 0
# number: REST i32 0
# number: OFF i32 64
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, o, v, q, M, N, K, FROM, REST, OFF):
    pid, step = tl.program_id(0), tl.num_programs(0)
    rows, columns = tl.cdiv(M, 64), tl.cdiv(N, 32)
    tiles, parts = rows * columns, tl.cdiv(K, 64)
    r, s, k = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, 64)
    mine = tiles // step
    if pid < tiles % step:
        mine += 1
    total = parts * mine
    tile = pid
    row, column = 0, 0
    i, j = row + r, column + s
    ki = -1
    ap = a + i[:, None] * K + (0 * 64 + k)[None, :]
    bp = b + (0 * 64 + k)[:, None] + j[None, :] * K
    acc = tl.zeros((64, 32), tl.float32)
    acc2 = tl.zeros((64, 32), tl.float32)
    done = 0
    for t in tl.range(0, total, num_stages=4, flatten=True):
        ki = t % parts
        tile = pid + t // parts * step
        if ki == 0:
            row, column = tile // columns * 64, tile % columns * 32
            i, j = row + r, column + s
            ap = a + i[:, None] * K + (0 * 64 + k)[None, :]
            bp = b + (0 * 64 + k)[:, None] + j[None, :] * K
            acc = tl.load(d + (column + s) % N)[None, :].to(tl.float32) + tl.zeros((64, 32), tl.float32)
        at = ki * 64
        x = tl.load(ap, mask=(k < K - at)[None, :] & (i < M)[:, None], other=0)
        y = tl.load(bp, mask=(k[:, None] < K - at) & (j[None, :] < N), other=0)
        ap += 64
        bp += 64
        x = (x.to(tl.float32) + 1).to(a.dtype.element_ty)
        acc += tl.dot(x, y, out_dtype=tl.float32)
        acc2 = tl.dot(x, (y + y).to(b.dtype.element_ty), acc2, out_dtype=tl.float32)
        if ki == parts - 1:
            u = acc
            u += acc2
            tl.atomic_add(o + (row + r)[:, None] * N + (column + s)[None, :], u.to(tl.float32), mask=((row + r)[:, None] < M) & ((column + s)[None, :] < N))
    tl.store(e + 64 + pid, done)
