"""Tiles that loops store through descriptors whose sizes are computed, as rows of groups are: what is inside of the tensor is stored; in the
simulator with its checks, against NumPy."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

OPTIONS = {"neso_target": "sim:sm_90a", "neso_check": True}


@triton.jit
def grouped(x, w, y, sizes, E: tl.constexpr, T, N: tl.constexpr, K: tl.constexpr, P, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr):
    """A product for each group of rows; where a group ends the next one's rows begin."""
    xd = tl.make_tensor_descriptor(x, [T, K], [K, 1], [BM, BK])
    wd = tl.make_tensor_descriptor(w, [E, N, K], [N * K, K, 1], [1, BN, BK])
    at = tl.program_id(0)
    end = 0
    done = 0
    for e in tl.range(E):
        start = end
        size = tl.load(sizes + e)
        end = start + size
        if size > 0:
            ms, ns = tl.cdiv(size, BM), tl.cdiv(N, BN)
            yd = tl.make_tensor_descriptor(y, [end, N], [N, 1], [BM, BN])
            while at >= done and at < done + ms * ns:
                m, n = (at - done) % ms, (at - done) // ms
                acc = tl.zeros((BM, BN), tl.float32)
                for k in range(0, K, BK):
                    a = xd.load([start + m * BM, k])
                    b = tl.reshape(wd.load([e, n * BN, k]), (BN, BK))
                    acc += tl.dot(a, b.T)
                yd.store([start + m * BM, n * BN], acc.to(tl.float16))
                at += P
            done += ms * ns


@triton.jit
def bounded(x, w, y, bound, T, N: tl.constexpr, K: tl.constexpr, P, TILES, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            FLAT: tl.constexpr):
    """Rows up to a bound that memory tells of."""
    end = tl.load(bound)
    xd = tl.make_tensor_descriptor(x, [T, K], [K, 1], [BM, BK])
    wd = tl.make_tensor_descriptor(w, [N, K], [K, 1], [BN, BK])
    yd = tl.make_tensor_descriptor(y, [end, N], [N, 1], [BM, BN])
    for t in tl.range(tl.program_id(0), TILES, P, flatten=FLAT):
        m, n = t // (N // BN), t % (N // BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(xd.load([m * BM, k]), wd.load([n * BN, k]).T, acc)
        yd.store([m * BM, n * BN], acc.to(tl.float16))


class OpenRows(unittest.TestCase):
    def setUp(self):
        self.numbers = np.random.default_rng(0)

    def integers(self, *shape):
        return self.numbers.integers(-3, 4, shape).astype(np.float16)

    @staticmethod
    def product(x, w):
        return (x.astype(np.float32) @ w.astype(np.float32).T).astype(np.float16)

    def test_groups_of_rows(self):
        sizes = np.array([70, 0, 128, 3, 55], np.int32)
        e, n, k, t = 5, 128, 96, int(sizes.sum())
        for stages, warps, tile in ((3, 4, 64), (3, 8, 128), (4, 4, 128)):
            x, w, y = self.integers(t, k), self.integers(e, n, k), np.full((t + 40, n), 7, np.float16)
            grouped[(3, )](x, w, y, sizes, e, t, n, k, 3, tile, tile, 32, num_stages=stages, num_warps=warps, **OPTIONS)
            want, at = np.full_like(y, 7), 0
            for i, m in enumerate(sizes):
                want[at:at + m] = self.product(x[at:at + m], w[i])
                at += m
            with self.subTest(stages=stages, warps=warps, tile=tile):
                self.assertTrue((y == want).all())

    def test_a_bound_of_memory(self):
        n, k, end = 128, 96, 290
        for flat in (False, True):
            for stages, warps, tile in ((3, 4, 64), (4, 8, 128)):
                x, w, y = self.integers(300, k), self.integers(n, k), np.full((400, n), 7, np.float16)
                bounded[(2, )](x, w, y, np.array([end], np.int32), 300, n, k, 2, -(-300 // tile) * (n // tile), tile, tile, 32, flat,
                               num_stages=stages, num_warps=warps, **OPTIONS)
                want = np.full_like(y, 7)
                want[:end] = self.product(x[:end], w)
                with self.subTest(flat=flat, stages=stages, warps=warps, tile=tile):
                    self.assertTrue((y == want).all())


if __name__ == "__main__":
    unittest.main()
