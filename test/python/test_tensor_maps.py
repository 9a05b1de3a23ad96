"""Descriptors as tensor maps: what TMA loads, stores and reduces, in the simulator with its checks, against NumPy."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.tools import ragged_tma  # noqa: E402
from neso.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

OPTIONS = {"neso_target": "sim:sm_90a", "neso_check": True}


@triton.jit
def copy_1d(a, b, M: tl.constexpr):
    i = tl.program_id(0) * M
    b.store([i], a.load([i]))


@triton.jit
def copy_2d(a, b, M: tl.constexpr, N: tl.constexpr, UP: tl.constexpr, LEFT: tl.constexpr):
    i, j = tl.program_id(0) * M - UP, tl.program_id(1) * N - LEFT
    b.store([i, j], a.load([i, j]))


@triton.jit
def write(a, b, m, n, stride, M: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(a, shape=[m, stride], strides=[stride, 1], block_shape=[M, N]).load([0, 0])
    tl.make_tensor_descriptor(b, shape=[m, n], strides=[stride, 1], block_shape=[M, N]).store([0, 0], x)


@triton.jit
def add(a, b, m, n, stride, M: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(a, shape=[m, stride], strides=[stride, 1], block_shape=[M, N]).load([0, 0])
    tl.make_tensor_descriptor(b, shape=[m, n], strides=[stride, 1], block_shape=[M, N]).atomic_add([0, 0], x)


@triton.jit
def shifted(a, b, at):
    b.store([0, at], a.load([0, at]))


@triton.jit
def from_loaded(a, b, starts, ADDS: tl.constexpr):
    start, x = tl.load(starts + tl.program_id(0)), a.load([0, 0])
    if ADDS:
        b.atomic_add([start, 0], x)
    else:
        b.store([start, 0], x)


@triton.jit
def to_parts(a, b, ends, M: tl.constexpr):
    first, end = tl.load(ends + tl.program_id(0)), tl.load(ends + tl.program_id(0) + 1)
    row = tl.program_id(1) * M
    ragged_tma.store_ragged(b, first, end - first, [row, 0], a.load([first + row, 0]))


@triton.jit
def read_twice(p, o):
    """The tile is read in the layout of a product and in another one."""
    x = tl.make_tensor_descriptor(p, shape=[15, 16], strides=[16, 1], block_shape=[16, 16]).load([0, 0]).to(tl.float64)
    y = tl.dot(tl.full((16, 16), 1.0, tl.float64), x, x, input_precision="ieee", out_dtype=tl.float64)
    tl.store(o + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], y)


@triton.jit
def of_expert(a, b, o, experts, n: tl.constexpr, k: tl.constexpr):
    """Weights of one expert: a box with a dim of one in front, which no tile has."""
    r, s, which = tl.arange(0, 64), tl.arange(0, 32), tl.program_id(0)
    w = tl.make_tensor_descriptor(b, shape=[experts, n, k], strides=[n * k, k, 1], block_shape=[1, 32, 64])
    acc = tl.zeros((64, 32), tl.float32)
    for i in range(0, k, 64):
        acc = tl.dot(a.load([0, i]), w.load([which, 32, i]).reshape(32, 64).T, acc)
    tl.store(o + which * 2048 + r[:, None] * 32 + s[None, :], acc)


@triton.jit
def copied_from(a, b, i: tl.constexpr, j: tl.constexpr, k: tl.constexpr):
    b.store([k, 0], a.load([i, j]))


@triton.jit
def copy_3d(a, b, M: tl.constexpr, N: tl.constexpr):
    k, i, j = tl.program_id(2), tl.program_id(0) * M, tl.program_id(1) * N
    b.store([k, i, j], a.load([k, i, j]))


@triton.jit
def copy_5d(a, b):
    b.store([0, 0, 1, 0, 0], a.load([0, 1, 0, 0, 0]))


@triton.jit
def copy_many(a, b, c, d):
    x = a.load([0, 0])
    y = b.load([16, 0])
    c.store([0, 0], x + y)
    d.store([8, 64], x - y)


@triton.jit
def scale(a_ptr, b_ptr, m, n, stride, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [m, n], [stride, 1], [M, N])
    b = tl.make_tensor_descriptor(b_ptr, [m, n], [n, 1], [M, N])
    for i in range(0, m, M):
        for j in range(0, n, N):
            b.store([i, j], a.load([i, j]) * 2)


@triton.jit
def sum_blocks(a, b, n, M: tl.constexpr, N: tl.constexpr):
    total = tl.zeros([M, N], tl.float32)
    for j in range(tl.program_id(0), n):
        total += a.load([0, j * N]).to(tl.float32)
    if n > 2:
        total += a.load([0, 0]).to(tl.float32)
    b.store([tl.program_id(0) * M, 0], total)


@triton.jit
def reduce_blocks(a, b, KIND: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = a.load([tl.program_id(0) * M, 0])
    if KIND == "add":
        b.atomic_add([0, 16], x)
    elif KIND == "min":
        b.atomic_min([0, 16], x)
    elif KIND == "max":
        b.atomic_max([0, 16], x)
    elif KIND == "and":
        b.atomic_and([0, 16], x)
    elif KIND == "or":
        b.atomic_or([0, 16], x)
    else:
        b.atomic_xor([0, 16], x)


@triton.jit
def twice(a, p, M: tl.constexpr, N: tl.constexpr):
    """Stores through the map, then loads what it stored both ways."""
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = a.load([0, 0])
    a.store([0, 0], x + 1)
    y = a.load([0, 0])
    a.store([0, 0], y * 2)
    tl.store(p + i * N + j, y)


@triton.jit
def around(p, o, n, M: tl.constexpr, N: tl.constexpr):
    """Stores through pointers what the map loads, and the reverse."""
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    d = tl.make_tensor_descriptor(p, [M, N], [N, 1], [M, N])
    tl.store(p + i * N + j, i * N + j)
    x = d.load([0, 0])
    d.store([0, 0], x + 1)
    tl.store(o + i * N + j, tl.load(p + i * N + j))


@triton.jit
def handed_on(p, q, o, flag, FIRST: tl.constexpr, ADDS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """One program stores by TMA and says so; the other one loads when it was told. FIRST: which of them stands first."""
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    if tl.program_id(0) == FIRST:
        d = tl.make_tensor_descriptor(p, [M, N], [N, 1], [M, N])
        if ADDS:
            d.atomic_add([0, 0], i)
        else:
            for k in range(2):
                d.store([0, 0], i * k)
        tl.atomic_xchg(flag, 1, sem="release")
    else:
        while tl.atomic_cas(flag, 1, 1) != 1:
            pass
        tl.store(o + i, tl.load(q + i))


@triton.jit
def asked_first(p, q, o, flag, M: tl.constexpr, N: tl.constexpr):
    """The same where the text has the load in front of the store."""
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    d = tl.make_tensor_descriptor(p, [M, N], [N, 1], [M, N])
    if tl.program_id(0) == 0:
        while tl.atomic_add(flag, 0, sem="acquire") != 1:
            pass
        tl.store(o + i, tl.load(q + i))
    else:
        d.store([0, 0], i)
        tl.atomic_add(flag, 1)


@triton.jit
def products(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, KN: tl.constexpr):
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros([M, N], tl.float32)
    for k in range(0, K, BK):
        x = a.load([i, k])
        y = b.load([k, j]) if KN else b.load([j, k]).T
        total = tl.dot(x, y, total)
    c.store([i, j], total.to(c.dtype))


@triton.jit
def persistent(a, b, c, M, N, K, P: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Several tiles a program; a loop for each, of a length of its own, some of them left out."""
    columns = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * columns, P):
        i, j = tile // columns * BM, tile % columns * BN
        total = tl.zeros([BM, BN], tl.float32)
        if tile % 3 != 1:
            for k in range(0, K - tile * BK, BK):
                total = tl.dot(a.load([i, k]), b.load([k, j]), total)
        c.store([i, j], total)


def mapped(compiled):
    return compiled.asm["ttgir"].count("neso.map")


def described(x, block, **more):
    return TensorDescriptor(x, list(x.shape), [s // x.itemsize for s in x.strides], block, **more)


def simulated():
    try:
        copy_1d.warmup(described(np.zeros(16, np.float32), [16]), described(np.zeros(16, np.float32), [16]), 16, grid=(1, ),
                       neso_target="sim:sm_90a")
    except Exception as error:
        if "libneso-codegen" in str(error):
            return False
        raise
    return True


def aligned(shape, dtype, fill=None):
    """NumPy aligns to 16 bytes; rows to 16 bytes as well."""
    row = -(-shape[-1] * np.dtype(dtype).itemsize // 16) * 16 // np.dtype(dtype).itemsize
    whole = np.zeros((*shape[:-1], row), dtype)
    x = whole[..., :shape[-1]]
    if fill is not None:
        x[...] = fill
    return x


def numbers(shape, dtype, seed=1):
    return aligned(shape, dtype, np.random.default_rng(seed).integers(-8, 8, shape).astype(dtype))


@unittest.skipUnless(simulated(), "built without LLVM")
class TensorMaps(unittest.TestCase):

    def test_1d(self):
        for dtype in (np.float32, np.float16, np.int8, np.int64):
            for block in (16, 512):
                a, b = numbers((1000, ), dtype), np.zeros(1000, dtype)
                copy_1d[(-(-1000 // block), )](described(a, [block]), described(b, [block]), block, **OPTIONS)
                np.testing.assert_array_equal(a, b)

    def test_2d(self):
        for dtype in (np.float16, np.float32, np.uint8, np.float64):
            for block in ((16, 16), (32, 64), (8, 128), (64, 16), (512, 16), (1, 64), (4, 32)):
                a, b = numbers((70, 150), dtype), aligned((70, 150), dtype)
                grid = (-(-73 // block[0]), -(-166 // block[1]))
                # What begins before the tensor is read by TMA, and written by pointers in the tiles that do.
                for up, left in ((3, 16), (0, 0)):
                    b[:] = 0
                    compiled = copy_2d[grid](described(a, list(block)), described(b, list(block)), *block, up, left, **OPTIONS)
                    np.testing.assert_array_equal(a, b, f"{dtype} {block}")
                    self.assertEqual(mapped(compiled), 2)

    def test_more_dims(self):
        a, b = numbers((3, 20, 40), np.float16), aligned((3, 20, 40), np.float16)
        copy_3d[(2, 2, 3)](described(a, [1, 16, 32]), described(b, [1, 16, 32]), 16, 32, **OPTIONS)
        np.testing.assert_array_equal(a, b)
        a, b = numbers((2, 2, 3, 4, 16), np.float32), aligned((2, 2, 3, 4, 16), np.float32)
        copy_5d[(1, )](described(a, [2, 1, 2, 4, 16]), described(b, [2, 1, 2, 4, 16]), **OPTIONS)
        np.testing.assert_array_equal(a[:, 1, :2], b[:, 0, 1:])

    def test_padding(self):
        for dtype in (np.float16, np.float32):
            a, b = numbers((8, 32), dtype), aligned((16, 64), dtype, 7)
            copy_2d[(1, 1)](described(a, [16, 64], padding="nan"), described(b, [16, 64]), 16, 64, 3, 16, **OPTIONS)
            expected = np.full((16, 64), 7, dtype)
            expected[:13, :48] = np.nan
            expected[0:8, 0:32] = a
            np.testing.assert_array_equal(b, expected)

    def test_several(self):
        a, b = numbers((32, 64), np.float32), numbers((32, 64), np.float32, 2)
        c, d = aligned((16, 64), np.float32), aligned((32, 128), np.float32)
        block = [16, 64]
        copy_many[(1, )](described(a, block), described(b, block), described(c, block), described(d, block), **OPTIONS)
        np.testing.assert_array_equal(c, a[:16] + b[16:])
        np.testing.assert_array_equal(d[8:24, 64:], a[:16] - b[16:])

    def test_made_of_arguments(self):
        a, b = numbers((50, 96), np.float32), aligned((50, 96), np.float32)
        compiled = scale[(1, )](a, b, 50, 96, 96, 16, 32, **OPTIONS)
        np.testing.assert_array_equal(b, a * 2)
        self.assertEqual(mapped(compiled), 2)

    def test_no_map(self):
        """What no map can say: rows of 75 elements, an address off by one, no rows at all."""
        a, b = np.arange(50 * 75, dtype=np.float32).reshape(50, 75), np.zeros((50, 75), np.float32)
        scale[(1, )](a, b, 50, 75, 75, 16, 32, **OPTIONS)
        np.testing.assert_array_equal(b, a * 2)
        whole = np.arange(64 * 64 + 1, dtype=np.float32)
        a, b = whole[1:].reshape(64, 64), np.zeros((64, 64), np.float32)
        scale[(1, )](a, b, 64, 64, 64, 16, 32, **OPTIONS)
        np.testing.assert_array_equal(b, a * 2)
        b = np.zeros((50, 96), np.float32)
        scale[(1, )](a, b, 0, 96, 96, 16, 32, **OPTIONS)
        self.assertFalse(b.any())

    def test_what_lies_behind_a_row_stays(self):
        """Hardware stores whole stretches of 16 bytes: rows of another length are stored by pointers."""
        for dtype in (np.float16, np.float32, np.int8):
            for columns in (1, 7, 16, 30, 31, 32):
                a, whole = numbers((11, 64), dtype), aligned((16, 64), dtype, 7)
                whole[:] = 7
                expected = whole.copy()
                expected[:11, :columns] = a[:, :columns]
                write[(1, )](a, whole, 11, columns, 64, 16, 32, **OPTIONS)
                np.testing.assert_array_equal(whole, expected, f"{dtype} {columns}")
                if dtype == np.int8:
                    continue
                expected[:11, :columns] += a[:, :columns]
                add[(1, )](a, whole, 11, columns, 64, 16, 32, **OPTIONS)
                np.testing.assert_array_equal(whole, expected, f"{dtype} {columns}")

    def test_where_boxes_begin(self):
        """Columns that are no multiple of 16 bytes: by pointers."""
        a = numbers((40, 80), np.float16)
        for at in (5, 8, 12, 16):
            b = aligned((40, 80), np.float16)
            compiled = shifted[(1, )](described(a, [16, 32]), described(b, [16, 32]), at, **OPTIONS)
            np.testing.assert_array_equal(a[:16, at:at + 32], b[:16, at:at + 32])
            self.assertEqual(mapped(compiled), 0 if at % 8 else 2)

    def test_read_twice(self):
        a, b = numbers((16, 16), np.float32), np.zeros((16, 16))
        read_twice[(1, )](a, b, **OPTIONS)
        x = a.astype(np.float64)
        x[15] = 0
        np.testing.assert_array_equal(b, np.ones((16, 16)) @ x + x)

    def test_before_the_start(self):
        """Tiles are read from before the tensor by TMA, and written there by pointers."""
        a = numbers((40, 80), np.float16)
        for i, j, k, maps in ((0, 0, 0, 2), (-3, -16, 0, 2), (0, 0, -3, 1), (-3, -16, -3, 1)):
            b = aligned((40, 80), np.float16)
            compiled = copied_from[(1, )](described(a, [16, 32]), described(b, [16, 32]), i, j, k, **OPTIONS)
            whole = np.pad(a, 16)[16 + i:32 + i, 16 + j:48 + j]
            np.testing.assert_array_equal(b[:16 + k, :32], whole[-k:] if k else whole)
            self.assertEqual(mapped(compiled), maps)

    def test_loaded_starts(self):
        """Rows that the kernel loads: tiles that begin before the tensor are written, or added, by pointers."""
        a = numbers((16, 32), np.float16)
        for starts in ((0, 16, 32), (-5, 11, 39), (-16, -40, 60)):
            for adds in (False, True):
                b, wanted = aligned((40, 32), np.float16), np.zeros((40, 32), np.float16)
                compiled = from_loaded[(3, )](described(a, [16, 32]), described(b, [16, 32]), np.array(starts, np.int32), adds, **OPTIONS)
                for start in starts:
                    for row in range(16):
                        if 0 <= start + row < 40:
                            wanted[start + row] = a[row] + wanted[start + row] * adds
                np.testing.assert_array_equal(b, wanted, f"{starts} {adds}")
                self.assertEqual(mapped(compiled), 2)

    def test_ragged(self):
        """upstream's stores of a part of a tensor's rows: 2^30 - the part's rows + a row, all of it from memory."""
        a, b, sizes = numbers((64, 32), np.float16), aligned((64, 32), np.float16), (5, 0, 32, 27)
        view = ragged_tma.create_ragged_descriptor(b, [16, 32])
        compiled = to_parts[(4, 2)](described(a, [16, 32]), view, np.cumsum((0, *sizes)).astype(np.int32), 16, **OPTIONS)
        np.testing.assert_array_equal(b, a)
        self.assertEqual(mapped(compiled), 2)

    def test_loops(self):
        a = numbers((16, 64 * 5), np.float16)
        for n in (0, 1, 2, 5):
            b = aligned((32, 64), np.float32)
            sum_blocks[(2, )](described(a, [16, 64]), described(b, [16, 64]), n, 16, 64, **OPTIONS)
            for p in range(2):
                expected = sum((a[:, 64 * j:64 * j + 64].astype(np.float32) for j in range(p, n)), np.zeros((16, 64), np.float32))
                expected = expected + (a[:, :64] if n > 2 else 0)
                np.testing.assert_array_equal(b[16 * p:16 * p + 16], expected)

    def test_reductions(self):
        kinds = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
        types = {"add": (np.float32, np.float16, np.int32, np.uint32, np.uint64), "min": (np.int32, np.uint32, np.int64, np.uint64, np.float16),
                 "max": (np.int32, np.uint32, np.int64, np.uint64, np.float16), "and": (np.int32, np.uint64), "or": (np.uint32, np.int64),
                 "xor": (np.int32, np.uint32)}
        for kind, function in kinds.items():
            for dtype in types[kind]:
                a, b = numbers((48, 32), dtype), numbers((16, 32), dtype, 3)
                expected = b.copy()
                for p in range(3):
                    expected[:, 16:] = function(expected[:, 16:], a[16 * p:16 * p + 16, :16])
                compiled = reduce_blocks[(3, )](described(a, [16, 32]), described(b, [16, 32]), kind, 16, 32, **OPTIONS)
                np.testing.assert_array_equal(b, expected, f"{kind} {dtype}")
                by_map = np.dtype(dtype).itemsize < 8 or kind in ("min", "max")
                self.assertEqual("async_tma_reduce" in compiled.asm["ttgir"], by_map, f"{kind} {dtype}")

    def test_order(self):
        a, p = numbers((16, 32), np.float32), np.zeros((16, 32), np.float32)
        before = a.copy()
        twice[(1, )](described(a, [16, 32]), p, 16, 32, **OPTIONS)
        np.testing.assert_array_equal(p, before + 1)
        np.testing.assert_array_equal(a, (before + 1) * 2)
        p, o = np.zeros((32, 32), np.int32), np.zeros((32, 32), np.int32)
        around[(1, )](p, o, 1, 32, 32, **OPTIONS)
        np.testing.assert_array_equal(o, np.arange(1024).reshape(32, 32) + 1)

    def test_other_programs_are_told(self):
        """What a program stores by TMA is there before its release is."""
        for other in (False, True):
            for kernel, more in ((handed_on, (0, False)), (handed_on, (1, False)), (handed_on, (0, True)), (asked_first, ())):
                p, o, flag = np.zeros((8, 32), np.int32), np.zeros((8, 32), np.int32), np.zeros(1, np.int32)
                q = p[:] if other else p
                kernel[(2, )](p, q, o, flag, *more, 8, 32, **OPTIONS)
                np.testing.assert_array_equal(o, np.arange(256).reshape(8, 32), f"{kernel} {more}")

    def test_products(self):
        for kn in (True, False):
            for stages in (1, 2, 3, 4):
                for K in (0, 32, 96, 200):
                    a = numbers((96, K or 8), np.float16)
                    b = numbers((K or 8, 80) if kn else (80, K or 8), np.float16, 2)
                    c = aligned((96, 80), np.float32)
                    block = [32, 64] if kn else [64, 32]
                    products[(2, 2)](described(a, [64, 32]), described(b, block), described(c, [64, 64]), K, 64, 64, 32, kn,
                                     num_stages=stages, **OPTIONS)
                    full = a.astype(np.float32) @ (b if kn else b.T).astype(np.float32)
                    np.testing.assert_array_equal(c, full if K else 0 * full, f"{kn} {stages} {K}")


    def test_products_of_warp_groups(self):
        """Two and three tiles along K, with rings that have a slot more for products under way, and without."""
        for size, stages, warps in ((128, 3, 4), (128, 3, 8), (128, 4, 4), (64, 2, 4)):
            for K in (64, 192, 328):
                a, b, c = numbers((size, K), np.float16), numbers((K, size), np.float16, 2), aligned((size, size), np.float32)
                compiled = products[(1, 1)](described(a, [size, 64]), described(b, [64, size]), described(c, [size, size]), K, size, size, 64, True,
                                            num_stages=stages, num_warps=warps, **OPTIONS)
                np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32), f"{size} {stages} {warps} {K}")
                self.assertIn("warp_group_dot", compiled.asm["ttgir"])

    def test_a_dim_of_one_in_front(self):
        a, b, o = numbers((64, 192), np.float16), numbers((3, 48, 192), np.float16), aligned((3, 64, 32), np.float32)
        kernel = of_expert[(3, )](described(a, [64, 64]), b, o, 3, 48, 192, **OPTIONS)
        expected = np.zeros((3, 64, 32), np.float32)
        expected[:, :, :16] = a.astype(np.float32) @ b[:, 32:].astype(np.float32).transpose(0, 2, 1)
        np.testing.assert_allclose(o, expected, rtol=1e-5)
        ring = [line for line in kernel.asm["ttgir"].splitlines() if "async_tma_copy_global_to_local" in line]
        self.assertTrue(any("memdesc<32x64xf16" in line for line in ring), ring)

    def test_persistent(self):
        for size in (32, 64):
            for stages in (2, 3):
                M, N, K = 2 * size, 3 * size, 5 * 32
                a, b, c = numbers((M, K), np.float16), numbers((K, N), np.float16, 2), aligned((M, N), np.float32)
                persistent[(2, )](described(a, [size, 32]), described(b, [32, size]), described(c, [size, size]), M, N, K, 2, size, size, 32,
                                  num_stages=stages, **OPTIONS)
                for tile in range(6):
                    i, j, k = tile // 3 * size, tile % 3 * size, max(0, K - tile * 32) if tile % 3 != 1 else 0
                    expected = a[i:i + size, :k].astype(np.float32) @ b[:k, j:j + size].astype(np.float32)
                    np.testing.assert_array_equal(c[i:i + size, j:j + size], expected, f"{size} {stages} {tile}")


if __name__ == "__main__":
    unittest.main()
