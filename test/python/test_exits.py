"""`break`, `continue` and `return` in loops, held against Python's own reading of the same text."""

import os
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402


@triton.jit
def both(p, out, n):
    total = 0
    last = -1
    for i in range(n):
        v = tl.load(p + i)
        if v < 0:
            break
        if v == 3:
            continue
        total += v
        last = i
    tl.store(out, total)
    tl.store(out + 1, last)


@triton.jit
def find(p, n, x):
    for i in range(n):
        if tl.load(p + i) == x:
            return i
    return -1


@triton.jit
def find_in_rows(p, n, x):
    i = 0
    while True:
        if i >= n:
            return -1
        j = 0
        while j < 4:
            v = tl.load(p + i + j)
            if v == x:
                return i + j
            if v < 0:
                break
            j += 1
        i += 4


@triton.jit
def returns(p, out, n):
    for x in tl.static_range(0, 6):
        tl.store(out + x, find(p, n, x))
        tl.store(out + 8 + x, find_in_rows(p, n, x))


@triton.jit
def test_not_asked_again(p, out, n):
    total = 0
    i = 0
    while i < n and tl.load(p + i) >= 0:
        i += 1
        if i % 2 == 0:
            continue
        if i > 9:
            break
        total += i
    tl.store(out, total)
    tl.store(out + 1, i)


@triton.jit
def unrolled(p, out, n):
    total = 0
    for u in tl.static_range(6):
        v = tl.load(p + u)
        if v == n:
            continue
        if v < 0:
            break
        total += v * 10 + u
        if u == 4:
            break
    tl.store(out, total)
    tl.store(out + 1, u)


@triton.jit
def nested(p, out, n):
    total = tl.load(out)
    for i in range(n, 0, -1):
        v = tl.load(p + i - 1)
        for j in range(3):
            if v < 0:
                break
            t = j + v
            if t == 4:
                continue
            total += t
            if v == 1:
                return
        if v == 7:
            total -= 1
            continue
        total += 1
        tl.store(out, total)


@triton.jit
def with_else(p, out, n):
    total = 0
    for i in range(n):
        v = tl.load(p + i)
        if v < 0:
            break
        for j in tl.static_range(3):
            if v == 7 - j:
                break
            total += j
        else:
            total += 100
            if v == 3:
                continue
        while v > 2:
            v -= 2
            if v == 3:
                break
        else:
            total += 1000
            if i == 6:
                break
        total += 10000
    else:
        total += 100000
        for k in tl.static_range(2):
            total += k
        else:
            total += 1000000
    tl.store(out, total)


@triton.jit
def left_by_return(p, out, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            return
        if i == 5:
            break
    else:
        tl.store(out, 1)
        return
    tl.store(out, 2)


@triton.jit
def reused(p, out, n):
    total = 0
    for i in range(n):
        v = tl.load(p + i)
        for j in tl.static_range(2):
            if v > 4:
                continue
            for j in tl.static_range(1, 3):
                total += j * (v + 9)
            if v == 3:
                break
            total += j * 1000
        for j in tl.static_range(2, 4):
            for k in tl.static_range(2):
                if v == 4:
                    j = v
                    continue
                total += k
        total += j
        if v < 0:
            break
        for j in (1, 2.5):
            if v == 1:
                break
            total += 7
    tl.store(out, total)


@triton.jit
def unrolled_again(p, out, n):
    """Loops over constants whose variable had another value before the loop around them."""
    total = 0
    for j in tl.static_range(4):
        total += j
    for i in range(n):
        for j in tl.static_range(2):
            match j + 1:
                case 1:
                    total += tl.load(p + i)
                case 2:
                    total += 10
        if total > 60:
            break
    k = 0
    while k < n:
        for j in tl.static_range(3):
            total += j * k
        k += 1
    for j in tl.static_range(1):
        total += 1000
    tl.store(out, total + j)


@triton.jit
def ends_of_types(out, n):
    for i in range(2147483640, 2147483647, 5):
        if i < 0:
            break
        tl.store(out, i)
    count = 0
    for i in range(-5, 2147483647, 2147483640):
        if i == 7:
            break
        count += 1
    for u in range(tl.cast(n, tl.uint32)):
        if u == 5:
            break
        count += 10
    k = 0
    while k < n:
        k += 1
        for q in range(k):
            if q == 2:
                break
            count += 100
        if count > 700:
            break
    tl.store(out + 1, count)
    tl.store(out + 2, k)


@triton.jit
def carries_tiles(x_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.arange(0, B)
    total = tl.zeros([B], tl.float32)
    for i in range(n):
        x = tl.load(x_ptr + i * B + at)
        if tl.max(x, 0) > 90.0:
            break
        if tl.sum(x, 0) < 0.0:
            continue
        total += x
    tl.store(out_ptr + at, total)


@triton.jit
def mixed(out, n):
    for i in range(n):
        if i == 2:
            return 1
        if i == 3:
            return 2.0


@triton.jit
def mixed_returns(out, n):
    tl.store(out, mixed(out, n))


@triton.jit
def tile_condition(out, n):
    i = tl.arange(0, 8)
    for k in range(n):
        if i < k:
            break
    tl.store(out + i, i)


@triton.jit
def found(v, n, STOP: tl.constexpr):
    for i in range(n):
        for j in tl.static_range(2):
            k = 0
            while k < i:
                v += j
                k += 1
                if STOP > 9:
                    return v, 1
            if STOP == 2:
                return v, k
        for k in range(n):
            v += 1
            if STOP:
                return v, i
    return v, n


@triton.jit
def first_of(v, n):
    for i in range(n):
        if n > 1:
            if i * n > 3:
                return v, i
        else:
            if n > 5:
                continue
            v += 1
        v += 1
    return v, n


@triton.jit
def returns_beside_continue(out, n):
    at = tl.arange(0, 8)
    v, i = first_of(at, n)
    tl.store(out + at, v * 100 + i)


@triton.jit
def unrolled_in_unrolled(v, n):
    for i in tl.static_range(2):
        if n > 20:
            break
        for j in tl.static_range(3):
            v += 1
            if n > 2 * i + j + 7:
                return v, j
    return v, n


@triton.jit
def unrolled_returns(out, n):
    at = tl.arange(0, 8)
    v, j = unrolled_in_unrolled(at, n)
    tl.store(out + at, v * 100 + j)


@triton.jit
def constant_returns(out, n, STOP: tl.constexpr):
    at = tl.arange(0, 8)
    v, i = found(at, n, STOP)
    tl.store(out + at, v * 100 + i)


class Pointer:
    def __init__(self, array, at=0):
        self.array, self.at = array, at

    def __add__(self, n):
        return Pointer(self.array, self.at + n)

    def __sub__(self, n):
        return Pointer(self.array, self.at - n)


class Language:
    """What the kernels use of tl, for Python."""

    uint32 = None

    @staticmethod
    def load(p):
        return int(p.array[p.at])

    @staticmethod
    def store(p, value):
        p.array[p.at] = value

    @staticmethod
    def cast(value, dtype):
        return value

    static_range = staticmethod(range)


def by_python(kernel, *args):
    names = dict(tl=Language, find=None, find_in_rows=None)
    for f in (find, find_in_rows, kernel):
        exec(f.src, names)
    names[kernel.__name__](*(Pointer(a) if isinstance(a, np.ndarray) else a for a in args))


class Exits(Engines):
    def test_values(self):
        values = np.array([5, 1, 3, 2, -1, 4, 0, 7], np.int32)
        for kernel in (both, returns, test_not_asked_again, unrolled, with_else, left_by_return, reused, unrolled_again):
            for n in (0, 1, 2, 3, 4, 5, 8):
                want = np.full(16, 77, np.int32)
                by_python(kernel, values, want, n)
                self.check(kernel, [values], [want], n, assembled=n == 8)

    def test_nested(self):
        values = np.array([5, 1, 3, 2, -1, 4, 0, 7], np.int32)
        for n in (0, 1, 2, 3, 5, 8):
            want = np.full(1, 77, np.int32)
            by_python(nested, values, want, n)
            self.check(nested, [values], [want], n, assembled=n == 8)

    def test_returns_that_constants_decide(self):
        at = np.arange(8)
        for n in (0, 1, 3):
            never = (at + sum(i + n for i in range(n))) * 100 + n
            self.check(constant_returns, [], [never.astype(np.int32)], n, STOP=0, assembled=n == 3)
            first = at * 100 + 100 if n else at * 100
            self.check(constant_returns, [], [first.astype(np.int32)], n, STOP=1)
            self.check(constant_returns, [], [(at * 100).astype(np.int32)], n, STOP=2)

    def test_returns_beside_continue(self):
        at = np.arange(8)
        for n, turns, i in ((0, 0, 0), (1, 2, 1), (2, 2, 2), (3, 2, 2), (5, 1, 1)):
            self.check(returns_beside_continue, [], [((at + turns) * 100 + i).astype(np.int32)], n, assembled=n == 3)

    def test_returns_of_unrolled_loops(self):
        at = np.arange(8)
        for n, turns, j in ((3, 6, 3), (8, 1, 0), (25, 0, 25)):
            self.check(unrolled_returns, [], [((at + turns) * 100 + j).astype(np.int32)], n, assembled=n == 3)

    def test_ends_of_types(self):
        for n in (0, 1, 3, 7, 50):
            want = np.full(3, 77, np.int32)
            by_python(ends_of_types, want, n)
            self.check(ends_of_types, [], [want], n, assembled=n == 7)

    def test_tiles(self):
        rows = np.arange(8 * 64, dtype=np.float32).reshape(8, 64) % 50
        rows[2] = -1
        rows[6, 3] = 99
        want = rows[0] + rows[1] + rows[3] + rows[4] + rows[5]
        self.check(carries_tiles, [rows], [want], 8, B=64)

    def test_errors(self):
        out = np.zeros(8, np.int32)
        self.refuses(mixed_returns, "Inconsistent return types", out, 8)
        self.refuses(tile_condition, "expected a condition of one element", out, 8,
                     cure="an `if` is for the whole program")

    def test_strict(self):
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            values, out = np.zeros(8, np.int32), np.zeros(16, np.int32)
            self.refuses(carries_tiles, "Triton has no `break`", np.zeros((4, 8), np.float32),
                         np.zeros(8, np.float32), 4, B=8, cure="while i < n and not done")
            self.refuses(returns, "Cannot have `return` statements inside `while` or `for` statements", values, out, 4,
                         num_stages=2)


if __name__ == "__main__":
    unittest.main()
