"""Pointers as tensor maps: what loops load and store for products of warp groups, in the simulator with its checks, against NumPy."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

OPTIONS = {"neso_target": "sim:sm_90a", "neso_check": True}


@triton.jit
def product(a, b, c, M, N, K, sam, sak, sbk, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WRAP: tl.constexpr,
            MASK: tl.constexpr):
    """WRAP: rows of a and columns of b by %, by where, by minimum, by masks; MASK: is the result's end left out?"""
    i, j, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    row, column = i, j
    if WRAP == 0:
        row, column = i % M, j % N
    elif WRAP == 1:
        row, column = tl.where(i < M, i, 0), tl.where(j < N, j, 0)
    elif WRAP == 2:
        row, column = tl.minimum(i, M - 1), tl.minimum(j, N - 1)
    x = a + row[:, None] * sam + k[None, :] * sak
    y = b + k[:, None] * sbk + column[None, :] * sbn
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, tl.cdiv(K, BK)):
        inside = k < K - start * BK
        if WRAP == 3:
            u = tl.load(x, mask=inside[None, :] & (i[:, None] < M), other=0)
            v = tl.load(y, mask=inside[:, None] & (j[None, :] < N), other=0)
        else:
            u = tl.load(x, mask=inside[None, :], other=0)
            v = tl.load(y, mask=inside[:, None], other=0)
        acc = tl.dot(u, v, acc)
        x += BK * sak
        y += BK * sbk
    if MASK:
        tl.store(c + i[:, None] * scm + j[None, :], acc, mask=(i[:, None] < M) & (j[None, :] < N))
    else:
        tl.store(c + i[:, None] * scm + j[None, :], acc)


@triton.jit
def batches(a, b, c, N, sz, sh, sn, BM: tl.constexpr, D: tl.constexpr):
    """Sums of rows' products, of heads of batches: offsets of 64 bits, no masks."""
    z, h, i, d = tl.program_id(0), tl.program_id(1), tl.arange(0, BM), tl.arange(0, D)
    base = z.to(tl.int64) * sz + h.to(tl.int64) * sh
    q = tl.load(a + base + i[:, None] * sn + d[None, :])
    acc = tl.zeros((BM, BM), tl.float32)
    for n in range(0, N, BM):
        k = tl.load(b + base + (n + i)[None, :] * sn + d[:, None])
        acc = tl.dot(q, k, acc)
    tl.store(c + (z * tl.num_programs(1) + h) * BM * BM + i[:, None] * BM + i[None, :], acc)


@triton.jit
def persistent(a, b, c, M, N, K, s, t, P: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    columns, k = tl.cdiv(N, BN), tl.arange(0, BK)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * columns, P):
        i, j = tile // columns * BM + tl.arange(0, BM), tile % columns * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, K, BK):
            u = tl.load(a + (i % M)[:, None] * s + (start + k)[None, :], mask=(start + k)[None, :] < K, other=0)
            v = tl.load(b + (start + k)[:, None] * t + (j % N)[None, :], mask=(start + k)[:, None] < K, other=0)
            acc = tl.dot(u, v, acc)
        tl.store(c + i[:, None] * t + j[None, :], acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def weights(a, b, t, c, K, sbk, sbn, stk, stn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """What threads compute of b, and t, lie as their strides say: neither goes to a product as it is."""
    i, j, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc, more = tl.zeros((BM, BN), tl.float32), tl.zeros((BK, BN), tl.float32)
    for start in range(0, K, BK):
        u = tl.load(a + i[:, None] * K + (start + k)[None, :])
        v = tl.load(b + (start + k)[:, None] * sbk + j[None, :] * sbn)
        more += tl.load(t + (start + k)[:, None] * stk + j[None, :] * stn)
        acc = tl.dot(u, (v.to(tl.float32) * 2).to(tl.float16), acc)
    tl.store(c + i[:, None] * BN + j[None, :], acc + tl.sum(more, 0)[None, :])


@triton.jit
def power(a, b, s, BM: tl.constexpr):
    """b may be a: what the program has stored is what it loads."""
    i = tl.arange(0, BM)
    for n in range(0, 2):
        acc = tl.zeros((BM, BM), tl.float32)
        for start in range(0, BM, 32):
            k = start + tl.arange(0, 32)
            acc = tl.dot(tl.load(a + i[:, None] * s + k[None, :]), tl.load(a + k[:, None] * s + i[None, :]), acc)
        tl.store(b + i[:, None] * s + i[None, :], acc.to(tl.float16))


def mapped(compiled):
    return compiled.asm["ttgir"].count("neso.map =")


def maps(N):
    """Of the factors and of the result: rows of it that need not be whole stretches of 16 bytes are stored through pointers."""
    return 3 if N % 8 == 0 else 2


def simulated():
    try:
        batches.warmup(*[np.zeros(64, np.float16)] * 2, np.zeros(64, np.float32), 64, 64, 64, 64, 64, 64, grid=(1, ), neso_target="sim:sm_90a")
    except Exception as error:
        if "libneso-codegen" in str(error):
            return False
        raise
    return True


def matrix(rows, columns, dtype, turned=False, seed=1):
    """Rows (of the other way round: columns) begin at multiples of 16 elements."""
    shape = (columns, rows) if turned else (rows, columns)
    whole = np.zeros((shape[0], -(-shape[1] // 16) * 16), dtype)
    x = whole[:, :shape[1]]
    x[...] = np.random.default_rng(seed).integers(-3, 4, shape)
    return x.T if turned else x


def strides(x):
    return [s // x.itemsize for s in x.strides]


def multiply(M, N, K, orders="NN", dtype=np.float16, block=(64, 64, 32), wrap=0, mask=True, **options):
    a, b = matrix(M, max(K, 1), dtype, orders[0] == "T"), matrix(max(K, 1), N, dtype, orders[1] == "T", 2)
    c = matrix(-(-M // block[0]) * block[0], -(-N // block[1]) * block[1], np.float32)
    compiled = product[(-(-M // block[0]), -(-N // block[1]))](a, b, c, M, N, K, *strides(a), *strides(b), strides(c)[0], *block, wrap, mask,
                                                             **options, **OPTIONS)
    rows, columns = [np.arange(n) % n0 for n, n0 in ((c.shape[0], M), (c.shape[1], N))]
    full = a[:, :K].astype(np.float32) @ b[:K].astype(np.float32)
    expected = full if mask else full[rows][:, columns]
    np.testing.assert_array_equal(c[:expected.shape[0], :expected.shape[1]], expected, f"{M} {N} {K} {orders} {wrap} {options}")
    return compiled


@unittest.skipUnless(simulated(), "built without LLVM")
class PointerMaps(unittest.TestCase):

    def test_orders(self):
        for orders in ("NN", "NT", "TN", "TT"):
            for M, N, K in ((64, 64, 64), (136, 72, 104), (136, 80, 104), (136, 76, 104)):
                self.assertEqual(mapped(multiply(M, N, K, orders)), maps(N))

    def test_ends(self):
        for wrap in range(4):
            for stages, N in ((2, 136), (3, 140), (4, 144)):
                self.assertEqual(mapped(multiply(72, N, 200, wrap=wrap, num_stages=stages)), maps(N))

    def test_tiles(self):
        for block, warps in (((128, 64, 64), 4), ((128, 128, 32), 8), ((64, 256, 16), 4), ((128, 64, 64), 8)):
            for N in (264, 268):
                self.assertEqual(mapped(multiply(200, N, 168, block=block, num_warps=warps)), maps(N))

    def test_words_across_k(self):
        """One operand comes from registers; where both lie across K, there is no map, and the other one is turned an iteration ahead."""
        for orders, maps in (("NT", 3), ("NN", 3), ("TT", 3), ("TN", 0)):
            for stages in (2, 3, 4):
                for block, warps in (((64, 64, 32), 4), ((128, 64, 16), 8), ((64, 128, 32), 4)):
                    compiled = multiply(144, 80, 104, orders, np.float32, block, num_stages=stages, num_warps=warps)
                    self.assertEqual(mapped(compiled), maps)
                    turned = stages > 2 and block != (64, 64, 32)
                    self.assertEqual("warp_group_dot" in compiled.asm["ttgir"], maps > 0 or turned)

    def test_no_map_at_the_launch(self):
        """Sizes of 0, and rows that go backwards, take pointers."""
        multiply(64, 64, 0)
        a, b, c = matrix(64, 64, np.float16), matrix(64, 64, np.float16, seed=2), np.zeros((64, 64), np.float32)
        product[(1, 1)](a[::-1], b, c, 64, 64, 64, *strides(a[::-1]), *strides(b), 64, 64, 64, 32, 0, True, **OPTIONS)
        np.testing.assert_array_equal(c, a[::-1].astype(np.float32) @ b.astype(np.float32))

    def test_multiples_of_16_bytes(self):
        """Rows of 8 and no 16 elements come by maps as well; a base or a row that begins elsewhere, or ends so that stores
        cannot, takes what is accessed by it off them, and nothing else."""
        K = 72
        for M, N, offsets, widths, maps in ((104, 88, (0, 0, 0), (72, 88, 88), 3), (104, 88, (8, 16, 4), (88, 104, 96), 3),
                                            (104, 88, (1, 0, 0), (72, 88, 88), 2), (104, 88, (0, 1, 0), (72, 88, 88), 2),
                                            (104, 88, (0, 0, 1), (72, 88, 88), 2), (104, 88, (0, 0, 0), (73, 88, 88), 2),
                                            (104, 88, (0, 0, 0), (76, 92, 88), 0), (104, 88, (0, 0, 0), (72, 90, 88), 2),
                                            (104, 88, (0, 0, 0), (72, 88, 89), 2), (103, 87, (0, 0, 0), (72, 88, 88), 2)):
            rng, pads, mats = np.random.default_rng(3), (-(-M // 64) * 64, -(-N // 64) * 64), []
            for rows, columns, at, width, dtype in ((M, K, offsets[0], widths[0], np.float16), (K, N, offsets[1], widths[1], np.float16),
                                                    (M, N, offsets[2], widths[2], np.float32)):
                memory = np.full(rows * width + at + 64, 9, dtype)
                x = np.lib.stride_tricks.as_strided(memory[at:], (rows, columns), (width * memory.itemsize, memory.itemsize))
                x[...] = rng.integers(-3, 4, (rows, columns))
                mats.append((memory, x))
            (_, a), (_, b), (memory, c) = mats
            expected, outside = a.astype(np.float32) @ b.astype(np.float32), memory.copy()
            np.lib.stride_tricks.as_strided(outside[offsets[2]:], c.shape, c.strides)[...] = expected
            compiled = product[(pads[0] // 64, pads[1] // 64)](a, b, c, M, N, K, *strides(a), *strides(b), strides(c)[0], 64, 64, 32, 3, True,
                                                               **OPTIONS)
            np.testing.assert_array_equal(memory, outside, f"{offsets} {widths}")
            self.assertEqual(mapped(compiled), maps, f"{M} {N} {offsets} {widths}")

    def test_seen_behind_the_end(self):
        """Rows that wrap are stored, so they are loaded as they are."""
        self.assertEqual(mapped(multiply(72, 136, 64, wrap=0, mask=False)), 0)

    def test_batches(self):
        a, b = (np.random.default_rng(s).integers(-3, 4, (2, 3, 128, 64)).astype(np.float16) for s in (1, 2))
        for order in ((0, 1, 2, 3), (0, 2, 1, 3)):
            x, y = (np.ascontiguousarray(v.transpose(order)).transpose(order) for v in (a, b))
            c = np.zeros((2, 3, 64, 64), np.float32)
            compiled = batches[(2, 3)](x, y, c, 128, *strides(x)[:3], 64, 64, **OPTIONS)
            self.assertGreaterEqual(mapped(compiled), 1)
            q, k = x[:, :, :64].astype(np.float32), y.astype(np.float32)
            np.testing.assert_array_equal(c, q @ k[:, :, :64].swapaxes(2, 3) + q @ k[:, :, 64:].swapaxes(2, 3))

    def test_persistent(self):
        for stages in (2, 3):
            M, N, K = 136, 200, 104
            a, b, c = matrix(M, K, np.float16), matrix(K, N, np.float16, seed=2), matrix(M, N, np.float16)
            compiled = persistent[(2, )](a, b, c, M, N, K, strides(a)[0], strides(b)[0], 2, 64, 64, 32, num_stages=stages, **OPTIONS)
            self.assertEqual(mapped(compiled), 2)
            np.testing.assert_array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16))

    def test_for_threads(self):
        """Tiles beside those of products come by maps too, whichever way they lie; square and not."""
        rng = np.random.default_rng(3)
        for BN, BK in ((64, 64), (128, 64), (64, 32)):
            a = rng.integers(-3, 4, (64, 4 * BK)).astype(np.float16)
            b, t = rng.integers(-3, 4, (4 * BK, BN)).astype(np.int8), rng.integers(-3, 4, (4 * BK, BN)).astype(np.float32)
            expected = a.astype(np.float32) @ (2.0 * b) + t.sum(0)
            for order in "NT":
                x, y = (v if order == "N" else np.ascontiguousarray(v.T).T for v in (b, t))
                c = np.zeros((64, BN), np.float32)
                compiled = weights[(1, )](a, x, y, c, 4 * BK, *strides(x), *strides(y), 64, BN, BK, **OPTIONS)
                self.assertGreaterEqual(mapped(compiled), 2)
                np.testing.assert_array_equal(c, expected, f"{BN} {BK} {order}")

    def test_what_was_stored(self):
        a = matrix(64, 64, np.float16) // 2
        full = a.astype(np.float32) @ a.astype(np.float32)
        compiled = power[(1, )](a, a, 64, 64, **OPTIONS)
        self.assertEqual(mapped(compiled), 2)
        np.testing.assert_array_equal(a, (full @ full).astype(np.float16))


if __name__ == "__main__":
    unittest.main()
