# A product in a branch of a loop whose copies a warp of its own issues: threads put what it takes into memory of its own, so slots are
# not free when they have been waited for.
# run: difftest %s
# expect: success
# launch: 1 4 2 1 1 1
# buffer: a fp16 16384 6083406509918329696 -2 3
# buffer: b fp16 65536 14214759042439812016 -2 3
# buffer: c fp16 16384 12444352230540812832 -2 3
# buffer: d fp16 512 2032885214018757960 -2 3
# buffer: e i32 64 15169119277499754712 0 1
# buffer: f i32 128 7723214693229730992 0 0
# buffer: g i8 768 1730164367417408840 -1 1
# buffer: s fp16 1024 7058388180060161216 -2 3
# number: M i32 64
# number: N i32 256
# number: K i32 256
# number: LA i32 64
# number: LB i32 256
# number: LC i32 256
# number: S i32 512
# number: FROM i32 0
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, f, g, s, M, N, K, LA, LB, LC, S, FROM):
    me = tl.program_id(0)
    rows, columns = tl.cdiv(M, 64), tl.cdiv(N, 128)
    da = tl.make_tensor_descriptor(a, [K, M], [LA, 1], [64, 64])
    db = tl.make_tensor_descriptor(b, [K, N], [LB, 1], [64, 128])
    for tile in tl.range(me, rows * columns, tl.num_programs(0), flatten=True, warp_specialize=True):
        row, column = tile // columns * 64, tile % columns * 128
        ii, jj, k = row + tl.arange(0, 64), column + tl.arange(0, 128), tl.arange(0, 64)
        acc = tl.zeros((64, 128), tl.float32)
        for t in range(tl.cdiv(K, 64) - 1, -1, -1):
            at = t * 64
            x = da.load([at, row]).T
            y = db.load([at, column])
            if tl.load(e + at // 32 % 64) != 0:
                acc = tl.dot(x, y, acc, out_dtype=tl.float32)
        tl.store(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty))
