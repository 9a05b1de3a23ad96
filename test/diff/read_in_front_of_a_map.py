# A operand of registers is read in front of a load through a map that the pipeline leaves where it is: that load becomes a copy with a
# wait, so the operand is there at once, and has to stay until the product has ended.
# run: difftest %s
# expect: success
# launch: 1 4 4 1 2 4
# buffer: a fp32 2064 12201632703746230848 -2 3
# buffer: b fp32 272 10496962334747727520 -2 3
# buffer: c fp32 18432 5357229109608292928 -2 3
# buffer: d fp32 32 11504087633910224328 -2 3
# buffer: e i32 72 5303332883540602392 0 3
# buffer: f i32 1 14152460858634895336 0 0
# buffer: o fp32 18432 13652603269919597800 -2 3
# buffer: v fp32 256 10510594822757252968 0 0
# buffer: q i32 17 5191353483994190512 1 1
# number: M i32 128
# number: N i32 16
# number: K i32 16
# number: FROM i32 0
# number: REST i32 0
# number: OFF i32 64
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, o, v, q, M, N, K, FROM, REST, OFF):
    pid, step = tl.program_id(0), tl.num_programs(0)
    rows, columns = tl.cdiv(M, 128), tl.cdiv(N, 16)
    tiles, parts = rows * columns, tl.cdiv(K, 64)
    r, s, k = tl.arange(0, 128), tl.arange(0, 16), tl.arange(0, 64)
    da = tl.make_tensor_descriptor(a, [K, M], [M, 1], [64, 128])
    db = tl.make_tensor_descriptor(b, [N, K], [K, 1], [16, 64])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [128, 16])
    mine = tiles // step
    if pid < tiles % step:
        mine += 1
    total = parts * mine
    tile = pid
    row, column = 0, 0
    i = tl.where(row + r < M, row + r, 0)
    j = tl.where(column + s < N, column + s, 0)
    ki = -1
    acc = tl.zeros((128, 16), tl.float32)
    side = tl.zeros((128,), tl.float32)
    done = 0
    for t in tl.range(0, total, num_stages=2, disallow_acc_multi_buffer=True):
        ki = t % parts
        tile = pid + t // parts * step
        if ki == 0:
            row, column = tile // columns * 128, tile % columns * 16
            i = tl.where(row + r < M, row + r, 0)
            j = tl.where(column + s < N, column + s, 0)
            side = tl.zeros((128,), tl.float32)
        at = ki * 64
        x = da.load([at, row]).T
        y = db.load([column, at]).T
        acc = tl.dot(x, y, acc, out_dtype=tl.float32)
        side += tl.sum(x.to(tl.float32), 1)
        if ki == parts - 1:
            u = acc
            tl.store(c + (row + r)[:, None] * N + (column + s)[None, :], u.to(c.dtype.element_ty), mask=((row + r)[:, None] < M) & ((column + s)[None, :] < N))
            tl.store(v + tile * 128 + r, side)
    tl.store(e + 64 + pid, done)
