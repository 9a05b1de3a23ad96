# A deadlock of sm_90a: the last group waited, in front of its turn, for what it reads itself in that turn.
# run: NESO_TURNS=1 difftest %s
# expect: success
# launch: 1 8 3 1 2
# buffer: a bf16 21504 9314125017250868152 -2 3
# buffer: b bf16 3072 9168672636289433736 -2 3
# buffer: c fp16 1792 14484620014957667424 -2 3
# buffer: d fp16 16 8085982514357642072 -2 3
# buffer: e i32 1 5841300663772575544 -2 3
# number: M i32 112
# number: N i32 16
# number: K i32 192
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, d, e, M, N, K):
    tile = tl.program_id(0)
    rows, columns = tl.cdiv(M, 128), tl.cdiv(N, 16)
    if tile >= rows * columns:
        return
    row, column = tile // columns * 128, tile % columns * 16
    i, j, k = row + tl.arange(0, 128), column + tl.arange(0, 16), tl.arange(0, 64)
    da = tl.make_tensor_descriptor(a, [K, M], [M, 1], [64, 128])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [64, 16])
    acc = tl.zeros((128, 16), tl.float32)
    for at in range(0, K, 64):
        x = da.load([at, row]).T
        y = db.load([at, column])
        acc = tl.dot(x, y, acc, out_dtype=tl.float32)
    inside = (i[:, None] < M) & (j[None, :] < N)
    tl.store(c + i[:, None] * N + j[None, :], acc.to(c.dtype.element_ty), mask=inside)
