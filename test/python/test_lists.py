"""Elements of lists and dicts that are assigned, and lists that grow, held against Python's own reading."""
# tests: LIST_SHARED

import os
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402


@triton.jit
def sums(x_ptr, out_ptr, n, N: tl.constexpr, M: tl.constexpr):
    at = tl.arange(0, M)
    sums = [tl.zeros([M], tl.int32) for _ in tl.static_range(N)]
    for k in range(n):
        for i in tl.static_range(N):
            sums[i] += tl.load(x_ptr + (k * N + i) * M + at)
            if k == 2:
                sums[i] = sums[i] * 2
        if k > 4:
            sums[0], sums[-1] = sums[-1], sums[0]
            break
    for i, one in enumerate(sums):
        tl.store(out_ptr + i * M + at, one)


@triton.jit
def parts(out_ptr, n):
    at = tl.arange(0, 8)
    tiles = [at, at * 2]
    tiles[1][2:4] = n
    tiles[0][n] -= 100
    copy = list(tiles)
    copy[0] = at * 0
    for i in tl.static_range(2):
        tl.store(out_ptr + i * 8 + at, tiles[i] + copy[i])


@triton.jit
def grows(out_ptr, n):
    at = tl.arange(0, 8)
    powers = []
    for i in tl.static_range(4):
        powers.append(at + n if i == 0 else powers[-1] * 2)
    powers.extend((at, n))
    total = powers[0]
    for one in powers[1:]:
        total += one
    tl.store(out_ptr + at, total * len(powers))


@triton.jit
def summed(out_ptr, n):
    at = tl.arange(0, 8)
    tiles = []
    for i in tl.static_range(3):
        tiles.append(at * i + n)
    tl.store(out_ptr + at, sum(t for t in tiles) + max(tl.max(t) for t in tiles if t is not tiles[0]))


@triton.jit
def dicts(out_ptr, n):
    at = tl.arange(0, 8)
    state = {"sum": at * 0, "last": at}
    for i in range(n):
        state["sum"] += state["last"] * i
        state["last"] = at + i
        if i == 3:
            continue
        state["sum"] += 1
    for key in state:
        state[key] = state[key] * 3
    state["both"] = state["sum"] - state["last"]
    tl.store(out_ptr + at, state["both"])


@triton.jit
def held_twice(out_ptr, n):
    a = [n, n]
    b = a
    a[0] = 7
    tl.store(out_ptr, b[0])


@triton.jit
def put(a, v):
    a[0] = v
    return a[0]


@triton.jit
def of_the_caller(out_ptr, n):
    a = [n, n]
    tl.store(out_ptr, put(a, 7) + a[0])


@triton.jit
def from_a_closure(out_ptr, n):
    a = [n, n]

    def change(v):
        a[0] = v
    change(7)
    tl.store(out_ptr, a[0])


@triton.jit
def of_a_tuple(out_ptr, n):
    a = (n, n)
    a[0] = 7
    tl.store(out_ptr, a[0])


@triton.jit
def while_it_is_walked(out_ptr, n):
    a = [n, n]
    for v in a:
        a[1] = v + 1
    tl.store(out_ptr, a[1])


@triton.jit
def in_another(out_ptr, n):
    a = [n, n]
    b = (a, n)
    a.append(n)
    tl.store(out_ptr, len(b[0]))


@triton.jit
def of_another_name(out_ptr, n):
    a = [n, n]
    b = a if n > 3 else [n, n]
    b[0] = 7
    tl.store(out_ptr, a[0])


@triton.jit
def by_what_runs(out_ptr, n):
    a = [n, n]
    a[n] = 7
    tl.store(out_ptr, a[0])


@triton.jit
def key_that_runs(out_ptr, n):
    a = {0: n}
    tl.store(out_ptr, a[n])


@triton.jit
def in_a_branch(out_ptr, n):
    a = [n]
    if n > 3:
        a.append(n)
    tl.store(out_ptr, a[0])


class Lists(Engines):
    def test_values(self):
        x = np.random.default_rng(1).integers(-9, 9, (8, 3, 16)).astype(np.int32)
        for n in (0, 2, 8):
            total = [np.zeros(16, np.int32) for _ in range(3)]
            for k in range(n):
                for i in range(3):
                    total[i] = total[i] + x[k, i]
                    if k == 2:
                        total[i] = total[i] * 2
                if k > 4:
                    total[0], total[-1] = total[-1], total[0]
                    break
            self.check(sums, [x], [np.stack(total)], n, N=3, M=16)

    def test_parts(self):
        at = np.arange(8)
        first, second = at.copy(), at * 2
        second[2:4] = 5
        first[5] -= 100
        self.check(parts, [], [np.stack([first, second * 2]).astype(np.int32)], 5)

    def test_growing(self):
        at = np.arange(8)
        self.check(grows, [], [(((at + 5) * 15 + at + 5) * 6).astype(np.int32)], 5)

    def test_used_up_by_a_generator(self):
        self.check(summed, [], [(3 * np.arange(8) + 15 + 14 + 5).astype(np.int32)], 5)

    def test_dicts(self):
        at = np.arange(8)
        for n in (0, 6):
            total, last = at * 0, at
            for i in range(n):
                total, last = total + last * i, at + i
                total = total + (i != 3)
            self.check(dicts, [], [((total - last) * 3).astype(np.int32)], n)

    def test_what_something_else_may_hold(self):
        out = np.zeros(2, np.int32)
        for kernel in (held_twice, of_the_caller, from_a_closure, of_a_tuple, while_it_is_walked, in_another, of_another_name):
            with self.subTest(kernel.__name__):
                self.refuses(kernel, "cannot be assigned: it is not made in this function, or something else may hold it", out, 3)

    def test_errors(self):
        out = np.zeros(2, np.int32)
        self.refuses(by_what_runs, "an index of a list that is assigned to must be known while compiling", out, 3)
        self.refuses(key_that_runs, "a key of a dict must be known while compiling, found int32 scalar", out, 3)
        self.refuses(in_a_branch, "Mismatched type for a", out, 3)
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            self.refuses(grows, "__setitem__ is not supported in triton", out, 3)


if __name__ == "__main__":
    unittest.main()
