# An operand that several products take in registers, read from a ring: none of them goes on into the next iteration, as nothing holds
# the registers until it has ended.
# run: difftest %s
# expect: success
# launch: 1 4 2 1 1 1
# buffer: a fp32 6000 7045412695877250800 -2 3
# buffer: b fp32 2560 17374923236561473128 -2 3
# buffer: c fp32 1888 3927615394478898112 -2 3
# buffer: d fp32 336 4646182483924924064 -2 3
# buffer: e i32 64 5998819065296655920 0 1
# buffer: f i32 128 10394670464793910472 0 0
# buffer: g i8 592 5798337191628918176 -1 1
# buffer: s fp32 672 14502687163225996888 -2 3
# number: M i32 59
# number: N i32 16
# number: K i32 80
# number: LA i32 75
# number: LB i32 80
# number: LC i32 32
# number: S i32 336
# number: FROM i32 0
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, g, s, M, N, K, LA, LB, LC, S, FROM):
    me = tl.program_id(0)
    rows, columns = tl.cdiv(M, 64), tl.cdiv(N, 16)
    tile = me
    row, column = tile % rows * 64, tile // rows * 16
    ii, jj, k = row + tl.arange(0, 64), column + tl.arange(0, 16), tl.arange(0, 64)
    i, j = ii, jj
    acc = tl.zeros((64, 16), tl.float32)
    acc2 = tl.zeros((64, 16), tl.float32)
    for at in tl.range(FROM, K, 64, loop_unroll_factor=2):
        x = tl.load(a + i[:, None] + (at + k)[None, :] * LA, mask=(i[:, None] < M) & ((at + k)[None, :] < K), other=0.0)
        y = tl.load(b + (at + k)[:, None] * 1 + j[None, :] * LB)
        acc = tl.dot(x, y, acc, out_dtype=tl.float32)
        y2 = tl.load(b + ((at + 16) + k)[:, None] * 1 + j[None, :] * LB)
        acc2 = tl.dot(x, y2, acc2, out_dtype=tl.float32)
    acc += acc2
    tl.store(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty), mask=(ii[:, None] < M))
