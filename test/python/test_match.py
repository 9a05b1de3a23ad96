"""`match` statements, held against Python's own."""

import os
import unittest
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


class Match(Engines):
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
