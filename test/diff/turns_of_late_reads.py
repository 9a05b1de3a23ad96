# Products that read an operand from memory while they are under way, in a loop of which turns are asked: it has none.
# run: NESO_TURNS=1 difftest %s
# expect: success
# launch: 1 8 3 1 1 1
# buffer: a fp8e5 18432 2885046039605737768 -2 3
# buffer: b fp8e5 6912 18243243527612707832 -2 3
# buffer: c fp32 1024 18249277709950815680 -2 3
# buffer: d fp16 544 8545952042144213240 -2 3
# buffer: e i32 64 6929409330993698336 0 1
# buffer: f i32 128 11351819932927823664 0 0
# buffer: g i8 800 5355065906374488784 -1 1
# buffer: s fp16 1088 9294101612217250024 -2 3
# number: M i32 64
# number: N i32 16
# number: K i32 288
# number: LA i32 64
# number: LB i32 304
# number: LC i32 16
# number: S i32 544
# number: FROM i32 16
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, g, s, M, N, K, LA, LB, LC, S, FROM):
    me = tl.program_id(0)
    rows, columns = tl.cdiv(M, 64), tl.cdiv(N, 32)
    tile = me
    tile = me % (rows * columns)
    row, column = tile // columns * 64, tile % columns * 32
    ii, jj, k = row + tl.arange(0, 64), column + tl.arange(0, 32), tl.arange(0, 128)
    i, j = ii, jj
    acc = tl.zeros((64, 32), tl.float32)
    acc2 = tl.zeros((64, 32), tl.float32)
    side = tl.zeros((64,), tl.float32)
    m_i = tl.full((64,), -1000.0, tl.float32)
    for at in tl.range(FROM, K, 128, num_stages=2):
        x = tl.load(a + i[:, None] + (at + k)[None, :] * LA, mask=(i[:, None] < M) & ((at + k)[None, :] < K), other=0)
        y = tl.load(b + (at + k)[:, None] * 1 + j[None, :] * LB, mask=((at + k)[:, None] < K) & (j[None, :] < N), other=0)
        acc = tl.dot(x, y, acc, out_dtype=tl.float32)
    acc += acc2
    acc += tl.load(d + jj % 64).to(acc.dtype)[None, :]
    tl.atomic_add(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty), mask=(ii[:, None] < M) & (jj[None, :] < N))
    tl.atomic_add(f + 64, tl.sum(side).to(tl.int32))
