# Of two products in a loop the later one's sums are under way behind the wait for the earlier one: they are not kept in shared memory.
# run: difftest %s
# expect: success
# launch: 1 4 2 1 2 1
# buffer: a bf16 15104 7676941838401058144 -2 3
# buffer: b bf16 50176 11527539488697420056 -2 3
# buffer: c fp32 7552 10908497235606349232 -2 3
# buffer: d fp32 512 11936601099194728752 -2 3
# buffer: e i32 64 10016953679317258712 0 1
# buffer: f i32 128 8140939137885882856 0 0
# buffer: g i8 768 10876080020071800160 -1 1
# buffer: s fp32 1024 7716529939727805504 -2 3
# number: M i32 59
# number: N i32 128
# number: K i32 256
# number: LA i32 256
# number: LB i32 256
# number: LC i32 128
# number: S i32 512
# number: FROM i32 0
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, g, s, M, N, K, LA, LB, LC, S, FROM):
    me = tl.program_id(0)
    rows, columns = tl.cdiv(M, 64), tl.cdiv(N, 128)
    tile = me
    if tile >= rows * columns:
        return
    row, column = tile % rows * 64, tile // rows * 128
    ii, jj, k = row + tl.arange(0, 64), column + tl.arange(0, 128), tl.arange(0, 128)
    i, j = ii, jj
    acc = tl.load(d + j % 64)[None, :].to(tl.float32) + tl.zeros((64, 128), tl.float32)
    acc2 = tl.zeros((64, 128), tl.float32)
    side = tl.zeros((64,), tl.float32)
    m_i = tl.full((64,), -1000.0, tl.float32)
    at = FROM
    ap = tl.make_block_ptr(a, (M, K), (LA, 1), (row, at), (64, 128), (1, 0))
    x = tl.load(ap, boundary_check=(0, 1), padding_option='zero', cache_modifier='.cg')
    x = (x * 2).to(tl.bfloat16)
    for t in range(tl.cdiv(K, 128) - 1, -1, -1):
        at = t * 128
        bp = tl.make_block_ptr(b, (K, N), (1, LB), (at, column), (128, 128), (0, 1))
        y = tl.load(bp, boundary_check=(0, 1), padding_option='zero', eviction_policy='evict_first')
        if tl.load(e + at // 32 % 64) != 0:
            acc = tl.dot(x, y, acc, out_dtype=tl.float32)
        bp = tl.make_block_ptr(b, (K, N), (1, LB), ((at + 16), column), (128, 128), (0, 1))
        y2 = tl.load(bp, boundary_check=(0, 1), padding_option='zero')
        acc2 = tl.dot(x, y2, acc2, out_dtype=tl.float32)
    acc += acc2
    acc += tl.load(c + ii[:, None] * LC + jj[None, :], mask=(ii[:, None] < M) & (jj[None, :] < N)).to(acc.dtype)
    cp = tl.make_block_ptr(c, (M, N), (LC, 1), (row.to(tl.int32), column), (64, 128), (1, 0))
    tl.store(cp, acc.to(c.dtype.element_ty), boundary_check=(0, 1))
    tl.store(s + me * S + tl.arange(0, 64), side.to(s.dtype.element_ty), mask=tl.arange(0, 64) < S)
