# Roles are asked for in a loop without slots, as its loads stay in registers: there are none, and no crash.
# run: difftest %s
# expect: success
# launch: 1 8 1 1 2 1
# buffer: a fp16 5120 12205938775731523392 -2 3
# buffer: b fp16 10240 14829318200430255704 -2 3
# buffer: c fp16 3072 7940405895073124008 -2 3
# buffer: d fp16 336 8561424291314811672 -2 3
# buffer: e i32 64 14600476091526266360 0 1
# buffer: f i32 128 18424129734934452712 0 0
# buffer: g i8 592 14134777288704105592 -1 1
# buffer: s fp16 672 2890326485553070448 -2 3
# number: M i32 64
# number: N i32 48
# number: K i32 80
# number: LA i32 64
# number: LB i32 64
# number: LC i32 48
# number: S i32 336
# number: FROM i32 0
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, g, s, M, N, K, LA, LB, LC, S, FROM):
    me = tl.program_id(0)
    rows, columns = tl.cdiv(M, 64), tl.cdiv(N, 64)
    for tile in tl.range(me, rows * columns, tl.num_programs(0), warp_specialize=True):
        row, column = tile % rows * 64, tile // rows * 64
        ii, jj, k = row + tl.arange(0, 64), column + tl.arange(0, 64), tl.arange(0, 32)
        i, j = tl.minimum(ii, M - 1), tl.where(jj < N, jj, 0)
        acc = tl.load(d + j % 64)[None, :].to(tl.float32) + tl.zeros((64, 64), tl.float32)
        acc2 = tl.zeros((64, 64), tl.float32)
        side = tl.zeros((64,), tl.float32)
        m_i = tl.full((64,), -1000.0, tl.float32)
        for t in range(tl.cdiv(K, 32) - 1, -1, -1):
            at = t * 32
            x = tl.load(a + i[:, None] + (at + k).to(tl.int64)[None, :] * LA, mask=((at + k)[None, :] < K), other=0)
            y = tl.load(b + (at + k)[:, None] * LB + j[None, :] * 1, mask=((at + k)[:, None] < K), other=0)
            y = (y * tl.load(e + at // 32 % 64)).to(tl.float16)
            acc += tl.dot(x, y, out_dtype=tl.float32)
        acc += acc2
        acc += tl.load(d + jj % 64).to(acc.dtype)[None, :]
        tl.store(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty), mask=(ii[:, None] < M) & (jj[None, :] < N))
        tl.store(s + me * S + tl.arange(0, 64), side.to(s.dtype.element_ty), mask=tl.arange(0, 64) < S)
