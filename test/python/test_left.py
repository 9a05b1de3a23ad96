"""Loops that may be left, with loads ahead: the values, and nothing that is loaded where it may not be."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402

RANDOM = np.random.default_rng(19)
K = 160


def half(*shape):
    return RANDOM.integers(-3, 4, shape).astype(np.float16)


def product(a, b):
    return a.astype(np.float32) @ b.astype(np.float32)


@triton.jit
def flagged(a, b, flags, out, k, STAGES: tl.constexpr):
    r, s = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, k, 32, num_stages=STAGES):
        x = tl.load(a + r[:, None] * k + (i + s)[None, :])
        y = tl.load(b + (i + s)[:, None] * 64 + r[None, :])
        if tl.load(flags + i // 32) > 0:
            break
        acc = tl.dot(x, y, acc)
    tl.store(out + r[:, None] * 64 + r[None, :], acc)


@triton.jit
def listed(a, b, columns, out, n, STAGES: tl.constexpr):
    r, s = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, n, num_stages=STAGES):
        column = tl.load(columns + i)
        if column < 0:
            break
        if column == 3:
            continue
        x = tl.load(a + i * 2048 + r[:, None] * 32 + s[None, :])
        y = tl.load(b + (column * 32 + s)[:, None] * 64 + r[None, :], mask=(s < 30)[:, None], other=1.0)
        acc = tl.dot(x, y, acc)
    tl.store(out + r[:, None] * 64 + r[None, :], acc)


@triton.jit
def enough(a, b, out, k, limit, STAGES: tl.constexpr):
    r, s = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.range(0, k, 32, num_stages=STAGES):
        inside = i + s < k
        x = tl.load(a + r[:, None] * k + (i + s)[None, :], mask=inside[None, :], other=0.0)
        y = tl.load(b + (i + s)[:, None] * 64 + r[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(x, y, acc)
        if tl.max(acc) > limit:
            break
    tl.store(out + r[:, None] * 64 + r[None, :], acc)


@triton.jit
def twice(a, b, out, k, limit):
    r = tl.arange(0, 64)
    left = tl.make_tensor_descriptor(a, [64, k], [k, 1], [64, 32])
    right = tl.make_tensor_descriptor(b, [k, 64], [64, 1], [32, 64])
    acc = tl.zeros((64, 64), tl.float32)
    for again in range(2):
        i = 0
        while i < k:
            acc = tl.dot(left.load([0, i]), right.load([i, 0]), acc)
            i += 32
            if tl.max(acc) > limit:
                break
    tl.store(out + r[:, None] * 64 + r[None, :], acc)


@triton.jit
def sentinel(words, out, count, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.int32)
    turns = 0
    for i in tl.range(0, n, BLOCK, num_stages=4):
        at = i + tl.arange(0, BLOCK)
        x = tl.load(words + at, mask=at < n, other=0)
        total += x
        turns += 1
        if tl.min(x) < 0:
            break
    tl.store(out + tl.arange(0, BLOCK), total)
    tl.store(count, turns)


def until_enough(a, b, k, limit, acc):
    for i in range(0, k, 32):
        acc = acc + product(a[:, i:i + 32], b[i:i + 32])
        if acc.max() > limit:
            break
    return acc


class Left(Engines):
    def test_flag(self):
        a, b = half(64, K), half(K, 64)
        for stages, at in ((2, 0), (3, 2), (4, 4), (5, 99)):
            flags = (np.arange(K // 32) == at).astype(np.int32)
            n = min(at * 32, K)
            self.check(flagged, (a, b, flags), (product(a[:, :n], b[:n]),), K, STAGES=stages, assembled=stages == 3)

    def test_no_iterations(self):
        nothing = np.zeros(1, np.float16)
        zeros = np.zeros((64, 64), np.float32)
        self.check(flagged, (nothing, nothing, np.zeros(1, np.int32)), (zeros,), 0, STAGES=3, assembled=False)

    def test_list(self):
        """What is behind the end of the list is no column, and `a` ends there."""
        b = half(6, 32, 64)
        for columns in ([0, 3, 5, 2, -1, 1 << 29, 7], [3, 3, 1], [-1, 1 << 29], [4] * 6):
            n = columns.index(-1) if -1 in columns else len(columns)
            a = half(max(n, 1), 64, 32)
            acc = np.zeros((64, 64), np.float32)
            for i in range(n):
                if columns[i] != 3:
                    y = b[columns[i]].copy()
                    y[30:] = 1
                    acc += product(a[i], y)
            for stages in (2, 4):
                self.check(listed, (a, b, np.array(columns, np.int32)), (acc,), len(columns), STAGES=stages,
                           assembled=False)

    def test_sums(self):
        for k in (K, 100, 32):
            a, b = half(64, k), half(k, 64)
            for limit in (-1, 40, 10000):
                acc = until_enough(a, b, k, limit, np.zeros((64, 64), np.float32))
                self.check(enough, (a, b), (acc,), k, limit, STAGES=3, assembled=k == K and limit == 40)

    def test_descriptors(self):
        """Copies that nobody needs any more have ended when their memory is used again."""
        for k in (K, 32):
            a, b = half(64, k), half(k, 64)
            for limit in (-1, 60, 10000):
                acc = until_enough(a, b, k, limit, np.zeros((64, 64), np.float32))
                self.check(twice, (a, b), (until_enough(a, b, k, limit, acc),), k, limit, assembled=limit == 60)

    def test_tiles(self):
        for n, at in ((1000, 300), (1000, 9999), (5, 2)):
            words = RANDOM.integers(0, 99, n).astype(np.int32)
            if at < n:
                words[at] = -1
            turns = min(at // 128 + 1, -(-n // 128))
            padded = np.zeros(turns * 128, np.int32)
            padded[:min(n, turns * 128)] = words[:turns * 128]
            self.check(sentinel, (words,), (padded.reshape(-1, 128).sum(0, dtype=np.int32),
                                            np.array([turns], np.int32)), n, BLOCK=128, assembled=False)


if __name__ == "__main__":
    unittest.main()
