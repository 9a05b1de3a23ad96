"""Values of functions, in the interpreter and in the simulator, against NumPy."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.language.extra import libdevice  # noqa: E402

BASES = [2, -2, -0., -1, np.inf, -np.inf, np.nan, 1.5]


@triton.jit
def sizes(x, o, T: tl.constexpr):
    i = tl.arange(0, 256)
    v = tl.load(x + i).to(T, bitcast=True)
    tl.store(o + i, tl.abs(v).to(tl.uint8, bitcast=True))


@triton.jit
def powers(x, y, o, D: tl.constexpr):
    i = tl.arange(0, 256)
    tl.store(o + i, libdevice.pow(tl.load(x + i), tl.load(y + i).to(D)))


@triton.jit
def power(x, n, o):
    i = tl.arange(0, 256)
    tl.store(o + i, libdevice.pow(tl.load(x + i), n))


@triton.jit
def nearest(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, libdevice.round(tl.load(x + i)))


@triton.jit
def lengths(x, y, o):
    i = tl.arange(0, 1024)
    tl.store(o + i, libdevice.hypot(tl.load(x + i), tl.load(y + i)))


def simulated():
    x = np.zeros(256, np.uint8)
    try:
        sizes.warmup(x, x, tl.float8e5, grid=(1, ), neso_target="sim:sm_90a")
    except Exception as error:
        if "libneso-codegen" in str(error):
            return False
        raise
    return True


ENGINES = ({}, {"neso_target": "sim:sm_90a"}) if simulated() else ({}, )


class Numbers(unittest.TestCase):

    def test_nearest(self):
        """Halves go away from zero; what is next to a half does not."""
        for dtype, mantissa in ((np.float32, 23), (np.float64, 52)):
            steps = 2.0**np.arange(-3, mantissa + 4)
            halves = np.concatenate([np.arange(40) + 0.5, steps, steps + 0.5]).astype(dtype)
            x = np.concatenate([halves, np.nextafter(halves, dtype(0)), np.nextafter(halves, dtype(np.inf))])
            x = np.concatenate([x, -x, np.array([0., -0., np.inf, -np.inf, np.nan], dtype)])
            x = np.concatenate([x, np.zeros(1024 - len(x), dtype)])
            exact = x.astype(np.longdouble)
            expected = np.trunc(exact + np.copysign(np.longdouble(0.5), exact)).astype(dtype)
            for engine in ENGINES:
                o = np.empty_like(x)
                nearest[(1, )](x, o, 1024, **engine)
                np.testing.assert_array_equal(o, expected, f"{dtype} {engine}")
                np.testing.assert_array_equal(np.signbit(o), np.signbit(expected), f"{dtype} {engine}")

    def test_lengths(self):
        """Squares that are no doubles, subnormal numbers, infinity beside NaN."""
        generator = np.random.default_rng(1)
        for dtype, most in ((np.float64, 1000), (np.float32, 120)):
            x = generator.standard_normal(1024) * 2.0**generator.integers(-most, most, 1024)
            y = x * 2.0**generator.integers(-30, 30, 1024) * generator.standard_normal(1024)
            tiny = float(np.nextafter(dtype(0), dtype(1)))
            x[:6], y[:6] = [3 * tiny, 0, np.inf, np.nan, -np.inf, np.nan], [4 * tiny, -0., np.nan, -np.inf, 1, 1]
            with np.errstate(over="ignore", under="ignore"):
                x, y = x.astype(dtype), y.astype(dtype)
                wanted = np.hypot(x.astype(np.longdouble), y.astype(np.longdouble)).astype(dtype)
            for engine in ENGINES:
                o = np.empty_like(x)
                lengths[(1, )](x, y, o, **engine)
                at = 1 if engine else 0  # NVIDIA's own makes a subnormal number 0, and is off by 2
                np.testing.assert_array_max_ulp(o[6:], wanted[6:], 1 + at)
                np.testing.assert_array_equal(o[at:6], np.array([5 * tiny, 0, np.inf, np.inf, np.inf, np.nan], dtype)[at:], f"{dtype} {engine}")

    def test_sizes_of_bytes(self):
        x = np.arange(256, dtype=np.uint8)
        for engine in ENGINES:
            for dtype in (tl.float8e4nv, tl.float8e5, tl.float8e4b15):
                o = np.zeros_like(x)
                sizes[(1, )](x, o, dtype, **engine)
                nan = (x & 0x7f) > 0x7c if dtype == tl.float8e5 else (x & 0x7f) > 0x7f
                np.testing.assert_array_equal(o[~nan], (x & 0x7f)[~nan], f"{dtype} {engine}")
                self.assertTrue((o[nan] > 0x7c).all() and (o[nan] <= 0x7f).all())

    def check_powers(self, width, exponent, engine):
        x = np.repeat(np.array(BASES, width), 32)
        y = np.tile(np.arange(32, dtype=np.int64) - 12, len(BASES))
        y = y.astype(getattr(np, exponent.name.replace("fp", "float")) if exponent.is_floating() else exponent.name)
        o = np.zeros(256, width)
        powers[(1, )](x, y, o, exponent, **engine)
        with np.errstate(all="ignore"):
            expected = np.power(x.astype(np.float64), y.astype(np.float64)).astype(width)
        what = f"{width} to {exponent} {engine}"
        np.testing.assert_allclose(o, expected, rtol=1e-6, err_msg=what)
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(o)[known], np.signbit(expected)[known], what)

    def test_powers(self):
        """Exponents are integers of any width, or floats."""
        for engine in ENGINES:
            for width in (np.float32, np.float64):
                for exponent in (tl.int8, tl.int16, tl.int32, tl.int64, tl.uint8, tl.uint32, tl.float32):
                    self.check_powers(width, exponent, engine)

    def test_odd_beyond_floats(self):
        """2^53 + 1 is odd, the float next to it is not."""
        for engine in ENGINES:
            for width in (np.float32, np.float64):
                x, o = np.full(256, -1, width), np.zeros(256, width)
                power[(1, )](x, 2**53 + 1, o, **engine)
                self.assertEqual(set(o), {-1})
                power[(1, )](x, 2, o, **engine)
                self.assertEqual(set(o), {1})


if __name__ == "__main__":
    unittest.main()
