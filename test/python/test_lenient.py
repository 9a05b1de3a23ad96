"""What Triton lets pass beside what its functions say, by value: methods of narrow floats, bits of
floats, any number as a truth, signs of compare-and-swap, numbers for libdevice."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.language.extra import libdevice  # noqa: E402

from engines import HAS_SIMULATOR, SIMULATED  # noqa: E402

N = 64


@triton.jit
def methods(h, out, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(h + i)
    tl.store(out + i, x.exp())
    tl.store(out + N + i, x.sqrt())
    tl.store(out + 2 * N + i, x.floor())
    tl.store(out + 3 * N + i, x.log2())


@triton.jit
def bits(p, old, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old + i, tl.atomic_xor(p + i, -0.0))
    tl.store(old + N + i, tl.atomic_and(p + i, float("nan"), mask=i > 7))
    tl.store(old + 2 * N + i, tl.atomic_or(p + i, 2))


@triton.jit
def truths(out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.full([8], 2.5, tl.int1))
    tl.store(out + 8 + i, tl.full([8], float("nan"), tl.int1))
    tl.store(out + 16 + i, tl.full([8], 0.0, tl.int1))
    tl.store(out + 24 + i, tl.full([8], -0.25, tl.int1))


@triton.jit
def swapped(p, out):
    old = tl.atomic_cas(p, 1, 2)
    tl.static_assert(old.dtype == tl.int32)
    tl.store(out, old < 0)
    unsigned = tl.atomic_cas(p, 1, tl.load(p))
    tl.static_assert(unsigned.dtype == tl.uint32)
    tl.store(out + 1, unsigned < 0)


@triton.jit
def numbers(out):
    tl.store(out, libdevice.exp(1.0))
    tl.store(out + 1, libdevice.exp2(3.0))
    tl.store(out + 2, libdevice.sqrt(2.0))
    tl.store(out + 3, libdevice.rsqrt(4.0))
    tl.store(out + 4, libdevice.floor(-1.5))
    tl.store(out + 5, libdevice.ceil(-1.5))
    tl.store(out + 6, libdevice.log(2.0))
    tl.store(out + 7, libdevice.tanh(0.5))
    tl.store(out + 8, libdevice.erf(0.5))
    tl.store(out + 9, libdevice.log1p(0.5))
    tl.store(out + 10, libdevice.round(2.5))
    tl.store(out + 11, libdevice.isnan(2.5))
    tl.store(out + 12, libdevice.rsqrt_rn(4.0))


def engines():
    yield {}
    for target in SIMULATED if HAS_SIMULATOR else ():
        yield {"neso_target": target, "neso_check": True}


class Lenient(unittest.TestCase):

    def test_methods_of_half(self):
        x = np.linspace(0.25, 9, N).astype(np.float16)
        w = x.astype(np.float32)
        want = np.concatenate([f(w).astype(np.float16) for f in (np.exp, np.sqrt, np.floor, np.log2)])
        for engine in engines():
            with self.subTest(**engine):
                out = np.zeros(4 * N, np.float16)
                methods[(1, )](x, out, N, **engine)
                # rounded once, from a value that is off by some places of fp32 at most
                np.testing.assert_array_max_ulp(out, want, 1)
                np.testing.assert_array_equal(out[2 * N:3 * N], want[2 * N:3 * N])
                self.assertGreater((out == want).mean(), 0.97)

    def test_bits_of_floats(self):
        for dtype, whole in ((np.float32, np.uint32), (np.float64, np.uint64)):
            x = np.linspace(-3, 5, N).astype(dtype)
            two, nan = np.array(2, dtype).view(whole), np.array(np.nan, dtype).view(whole)
            first = -x
            second = np.where(np.arange(N) > 7, first.view(whole) & nan, first.view(whole))
            for engine in engines():
                with self.subTest(dtype=dtype.__name__, **engine):
                    p, old = x.copy(), np.zeros(3 * N, dtype)
                    bits[(1, )](p, old, N, **engine)
                    np.testing.assert_array_equal(old[:N].view(whole), x.view(whole))
                    np.testing.assert_array_equal(old[N + 8:2 * N].view(whole), first[8:].view(whole))
                    np.testing.assert_array_equal(old[2 * N:].view(whole), second)
                    np.testing.assert_array_equal(p.view(whole), second | two)

    def test_libdevice_of_numbers(self):
        want = [np.e, 8, 2 ** 0.5, 0.5, -2, -1, np.log(2), np.tanh(0.5), 0.5204998778, np.log(1.5), 3, 0, 0.5]
        for engine in engines():
            with self.subTest(**engine):
                out = np.full(13, 7, np.float32)
                numbers[(1, )](out, **engine)
                np.testing.assert_allclose(out, want, rtol=1e-6)

    def test_any_number_but_zero_is_true(self):
        for engine in engines():
            with self.subTest(**engine):
                out = np.full(32, 7, np.int32)
                truths[(1, )](out, **engine)
                self.assertEqual(out[::8].tolist(), [1, 1, 0, 1])

    def test_signs_of_compare_and_swap(self):
        for engine in engines():
            with self.subTest(**engine):
                p, out = np.array([0xFFFFFFFF], np.uint32), np.full(2, 7, np.int32)
                swapped[(1, )](p, out, **engine)
                self.assertEqual(out.tolist(), [1, 0])


if __name__ == "__main__":
    unittest.main()
