"""`match` statements, held against Python's own."""

import os
import unittest
from dataclasses import dataclass
from typing import NamedTuple
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402


class Kind:
    SMALL = 5


@triton.jit
def known(out, n, HOW: tl.constexpr):
    match HOW:
        case True:
            tl.store(out, 40)
        case 1:
            tl.store(out, 10)
        case "two" | "deux":
            tl.store(out, 20)
        case None:
            tl.store(out, 30)
        case Kind.SMALL:
            tl.store(out, 50)
        case -2 as x:
            tl.store(out, 60 + x)
        case x if x == 7:
            tl.store(out, 70 + x)
        case _:
            tl.store(out, n)


@triton.jit
def pick(n):
    match n % 4:
        case 0:
            return n * 2
        case 1 | 2:
            return n * 3
    return n * 5


@triton.jit
def running(out, n):
    total = 0
    for i in range(n):
        match i:
            case 0:
                continue
            case 6:
                break
            case k if k > 3:
                total += k * 100
            case other:
                total += pick(other)
    tl.store(out, total)


def known_here(how):
    return 40 if how is True else {1: 10, "two": 20, "deux": 20, None: 30, 5: 50, -2: 58, 7: 77}.get(how, 9)


def running_here(n):
    total = 0
    for i in range(min(n, 6)):
        if i > 3:
            total += i * 100
        elif i:
            total += i * 2 if i % 4 == 0 else i * 3 if i % 4 < 3 else i * 5
    return total


class Pair(NamedTuple):
    x: int
    y: int


@dataclass
class Box:
    x: int
    y: int


@triton.jit
def parts(v, n):
    match v:
        case []:
            return n
        case [x]:
            return n + x
        case 0, y:
            return 100 + y
        case (Pair() | Box()) as p:
            return 900 + p.x + n
        case (1, int(y)) if y > 1:
            return 200 + y + n
        case [x, [a, b]]:
            return 300 + x + a * b + n
        case [x, *rest, z] if len(rest) == 2:
            return 400 + z + rest[0] + rest[1] + n
        case [_, _, *rest]:
            return 500 + len(rest) + n
        case {"a": 1, "b": b}:
            return 700 + b + n
        case int(k):
            return 800 + k + n
    return 600 + n


@triton.jit
def of_parts(out, n):
    tl.store(out, parts((), n))
    tl.store(out + 1, parts((3, ), n))
    tl.store(out + 2, parts((0, 4), n))
    tl.store(out + 3, parts([1, 2], n))
    tl.store(out + 4, parts((1, 1), n))
    tl.store(out + 5, parts((1, [2, 3]), n))
    tl.store(out + 6, parts((1, 2, 3, n), n))
    tl.store(out + 7, parts([1, 2, 3, 4, 5], n))
    tl.store(out + 8, parts((n, 8, 9), n))
    tl.store(out + 9, parts("ab", n))
    tl.store(out + 10, parts({"a": 1, "b": n}, n))
    tl.store(out + 11, parts({"a": 2, "b": n}, n))
    tl.store(out + 12, parts(Pair(n, 5), n))
    tl.store(out + 13, parts(Box(n, 5), n))


def of_parts_here(n):
    return [parts.fn(v, n) for v in ((), (3, ), (0, 4), [1, 2], (1, 1), (1, [2, 3]), (1, 2, 3, n), [1, 2, 3, 4, 5],
                                     (n, 8, 9), "ab", {"a": 1, "b": n}, {"a": 2, "b": n}, Pair(n, 5), Box(n, 5))]


@triton.jit
def running_parts(out, n):
    for i in range(n):
        match i, n - i:
            case 0, m:
                tl.store(out, m)
            case (x, y) if x > y:
                tl.store(out + x, 100 + y)
            case [x, 3]:
                tl.store(out + x, 1000)
            case (x, y):
                tl.store(out + x, 200 + x * 10 + y)


def running_parts_here(n):
    return [n] + [100 + n - i if i > n - i else 1000 if n - i == 3 else 200 + i * 10 + n - i for i in range(1, n)]


@triton.jit
def with_names(out, len, list):
    match (len, 2, list):
        case (a, *rest) if a > 4:
            rest.append(a)
            tl.store(out, a + rest[1] + rest[2])
        case (a, b, c):
            tl.store(out, a * b * c)


@triton.jit
def tiles(out, n):
    match Box(tl.arange(0, 8), n):
        case Box(x=x, y=0):
            tl.store(out + x, x)
        case Box(x=x, y=times) if times > 2:
            tl.store(out + x, x * times)
        case Box(x=x):
            tl.store(out + x, 0)


class Turned(NamedTuple):
    x: int
    y: int
    z: int = 3


@dataclass
class Named:
    first: int
    second: int
    __match_args__ = ("second", "first")


@dataclass
class Deep(Box):
    pair: Pair


@triton.jit
def placed(v, n):
    match v:
        case Box(0, y):
            return 100 + y
        case Deep(x, _, Pair(1, b)):
            return 200 + x * 10 + b
        case Box(x, y) if x > 50:
            return 300 + x + y
        case Box(1 | 2 as x, y=7):
            return 400 + x
        case Pair(x, y):
            return 500 + x * y + n
        case Turned(x, z=5):
            return 600 + x
        case Turned(_, _, z):
            return 700 + z
        case Box(_, y):
            return 800 + y
    return n


@triton.jit
def placed_all(out, n):
    tl.store(out, placed(Box(0, 4), n))
    tl.store(out + 1, placed(Deep(2, 9, Pair(1, 6)), n))
    tl.store(out + 2, placed(Box(60, n), n))
    tl.store(out + 3, placed(Box(2, 7), n))
    tl.store(out + 4, placed(Pair(n, n), n))
    tl.store(out + 5, placed(Turned(4, 1, 5), n))
    tl.store(out + 6, placed(Turned(4, 1), n))
    tl.store(out + 7, placed(Box(3, n), n))
    tl.store(out + 8, placed((1, 2), n))


def placed_here(n):
    values = (Box(0, 4), Deep(2, 9, Pair(1, 6)), Box(60, n), Box(2, 7), Pair(n, n), Turned(4, 1, 5), Turned(4, 1), Box(3, n),
              (1, 2))
    return [placed.fn(v, n) for v in values]


@triton.jit
def placed_tiles(out, n):
    match Box(tl.arange(0, 8), n):
        case Box(x, 0):
            tl.store(out + x, x)
        case Box(x, times) if times > 2:
            tl.store(out + x, x * times)
        case Box(x):
            tl.store(out + x, 0)


@triton.jit
def too_many(out):
    match Pair(1, 2):
        case Pair(x, y, z):
            tl.store(out, x + y + z)


@triton.jit
def of_names(v):
    match v:
        case Named(1, first):
            return 10 + first
        case Named(second):
            return 20 + second


@triton.jit
def by_names(out):
    tl.store(out, of_names(Named(7, 1)))
    tl.store(out + 1, of_names(Named(7, 2)))


@triton.jit
def named_parts(v, n):
    match v:
        case (0 as a, [_, (2 | 3) as b]):
            return a + b * 10 + n
        case Box(x=1 | 2 as x, y=int() as y) as whole:
            return 100 + x * whole.x + y
        case {"k": [1 as one, *_]}:
            return 200 + one + n
        case [Box(x) as box, 5]:
            return 300 + x + box.y
    return n


@triton.jit
def all_named_parts(out, n):
    tl.store(out, named_parts((0, [1, 3]), n))
    tl.store(out + 1, named_parts(Box(2, 4), n))
    tl.store(out + 2, named_parts({"k": [1, 2, 3]}, n))
    tl.store(out + 3, named_parts([Box(n, 6), 5], n))
    tl.store(out + 4, named_parts((0, [1, 4]), n))


def named_parts_here(n):
    values = ((0, [1, 3]), Box(2, 4), {"k": [1, 2, 3]}, [Box(n, 6), 5], (0, [1, 4]))
    return [named_parts.fn(v, n) for v in values]


class Match(Engines):
    def test_positions(self):
        for n in (3, 6):
            self.check(placed_all, [], [np.array(placed_here(n), np.int32)], n)
        for n in (0, 1, 5):
            self.check(placed_tiles, [], [np.arange(8, dtype=np.int32) * (1 if n == 0 else n if n > 2 else 0)], n)
        self.check(by_names, [], [np.array([17, 22], np.int32)])
        self.refuses(too_many, "a pattern Pair(...) has at most 2 parts without a name", np.zeros(1, np.int32))

    def test_parts(self):
        for n in (3, 6):
            self.check(of_parts, [], [np.array(of_parts_here(n), np.int32)], n)
            self.check(running_parts, [], [np.array(running_parts_here(n), np.int32)], n)

    def test_names(self):
        for n in (2, 5):
            self.check(with_names, [], [np.array([2 * n + 7 if n > 4 else n * 14], np.int32)], n, 7)

    def test_attributes(self):
        for n in (0, 1, 5):
            times = 1 if n == 0 else n if n > 2 else 0
            self.check(tiles, [], [np.arange(8, dtype=np.int32) * times], n)

    def test_names_of_parts(self):
        for n in (3, 6):
            self.check(all_named_parts, [], [np.array(named_parts_here(n), np.int32)], n)

    def test_known(self):
        for how in (1, "two", "deux", None, True, 5, -2, 7, 8, "three"):
            self.check(known, [], [np.array([known_here(how)], np.int32)], 9, HOW=how, assembled=how == 7)

    def test_running(self):
        for n in (0, 1, 3, 5, 9):
            self.check(running, [], [np.array([running_here(n)], np.int32)], n, assembled=n == 9)

    def test_strict(self):
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            self.refuses(running, "Triton has no `match`", np.zeros(1, np.int32), 3, num_stages=2)


if __name__ == "__main__":
    unittest.main()
