# Sums of a product that a wait leaves under way are not kept in shared memory, neither from iteration to iteration (relieve-registers).
# run: difftest %s
# expect: success
# launch: 1 4 2 1 1 1
# buffer: a bf16 9216 13696660611043018968 -2 3
# buffer: b bf16 25600 13164666037794712920 -2 3
# buffer: c fp32 18432 17561529617974261024 -2 3
# buffer: d fp32 384 12505225369977030136 -2 3
# buffer: e i32 64 1478031265569740848 0 1
# buffer: f i32 128 3881300164119283208 0 0
# buffer: g i8 640 7424463529938791944 -1 1
# buffer: s fp32 768 5621836522907736736 -2 3
# number: M i32 128
# number: N i32 128
# number: K i32 64
# number: LA i32 72
# number: LB i32 64
# number: LC i32 144
# number: S i32 384
# number: FROM i32 0
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, g, s, M, N, K, LA, LB, LC, S, FROM):
    me = tl.program_id(0)
    rows, columns = tl.cdiv(M, 128), tl.cdiv(N, 128)
    tile = me
    if tile >= rows * columns:
        return
    row, column = tile % rows * 128, tile // rows * 128
    ii, jj, k = row + tl.arange(0, 128), column + tl.arange(0, 128), tl.arange(0, 32)
    i, j = tl.minimum(ii, M - 1), tl.where(jj < N, jj, 0)
    acc = tl.zeros((128, 128), tl.float32)
    acc2 = tl.zeros((128, 128), tl.float32)
    side = tl.zeros((128,), tl.float32)
    m_i = tl.full((128,), -1000.0, tl.float32)
    for o in range(0, 2):
        for t in range(tl.cdiv(K, 32) - 1, -1, -1):
            at = t * 32
            x = tl.load(a + i[:, None] * LA + (at + k)[None, :], mask=((at + k)[None, :] < K), other=0.0)
            y = tl.load(b + (at + k)[:, None] * 1 + j[None, :] * LB, mask=((at + k)[:, None] < K), other=0, eviction_policy='evict_first')
            acc = tl.dot(x, y, acc, out_dtype=tl.float32)
            tl.store(s + me * S + tl.arange(0, 128) % S, side.to(s.dtype.element_ty), mask=tl.arange(0, 128) < S)
        tl.store(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty), mask=(ii[:, None] < M) & (jj[None, :] < N))
        tl.debug_barrier()
        tl.debug_barrier()
    acc += acc2
    tl.debug_barrier()
    tl.store(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty), mask=(ii[:, None] < M) & (jj[None, :] < N))
    tl.debug_barrier()
    acc += tl.load(c + ii[:, None] * LC + jj[None, :], mask=(ii[:, None] < M) & (jj[None, :] < N)).to(acc.dtype)
    tl.debug_barrier()
    tl.store(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty), mask=(ii[:, None] < M) & (jj[None, :] < N))
    tl.store(s + me * S + tl.arange(0, 128), side.to(s.dtype.element_ty), mask=tl.arange(0, 128) < S)
