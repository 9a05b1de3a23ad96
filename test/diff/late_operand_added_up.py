# The operand that a late product takes is added up as well, in its narrow type: what takes it stands where it is there.
# run: difftest %s
# expect: success
# launch: 1 4 2 1 1 1
# buffer: a fp16 32472 14458360854044339808 -2 3
# buffer: b fp16 12288 17577759070911862944 -2 3
# buffer: c fp16 5904 14106552884840848744 -2 3
# buffer: d fp16 512 15758316352012463808 -2 3
# buffer: e i32 64 9474341055360609968 0 1
# buffer: f i32 128 14395286000993799264 0 0
# buffer: g i8 768 5032234338424021784 -1 1
# buffer: s fp16 2048 9629141405925139128 -2 3
# number: M i32 123
# number: N i32 48
# number: K i32 256
# number: LA i32 264
# number: LB i32 256
# number: LC i32 48
# number: S i32 512
# number: FROM i32 0
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, g, s, M, N, K, LA, LB, LC, S, FROM):
    me = tl.program_id(0)
    rows, columns = tl.cdiv(M, 64), tl.cdiv(N, 64)
    da = tl.make_tensor_descriptor(a, [M, K], [LA, 1], [64, 128])
    db = tl.make_tensor_descriptor(b, [N, K], [LB, 1], [64, 128])
    tile = me
    row, column = tile % rows * 64, tile // rows * 64
    ii, jj, k = row + tl.arange(0, 64), column + tl.arange(0, 64), tl.arange(0, 128)
    acc = tl.zeros((64, 64), tl.float32)
    side = tl.zeros((64,), tl.float32)
    for at in range(FROM, K, 128):
        x = da.load([row, at])
        y = db.load([column, at]).T
        t = tl.dot(x, y, out_dtype=tl.float32)
        w = tl.where(t > 0, 1.0, 0.0).to(tl.float16)
        side += tl.sum(w.to(tl.float32), 1)
        z = tl.load(b + me * 0 + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :])
        acc = tl.dot(w, z, acc)
    tl.store(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty), mask=(ii[:, None] < M) & (jj[None, :] < N))
    tl.store(s + me * S + tl.arange(0, 64), side.to(s.dtype.element_ty), mask=tl.arange(0, 64) < S)
