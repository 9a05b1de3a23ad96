"""Python's constructs over tiles: sequences, dicts, lambdas, records with methods, bounded recursion, generators."""

import os
import unittest
from dataclasses import dataclass

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.runtime.errors import DeviceAssertError  # noqa: E402

from engines import Engines  # noqa: E402


@triton.jit
def collections(out, n):
    at = tl.arange(0, 8)
    rows = [at * i for i in tl.static_range(4)]
    total = rows[0] + n
    for row in rows:
        total += row
    named = {i: at * i for i in range(4)}
    tl.store(out + at, total + named[2] * named[3])


@triton.jit
def functions(out, n):
    at = tl.arange(0, 8)
    scaled = lambda a: a * n + at  # noqa: E731
    twice = lambda f, v: f(f(v))  # noqa: E731
    tl.store(out + at, twice(scaled, at))


@triton.jit
def power(x, N: tl.constexpr):
    if N == 0:
        return tl.full(x.shape, 1, x.dtype)
    return x * power(x, N - 1)


@triton.jit
def recursion(out, n):
    at = tl.arange(0, 8)
    tl.store(out + at, power(at + n, 3))


@triton.jit
def endless(x, n):
    return endless(x, n)


@triton.jit
def calls_endless(out, n):
    tl.store(out, endless(n, n))


@triton.jit
def generators(out, n):
    total = 0
    for v in (i * n for i in tl.static_range(5)):
        total += v
    tl.store(out, total + sum(i for i in range(3)))


@dataclass
class Sums:
    count: object
    values: object

    @triton.jit
    def add(self, x):
        return Sums(self.count + 1, self.values + x)

    @triton.jit
    def mean(self):
        return self.values // self.count


@triton.jit
def records(out, n):
    at = tl.arange(0, 8)
    sums = Sums(tl.to_tensor(0), at * 0)
    for i in range(n):
        sums = sums.add(at * i)
        if i == 5:
            break
    tl.store(out + at, sums.mean())


@triton.jit
def asserts(out, n):
    at = tl.arange(0, 8)
    assert at < n, "too many"
    tl.store(out + at, at)


class Constructs(Engines):
    def test_collections(self):
        at = np.arange(8)
        self.check(collections, [], [(6 * at + 7 + 6 * at * at).astype(np.int32)], 7)

    def test_functions(self):
        at = np.arange(8)
        self.check(functions, [], [((at * 5 + at) * 5 + at).astype(np.int32)], 5)

    def test_recursion(self):
        self.check(recursion, [], [((np.arange(8) + 3)**3).astype(np.int32)], 3)
        self.refuses(calls_endless, "calls itself", np.zeros(1, np.int32), 3)

    def test_generators(self):
        self.check(generators, [], [np.array([73], np.int32)], 7)

    def test_records(self):
        for n in (1, 4, 9):
            turns = min(n, 6)
            self.check(records, [], [(np.arange(8) * sum(range(turns)) // turns).astype(np.int32)], n)

    def test_assert(self):
        self.check(asserts, [], [np.arange(8, dtype=np.int32)], 9, debug=True)
        with self.assertRaisesRegex(DeviceAssertError, "too many"):
            asserts[(1, )](np.zeros(8, np.int32), 5, debug=True, neso_target="interp")


if __name__ == "__main__":
    unittest.main()
