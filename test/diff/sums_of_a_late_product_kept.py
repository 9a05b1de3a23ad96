# Sums of a product that runs an iteration late are not kept in shared memory while it does.
# run: difftest %s
# expect: success
# launch: 8 4 4 1 2 1
# buffer: a bf16 108544 12997317817489761800 -2 3
# buffer: b bf16 35328 14140052939052321760 -2 3
# buffer: c fp32 20480 1015489755178361552 -2 3
# buffer: d fp16 672 17064926911577479640 -2 3
# buffer: e i32 64 6206145909667687056 0 1
# buffer: f i32 128 13262660510518260872 0 0
# buffer: g i8 928 16168365862691998984 -1 1
# buffer: s fp16 10752 13788219683646047480 -2 3
# number: M i32 256
# number: N i32 64
# number: K i32 416
# number: LA i32 424
# number: LB i32 80
# number: LC i32 80
# number: S i32 672
# number: FROM i32 0
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, g, s, M, N, K, LA, LB, LC, S, FROM):
    me = tl.program_id(0)
    rows, columns = tl.cdiv(M, 128), tl.cdiv(N, 32)
    tile = me
    tile = me % (rows * columns)
    row, column = tile % rows * 128, tile // rows * 32
    ii, jj, k = row + tl.arange(0, 128), column + tl.arange(0, 32), tl.arange(0, 128)
    i, j = tl.minimum(ii, M - 1), tl.where(jj < N, jj, 0)
    acc = tl.zeros((128, 32), tl.float32)
    acc2 = tl.zeros((128, 32), tl.float32)
    side = tl.zeros((128,), tl.float32)
    m_i = tl.full((128,), -1000.0, tl.float32)
    for at in range(FROM, K, 128):
        x = tl.load(a + i[:, None] * LA + (at + k)[None, :], mask=((at + k)[None, :] < K), other=0)
        x = (x.to(tl.float32) + tl.load(g + (at + k)[None, :] + (i[:, None] % 64) * 4)).to(tl.bfloat16)
        y = tl.load(b + (at + k)[:, None] * LB + j[None, :] * 1, mask=((at + k)[:, None] < K), other=0, eviction_policy='evict_first')
        u = tl.dot(x, y, out_dtype=tl.float32)
        u = u * (FROM + -3).to(tl.float32)
        u = tl.where((ii[:, None] >= (jj + at)[None, :]), u, float('-inf'))
        top = tl.maximum(m_i, tl.max(u, 1))
        turn = tl.where(top > m_i, 0.5, 1.0)
        acc = acc * turn[:, None]
        side = side * turn
        w = tl.where(u < -1 + top[:, None], 1.0, 0.0)
        m_i = top
        side += tl.sum(w, 1)
        w = w.to(tl.bfloat16)
        z = tl.load(b + at + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :])
        acc = tl.dot(w, z, acc)
        side = tl.maximum(side, tl.max(x.to(tl.float32), 1))
    acc += acc2
    tl.atomic_add(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty), mask=(ii[:, None] < M) & (jj[None, :] < N))
    tl.atomic_add(f + 64, tl.sum(side).to(tl.int32))
