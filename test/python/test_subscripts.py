"""Indices and slices of tiles, and assignments to them, held against NumPy's."""

import os
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402


@triton.jit
def pick_row(x_ptr, out_ptr, at, N: tl.constexpr, M: tl.constexpr, HOW: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :])
    if HOW == 0:
        y = x[at]
    elif HOW == 1:
        y = x[-2, :]
    elif HOW == 2:
        y = x[2:6, at]
    elif HOW == 3:
        y = x[::-2, 3:4][:, 0]
    elif HOW == 4:
        y = x[at, ::4]
    elif HOW == 5:
        y = x[..., -1]
    elif HOW == 6:
        y = x[None, 1, :, None][0, :, 0]
    else:
        y = x[3][2:10]
    tl.store(out_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def pick_one(x_ptr, out_ptr, at, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, x[at])
    tl.store(out_ptr + 1, x[-at])
    tl.store(out_ptr + 2, x[3])
    tl.store(out_ptr + 3, x[-1])
    tl.store(out_ptr + 4, x[tl.argmax(x, 0)])
    addresses = x_ptr + tl.arange(0, N) * 2 % N
    tl.store(out_ptr + 5, tl.load(addresses[at]))


@triton.jit
def put_by_mask(x_ptr, out_ptr, N: tl.constexpr):
    places = tl.arange(0, N)[:, None] * 4 + tl.arange(0, 4)[None, :]
    x = tl.load(x_ptr + places)
    x[x > 3] = 3
    x[x < 0] = -tl.load(x_ptr)
    tl.store(out_ptr + places, x)


@triton.jit
def bad_mask(out_ptr, n):
    x = tl.arange(0, 8)
    x[x > 3] = x
    tl.store(out_ptr + tl.arange(0, 8), x)


@triton.jit
def reads_by_mask(out_ptr, n):
    x = tl.arange(0, 8)
    tl.store(out_ptr + tl.arange(0, 8), x[x > 3])


@triton.jit
def put_all(x_ptr, out_ptr, at, N: tl.constexpr, M: tl.constexpr, HOW: tl.constexpr):
    places = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    x = tl.load(x_ptr + places)
    row = tl.arange(0, M).to(x.dtype)
    column = tl.arange(0, N).to(x.dtype)
    if HOW == 0:
        x[at] = row
    elif HOW == 1:
        x[:, at] = column
    elif HOW == 2:
        x[2:6, 4:8] = 0
    elif HOW == 3:
        x[1::2] = row[None, :]
    elif HOW == 4:
        x[-1, ::-1] = row
    elif HOW == 5:
        x[4:6, 2] = x[0, 0:2]
    elif HOW == 6:
        x[2:4] += x[4:6]
        x[at, at] -= 100
    elif HOW == 7:
        x[0:4][1:3, 0:2] = 7
    elif HOW == 8:
        for i in range(at):
            x[i] = row * i
    elif HOW == 9:
        x[...] = row
    else:
        x[6:2:-2, -3:-1] = x[0:2, 0:2]
    tl.store(out_ptr + places, x)


@triton.jit
def keeps_others(out_ptr, n):
    x = tl.zeros([8], tl.int32)
    y = x
    x[2:4] = n
    tl.store(out_ptr + tl.arange(0, 8), y)
    tl.store(out_ptr + 8 + tl.arange(0, 8), x)


@triton.jit
def bad_bound(p, n):
    x = tl.arange(0, 16)[n:n + 4]


@triton.jit
def bad_index(p, n):
    x = tl.arange(0, 16)[16]


@triton.jit
def bad_kind(p, n):
    x = tl.arange(0, 16)[1.5]


@triton.jit
def bad_empty(p, n):
    x = tl.arange(0, 16)[4:4]


@triton.jit
def bad_step(p, n):
    x = tl.arange(0, 16)[::0]


@triton.jit
def bad_value(p, n):
    x = tl.arange(0, 16)
    x[2:4] = tl.arange(0, 8)


@triton.jit
def bad_rank(p, n):
    x = tl.arange(0, 16)[1, 2]


def picked(x, at, how):
    return [lambda: x[at], lambda: x[-2, :], lambda: x[2:6, at], lambda: x[::-2, 3], lambda: x[at, ::4],
            lambda: x[..., -1], lambda: x[1], lambda: x[3][2:10]][how]()


def put(x, at, how):
    x, row, column = x.copy(), np.arange(x.shape[1]), np.arange(x.shape[0])
    if how == 0:
        x[at] = row
    elif how == 1:
        x[:, at] = column
    elif how == 2:
        x[2:6, 4:8] = 0
    elif how == 3:
        x[1::2] = row[None, :]
    elif how == 4:
        x[-1, ::-1] = row
    elif how == 5:
        x[4:6, 2] = x[0, 0:2].copy()
    elif how == 6:
        x[2:4] += x[4:6]
        x[at, at] -= 100
    elif how == 7:
        x[0:4][1:3, 0:2] = 7
    elif how == 8:
        for i in range(at):
            x[i] = row * i
    elif how == 9:
        x[...] = row
    else:
        x[6:2:-2, -3:-1] = x[0:2, 0:2].copy()
    return x


class Subscripts(Engines):
    def test_rows(self):
        for dtype in (np.float32, np.int16):
            x = np.random.default_rng(1).integers(-99, 99, (8, 16)).astype(dtype)
            for how in range(8):
                for at in (5, 0, -3) if how in (0, 2, 4) else (5, ):
                    want = np.ascontiguousarray(picked(x, at, how))
                    self.check(pick_row, [x], [want], at, N=8, M=16, HOW=how, assembled=at == 5)

    def test_one(self):
        x = np.random.default_rng(2).permutation(64).astype(np.float32)
        for n, warps in ((8, 1), (64, 4)):
            for at in (1, 5, 7):
                y = x[:n]
                want = np.array([y[at], y[-at], y[3], y[-1], y[np.argmax(y)], y[at * 2 % n]], np.float32)
                self.check(pick_one, [y], [want], at, N=n, num_warps=warps)

    def test_assignment(self):
        for dtype in (np.float32, np.int32):
            x = np.random.default_rng(3).integers(-99, 99, (8, 16)).astype(dtype)
            for how in range(11):
                for at in (5, -2) if how in (0, 1, 6) else (5, ):
                    self.check(put_all, [x], [put(x, at, how)], at, N=8, M=16, HOW=how, assembled=at == 5)

    def test_masks(self):
        for n in (8, 11):
            x = np.random.default_rng(n).integers(-9, 9, (n, 4)).astype(np.float32)
            want = x.copy()
            want[want > 3] = 3
            want[want < 0] = -x[0, 0]
            self.check(put_by_mask, [x], [want], N=n)

    def test_tiles_are_values(self):
        want = np.zeros(16, np.int32)
        want[10:12] = 9
        self.check(keeps_others, [], [want], 9)

    def test_debug(self):
        x, out = np.zeros(8, np.float32), np.zeros(8, np.float32)
        with self.assertRaisesRegex(RuntimeError, "an index is out of range for 8 elements"):
            pick_one[(1, )](x, out, 9, N=8, debug=True, neso_target="interp")

    def test_errors(self):
        out = np.zeros(16, np.int32)
        self.refuses(bad_bound, "the start of a slice of a tile must be known when compiling, found int32",
                     out, 3,
                     cure="tl.gather(x, start + tl.arange(0, N), axis)")
        self.refuses(bad_index, "index 16 is out of range for 16 items", out, 3)
        self.refuses(bad_kind, "cannot be indexed by 1.5", out, 3, cure="tl.gather")
        self.refuses(bad_empty, "the slice takes nothing of 16 elements", out, 3)
        self.refuses(bad_step, "a slice of a tile cannot have the step 0", out, 3)
        self.refuses(bad_value, "int32[8] does not fit what is assigned to, shape [2] of int32[16]", out, 3)
        self.refuses(bad_mask, "int32[8] cannot be assigned where int1[8] is true of int32[8]", out, 3,
                     cure="tl.where(mask, y, x)")
        self.refuses(reads_by_mask, "int32[8] cannot be indexed by int1[8]", out, 3, cure="tl.where(mask, x, 0)")
        self.refuses(bad_rank, "int32[16] cannot be indexed by 2", out, 3)

    def test_strict(self):
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            out = np.zeros(16, np.int32)
            self.refuses(keeps_others, "Triton has no assignment to elements of a tile", out, 3, num_stages=2)
            self.refuses(pick_one, "Triton has no indices and slices of tiles", out, out, 3, N=8,
                         num_stages=2)


if __name__ == "__main__":
    unittest.main()
