"""Atomics of 8 and 16 bits: PTX has few of them, the others are a loop of compare-and-swap."""

import os
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402


@triton.jit
def all_of_them(x_ptr, out_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    zero = tl.zeros([N], x.dtype)
    tl.store(out_ptr + tl.arange(0, 8), tl.zeros([8], x.dtype) + 3)
    tl.debug_barrier()
    tl.atomic_max(out_ptr + zero.to(tl.int32), x)
    tl.atomic_min(out_ptr + 1 + zero.to(tl.int32), x)
    tl.atomic_add(out_ptr + 2 + i % 2, x, mask=i % 3 != 0)
    tl.atomic_xchg(out_ptr + 4, x[5])
    tl.store(old_ptr + i, tl.atomic_cas(out_ptr + 8 + i, x * 0, x))
    tl.store(old_ptr + N, tl.atomic_add(out_ptr + 5, x[0]))


@triton.jit
def bits(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr, -1)
    tl.store(out_ptr + 1 + tl.arange(0, 2), tl.zeros([2], x.dtype))
    tl.debug_barrier()
    tl.atomic_and(out_ptr + i * 0, x)
    tl.atomic_or(out_ptr + 1 + i * 0, x)
    tl.atomic_xor(out_ptr + 2 + i * 0, x)


@triton.jit
def moved(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_store(out_ptr + i, tl.atomic_load(x_ptr + i, mask=i % 3 != 0), mask=i % 3 != 0)
    tl.atomic_store(out_ptr, tl.atomic_load(x_ptr + 1))


@triton.jit
def truths(x_ptr, out_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + tl.arange(0, 4), tl.arange(0, 4) % 2 == 0)
    tl.debug_barrier()
    tl.atomic_or(out_ptr + 1 + i * 0, x, mask=i < N - 1)
    tl.atomic_and(out_ptr + i * 0, x, mask=i < 3)
    tl.atomic_xor(out_ptr + 2 + i * 0, x)
    tl.store(old_ptr + i, tl.atomic_or(out_ptr + 4 + i, 0))
    tl.store(old_ptr + N, tl.atomic_xchg(out_ptr + 3, 6))


class SmallAtomics(Engines):
    def test_truths(self):
        n = 32
        x = np.random.default_rng(8).integers(0, 2, n).astype(bool)
        out = np.ones(4 + n, bool)
        out[:4] = [x[:3].all(), x[:-1].any(), 1 ^ x.sum() % 2, True]
        self.check(truths, [x], [out, np.arange(n + 1) < n], N=n)
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            self.refuses(truths, "tl.atomic_or does not support int1", x, out, out, N=n, num_stages=2)

    def test_values(self):
        n = 32
        for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.float16):
            unsigned = dtype in (np.uint8, np.uint16)
            x = np.random.default_rng(3).integers(0 if unsigned else -50, 50, n).astype(dtype)
            x[9] = 0 if unsigned else -60
            some = np.arange(n) % 3 != 0
            out = np.full(8 + n, 77, dtype)
            out[:8] = 3
            out[0], out[1] = max(3, x.max()), min(3, x.min())
            out[2] += x[some & (np.arange(n) % 2 == 0)].sum()
            out[3] += x[some & (np.arange(n) % 2 == 1)].sum()
            out[4] = x[5]
            out[5] += x[0]
            old = np.full(n + 1, 77, dtype)
            old[n] = 3
            self.check(all_of_them, [x], [out, old], N=n)

    def test_bits(self):
        for dtype in (np.int8, np.uint8, np.int16, np.uint16):
            x = np.random.default_rng(4).integers(0, 2**15, 32).astype(dtype) | np.array(64, dtype)
            want = np.array([np.bitwise_and.reduce(x), np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x)], dtype)
            self.check(bits, [x], [want], N=32)

    def test_loads_and_stores(self):
        for dtype in (np.bool_, np.int8, np.uint8, np.int16, np.float16):
            for n in (5, 16):
                x = np.random.default_rng(n).integers(0, 100, n).astype(dtype)
                x[3] = 1
                want = np.full(n, 77).astype(dtype)
                kept = np.arange(n) % 3 != 0
                want[kept] = x[kept]
                want[0] = x[1]
                self.check(moved, [x], [want], N=n)
                if n == 16:
                    with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
                        self.check(moved, [x], [want], N=n, num_warps=2)

    def test_strict(self):
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            x = np.zeros(64, np.int16)
            self.refuses(bits, "tl.atomic_and", x, x, N=32, num_stages=2)


if __name__ == "__main__":
    unittest.main()
