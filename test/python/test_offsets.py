"""Offsets of pointers that 32 bits do not hold: computed in 64 bits where that is asked for, found in debug builds."""

import os
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402


@triton.jit
def far(x_ptr, out_ptr, row, stride, N: tl.constexpr, WIDE: tl.constexpr):
    i = tl.arange(0, N)
    # 2^32 elements ahead, and back: 32 bits take the product for 0.
    there = x_ptr + (row * stride + i + 3) * 2
    for _ in tl.static_range(8):
        there -= (1 << 30) if WIDE else 0
    tl.store(out_ptr + i, tl.load(there))


@triton.jit
def columns(x_ptr, out_ptr, row, stride, N: tl.constexpr):
    i = tl.arange(0, N)
    places = row * stride + i[:, None] * N + i[None, :] - (row * stride)
    tl.store(out_ptr + i[:, None] * N + i[None, :], tl.load(x_ptr + places))


class Offsets(Engines):
    def test_wide(self):
        x = np.arange(64, dtype=np.int32)
        want = x[6:38:2].copy()
        self.check(far, [x], [want], 1 << 16, 1 << 16, N=16, WIDE=False, assembled=False)
        with mock.patch.dict(os.environ, {"NESO_WIDE_OFFSETS": "1"}):
            self.check(far, [x], [want], 1 << 16, 1 << 16, N=16, WIDE=True)
            self.check(columns, [np.arange(64, dtype=np.int32)], [np.arange(64, dtype=np.int32)], 1 << 16, 1 << 16, N=8)

    def test_debug(self):
        x, out = np.zeros(64, np.int32), np.zeros(16, np.int32)
        with self.assertRaisesRegex(RuntimeError, "int32 overflow detected for operation mul"):
            far[(1, )](x, out, 1 << 16, 1 << 16, N=16, WIDE=False, debug=True, neso_target="interp")


if __name__ == "__main__":
    unittest.main()
