"""Sorting with positions, the middle, searches, weighted histograms, exclusive scans, held against NumPy's."""

import math
import os
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402


@triton.jit
def places(N: tl.constexpr, M: tl.constexpr):
    return tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]


@triton.jit
def sorts(x_ptr, out_ptr, index_ptr, N: tl.constexpr, M: tl.constexpr, DOWN: tl.constexpr):
    x = tl.load(x_ptr + places(N, M))
    values, index = tl.sort(x, descending=DOWN, return_indices=True)
    tl.store(out_ptr + places(N, M), values)
    tl.store(index_ptr + places(N, M), index)


@triton.jit
def carries(x_ptr, y_ptr, out_ptr, moved_ptr, both_ptr, N: tl.constexpr, M: tl.constexpr, DOWN: tl.constexpr):
    x, y = tl.load(x_ptr + places(N, M)), tl.load(y_ptr + places(N, M))
    keys, moved = tl.sort(x, descending=DOWN, values=y)
    tl.store(out_ptr + places(N, M), keys)
    tl.store(moved_ptr + places(N, M), moved)
    keys, index, (one, two) = tl.sort(x, descending=DOWN, return_indices=True, values=(y, y + 1))
    tl.store(both_ptr + places(N, M), one + two + index)


@triton.jit
def runs(x_ptr, run_ptr, out_ptr, count_ptr, sum_ptr, N: tl.constexpr, M: tl.constexpr):
    tl.store(run_ptr + places(N, M), tl.segments(tl.load(x_ptr + places(N, M))))
    at = tl.arange(0, M)
    values, counts, number = tl.unique(tl.load(x_ptr + at), return_counts=True)
    tl.store(out_ptr + at, values)
    tl.store(count_ptr + at, counts)
    _, again = tl.unique(tl.load(x_ptr + at))
    tl.store(count_ptr + M, number)
    tl.store(count_ptr + M + 1, again)
    ordered, weights = tl.sort(tl.load(x_ptr + at), values=at)
    tl.store(sum_ptr + at, tl.histogram(tl.segments(ordered), M, weights=weights))


@triton.jit
def rolls(x_ptr, out_ptr, product_ptr, shift, N: tl.constexpr, M: tl.constexpr):
    x = tl.load(x_ptr + places(N, M))
    tl.store(out_ptr + places(N, M), tl.roll(x, shift))
    tl.store(out_ptr + N * M + places(N, M), tl.roll(x, -shift, 0))
    tl.store(out_ptr + 2 * N * M + places(N, M), tl.roll(x, 3))
    tl.store(product_ptr + tl.arange(0, N), tl.prod(x, 1))
    tl.store(product_ptr + N, tl.prod(x))


@triton.jit
def best(x_ptr, out_ptr, index_ptr, N: tl.constexpr, M: tl.constexpr, K: tl.constexpr, DOWN: tl.constexpr):
    x = tl.load(x_ptr + places(N, M))
    values, index = tl.topk(x, K, descending=DOWN, return_indices=True)
    tl.store(out_ptr + places(N, K), values)
    tl.store(out_ptr + N * K + places(N, K), tl.topk(x, K, descending=DOWN))
    tl.store(index_ptr + places(N, K), index)


@triton.jit
def box(A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    rows = tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]
    return rows * C + tl.arange(0, C)[None, None, :]


@triton.jit
def along(x_ptr, y_ptr, sorted_ptr, index_ptr, moved_ptr, best_ptr, middle_ptr, A: tl.constexpr, B: tl.constexpr,
          C: tl.constexpr, DIM: tl.constexpr, DOWN: tl.constexpr):
    at = box(A, B, C)
    x = tl.load(x_ptr + at)
    tl.store(sorted_ptr + at, tl.sort(x, DIM, DOWN))
    tl.store(index_ptr + at, tl.argsort(x, DIM, DOWN))
    ordered, moved = tl.sort(x, DIM, DOWN, values=tl.load(y_ptr + at))
    tl.store(moved_ptr + at, moved)
    best = tl.topk(x, 2, DIM)
    tl.store(best_ptr + box(best.shape[0], best.shape[1], best.shape[2]), best)
    middle = tl.median(x, DIM)
    if DIM == 0:  # the last dimension is where the first one was
        middle = tl.trans(middle)
    tl.store(middle_ptr + tl.arange(0, middle.shape[0])[:, None] * middle.shape[1]
             + tl.arange(0, middle.shape[1])[None, :], middle)


@triton.jit
def middles(x_ptr, out_ptr, N: tl.constexpr, M: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, N), tl.median(tl.load(x_ptr + places(N, M))))


@triton.jit
def searches(sorted_ptr, values_ptr, out_ptr, N: tl.constexpr, M: tl.constexpr):
    s = tl.load(sorted_ptr + tl.arange(0, N))
    v = tl.load(values_ptr + tl.arange(0, M))
    tl.store(out_ptr + tl.arange(0, M), tl.searchsorted(s, v))
    tl.store(out_ptr + M + tl.arange(0, M), tl.searchsorted(s, v, right=True))


@triton.jit
def weighs(x_ptr, w_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    x, w = tl.load(x_ptr + i), tl.load(w_ptr + i)
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(x, BINS, weights=w))
    tl.store(out_ptr + BINS + tl.arange(0, BINS), tl.histogram(x, BINS, mask=i < 10, weights=w))


@triton.jit
def scans(x_ptr, out_ptr, N: tl.constexpr, M: tl.constexpr):
    x = tl.load(x_ptr + places(N, M))
    size: tl.constexpr = N * M
    tl.store(out_ptr + places(N, M), tl.cumsum(x, 1, exclusive=True))
    tl.store(out_ptr + size + places(N, M), tl.cumsum(x, 0, reverse=True, exclusive=True))
    tl.store(out_ptr + 2 * size + places(N, M), tl.cumprod(x, -1, exclusive=True))
    tl.store(out_ptr + 3 * size + places(N, M), tl.flip(x, 1))


@triton.jit
def too_many(out_ptr):
    tl.store(out_ptr + tl.arange(0, 4), tl.topk(tl.arange(0, 2), 4))


def argsort(x, down):
    keys = np.asarray(x, np.float64 if x.dtype.kind == "f" else np.int64)
    keys = np.where(np.isnan(keys), np.inf, keys)
    return np.argsort(-keys if down else keys, axis=-1, kind="stable")


@triton.jit
def as_many_as_run(out_ptr, n):
    tl.store(out_ptr + tl.arange(0, 2), tl.topk(tl.arange(0, 2), n))


@triton.jit
def values_of_another_size(out_ptr):
    keys, values = tl.sort(tl.arange(0, 4), values=tl.arange(0, 8))
    tl.store(out_ptr + tl.arange(0, 4), values)


@triton.jit
def values_of_other_sizes(out_ptr):
    keys, values = tl.sort(tl.arange(0, 4), values=(tl.arange(0, 4), tl.arange(0, 2)))
    tl.store(out_ptr + tl.arange(0, 4), values[0])


@triton.jit
def turns(x_ptr, out_ptr, down, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.sort(x, descending=down > 0))
    tl.store(out_ptr + N, tl.max(tl.topk(x, 1, descending=down > 0), 0))


class Order(Engines):
    def test_sort(self):
        random = np.random.default_rng(1)
        for n, m in ((1, 8), (4, 16), (3, 13), (2, 100)):
            for dtype in (np.float32, np.int32, np.float16, np.uint32, np.int64):
                x = random.integers(0, 9, (n, m)).astype(dtype)
                if dtype != np.uint32:
                    x -= np.array(4, dtype)
                if np.dtype(dtype).kind == "f":
                    x[0, 3], x[0, 5], x[0, 6] = np.nan, -0.0, 0.0
                for down in (0, 1):
                    index = argsort(x, down)
                    self.check(sorts, [x], [np.take_along_axis(x, index, 1), index.astype(np.int32)], N=n, M=m,
                               DOWN=down, assembled=m == 13)

    def test_other_dimensions(self):
        for shape in ((4, 8, 2), (3, 5, 4)):
            x = np.random.default_rng(8).permutation(math.prod(shape)).reshape(shape).astype(np.float32)
            y = np.arange(x.size, dtype=np.int32).reshape(shape)
            for dim in (0, 1, -2):
                for down in (0, 1):
                    index = np.argsort(-x if down else x, axis=dim).astype(np.int32)
                    best = np.take(np.argsort(-x, axis=dim), range(2), dim)
                    middle = np.take(np.sort(x, dim), (shape[dim] - 1) // 2, dim)
                    self.check(along, [x, y], [np.take_along_axis(x, index, dim), index,
                                               np.take_along_axis(y, index, dim),
                                               np.take_along_axis(x, best, dim), middle], A=shape[0], B=shape[1],
                               C=shape[2], DIM=dim, DOWN=down, assembled=dim == 1)

    def test_order_that_runs(self):
        for m in (1, 8, 13):
            x = np.random.default_rng(2).integers(-9, 9, m).astype(np.int32)
            for down in (0, 2):
                ordered = np.sort(x)[::-1] if down else np.sort(x)
                self.check(turns, [x], [np.append(ordered, ordered[0])], down, N=m, assembled=m == 8)

    def test_values(self):
        random = np.random.default_rng(5)
        for n, m in ((1, 8), (3, 13)):
            x = random.integers(-4, 4, (n, m)).astype(np.float32)
            y = random.integers(-99, 99, (n, m)).astype(np.int32)
            for down in (0, 1):
                index = argsort(x, down)
                moved = np.take_along_axis(y, index, 1)
                both = (2 * moved + 1 + index).astype(np.int32)
                self.check(carries, [x, y], [np.take_along_axis(x, index, 1), moved, both], N=n, M=m, DOWN=down)

    def test_unique(self):
        random = np.random.default_rng(6)
        for n, m in ((1, 16), (2, 11), (1, 1)):
            x = random.integers(0, 5, (n, m)).astype(np.float32)
            run = np.cumsum(np.pad(x[:, 1:] != x[:, :-1], ((0, 0), (1, 0))), 1).astype(np.int32)
            if m > 8:
                x[0, 3] = x[0, 7] = np.nan
                run = [[0] for _ in x]
                for r, row in enumerate(x):
                    for a, b in zip(row, row[1:]):
                        run[r].append(run[r][-1] + (a != b and not (np.isnan(a) and np.isnan(b))))
                run = np.array(run, np.int32)
            values, inverse, counts = np.unique(x[0], return_inverse=True, return_counts=True)
            more = m - len(values)
            sums = np.bincount(inverse, np.arange(m), m).astype(np.int32)
            self.check(runs, [x], [run, np.append(values, [values[-1]] * more).astype(np.float32),
                                   np.concatenate([counts, [0] * more, [len(values)] * 2]).astype(np.int32), sums],
                       N=n, M=m)

    def test_topk(self):
        random = np.random.default_rng(2)
        for n, m, k in ((1, 16, 4), (4, 16, 3), (3, 20, 8)):
            x = random.permutation(n * m).reshape(n, m).astype(np.float32)
            for down in (0, 1):
                index = argsort(x, down)[:, :k]
                values = np.take_along_axis(x, index, 1)
                self.check(best, [x], [np.stack([values, values]), index.astype(np.int32)], N=n, M=m, K=k, DOWN=down,
                           assembled=k == 3)
        self.refuses(too_many, "topk: more elements are asked for than there are", np.zeros(4, np.int32))
        self.refuses(as_many_as_run, "topk: how many elements there are is known when compiling", np.zeros(4, np.int32), 2)
        for kernel in (values_of_another_size, values_of_other_sizes):
            self.refuses(kernel, "sort: values have the shape of the keys", np.zeros(4, np.int32))

    def test_median(self):
        for n, m in ((4, 16), (2, 7)):
            x = np.random.default_rng(m).permutation(n * m).reshape(n, m).astype(np.float32)
            x[0, 1] = np.nan
            want = np.sort(x, axis=1)[:, (m - 1) // 2]
            want[0] = np.nan
            self.check(middles, [x], [want], N=n, M=m)

    def test_search(self):
        for n, m in ((16, 8), (1, 4), (11, 6)):
            s = np.sort(np.random.default_rng(n).integers(0, 12, n)).astype(np.int32)
            v = np.random.default_rng(m).integers(-1, 14, m).astype(np.int32)
            want = np.concatenate([np.searchsorted(s, v), np.searchsorted(s, v, "right")]).astype(np.int32)
            self.check(searches, [s, v], [want], N=n, M=m)

    def test_weights(self):
        x = np.random.default_rng(3).integers(0, 8, 32).astype(np.int32)
        w = np.random.default_rng(4).integers(-9, 9, 32).astype(np.float32)
        for bins in (8, 5):
            want = np.concatenate([np.bincount(x, w, 8)[:bins], np.bincount(x[:10], w[:10], 8)[:bins]])
            self.check(weighs, [x, w], [want.astype(np.float32)], N=32, BINS=bins)

    def test_scans(self):
        for n, m in ((4, 8), (3, 5)):
            x = np.random.default_rng(m).integers(1, 4, (n, m)).astype(np.int32)
            before = np.pad(x, ((0, 0), (1, 0)))[:, :-1]
            after = np.pad(x, ((0, 1), (0, 0)))[1:]
            ones = np.pad(x, ((0, 0), (1, 0)), constant_values=1)[:, :-1]
            want = np.stack([before.cumsum(1), after[::-1].cumsum(0)[::-1], ones.cumprod(1), x[:, ::-1]])
            self.check(scans, [x], [want.astype(np.int32)], N=n, M=m)

    def test_roll(self):
        for n, m, shift in ((4, 8, 1), (3, 5, -7), (2, 16, 40)):
            x = np.random.default_rng(n).integers(-3, 4, (n, m)).astype(np.int32)
            rolled = np.stack([np.roll(x, shift, 1), np.roll(x, -shift, 0), np.roll(x, 3, 1)])
            products = np.append(np.prod(x, 1), np.prod(x)).astype(np.int32)
            self.check(rolls, [x], [rolled, products], shift, N=n, M=m)

    def test_strict(self):
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            x = np.zeros(64, np.float32)
            self.refuses(middles, "Triton has no tl.median", x, x, N=2, M=4, num_stages=2)
            self.refuses(scans, "Triton has no exclusive scans", x, x, N=2, M=4, num_stages=2)
            self.refuses(runs, "Triton has no tl.segments", x, x, x, x, x, N=2, M=4, num_stages=2)
            y = np.zeros(64, np.int32)
            self.refuses(rolls, "Triton has no tl.roll", y, y, y, 1, N=2, M=4, num_stages=2)
            self.refuses(sorts, "Triton has no tl.argsort", x, x, x, N=2, M=4, DOWN=0, num_stages=2)


if __name__ == "__main__":
    unittest.main()
