"""Rules of docs/language.md, held against NumPy: what is known and what runs, conversions, reductions, loops, special
floats."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402

F32 = np.float32


@triton.jit
def special(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    results = (x - x, x * 0.0, x / x, x + 0.0, 0.0 - x, -x, (x + y) - x, x * 1.0, (x == x).to(tl.float32),
               tl.where(x > y, x, y), (x - y < 0).to(tl.float32), x + x - x)
    for k in tl.static_range(12):
        tl.store(out_ptr + k * N + i, results[k])


@triton.jit
def as_written(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    results = ((x + y) + 1.0, x + (y + 1.0), (x + 3.0) - 3.0, (x / 3.0) * 3.0, (x + y) + (y + x), x * 0.1 * 10.0)
    for k in tl.static_range(6):
        tl.store(out_ptr + k * N + i, results[k])


@triton.jit
def compared(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, (x < y).to(tl.int32))
    tl.store(out_ptr + N + i, (x < y.to(x.dtype, bitcast=True)).to(tl.int32))
    tl.store(out_ptr + 2 * N + i, (x.to(tl.int64) < y).to(tl.int32))
    tl.store(out_ptr + 3 * N + i, (x < 3).to(tl.int32) + (y > 3) * 2)


@triton.jit
def turns(out_ptr, n, by):
    total = 0
    for i in range(n):
        n = 0
        total += i
        i += 100
    tl.store(out_ptr, total)
    for i in range(20, n, -by):
        by = 1
        total = total * 2 + i
    tl.store(out_ptr + 1, total)
    for i in range(5, 5):
        total = 9
    for i in tl.range(0, 10, by + 2):
        total += i
    tl.store(out_ptr + 2, total)


@triton.jit
def shapes(x_ptr, y_ptr, z_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, C))
    y = tl.load(y_ptr + tl.arange(0, B)[:, None])
    z = tl.load(z_ptr + tl.arange(0, A)[:, None, None] * C + tl.arange(0, C)[None, None, :])
    at = tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]
    at = at * C + tl.arange(0, C)[None, None, :]
    tl.store(out_ptr + at, tl.where(y > 2, x, z) * y + z)


N = tl.constexpr(-7)


@triton.jit
def known(x_ptr, out_ptr, whole_ptr, HOW: tl.constexpr):
    a: tl.constexpr = N // 2
    b: tl.constexpr = N % 3
    tl.store(whole_ptr, a)
    tl.store(whole_ptr + 1, b)
    tl.store(whole_ptr + 2, tl.load(x_ptr) // 2)
    tl.store(whole_ptr + 3, tl.load(x_ptr) % 3)
    c: tl.constexpr = (1 << 70) >> 68
    tl.store(whole_ptr + 4, c)
    d: tl.constexpr = 0.1 + 0.2
    tl.store(out_ptr, d)
    tl.store(out_ptr + 1, tl.full((), 0.1, tl.float32) + 0.2)
    e: tl.constexpr = 16777217.0
    tl.store(out_ptr + 2, e * 3)
    if HOW == 1:
        tl.store(out_ptr + 3, there_is_no_such_name)
    elif HOW == 2 or there_is_no_such_name:
        tl.store(out_ptr + 3, 4)


@triton.jit
def truths(x_ptr, i_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, k = tl.load(x_ptr + i), tl.load(i_ptr + i)
    tl.store(out_ptr + i, x.to(tl.int1).to(tl.int32))
    tl.store(out_ptr + N + i, k.to(tl.int1).to(tl.int32))
    tl.store(out_ptr + 2 * N + i, (not k > 0).to(tl.int32) + 2 * (~(k > 0)).to(tl.int32))
    tl.store(out_ptr + 3 * N + i, (k > 0) + 1)


@triton.jit
def stored(x_ptr, i_ptr, whole_ptr, half_ptr, truth_ptr, small_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, k = tl.load(x_ptr + i), tl.load(i_ptr + i)
    tl.store(whole_ptr + i, x)
    tl.store(half_ptr + i, x)
    tl.store(truth_ptr + i, k)
    tl.store(small_ptr + i, k * 300)
    tl.store(whole_ptr + N + i, tl.load(i_ptr + i, mask=i % 2 == 0, other=2.75))
    tl.store(whole_ptr + 2 * N + i, tl.load(i_ptr + i, mask=i % 2 == 0, other=x))
    tl.store(whole_ptr + 3 * N + i, -2.5)


@triton.jit
def chosen(out_ptr, x_ptr, n):
    i = tl.arange(0, 4)
    f = i.to(tl.float16)
    tl.static_assert(tl.where(i > 1, i, f).dtype == tl.float16)
    tl.static_assert(tl.where(i > 1, i, 0.5).dtype == tl.float32)
    tl.static_assert(tl.where(i > 1, f, 1).dtype == tl.float16)
    tl.static_assert(tl.where(n > 1, i.to(tl.int8), i.to(tl.uint8)).dtype == tl.uint8)
    tl.store(out_ptr + i, tl.where(n > 1, i, 7))
    tl.store(out_ptr + 4 + i, tl.where(i > 1, tl.load(x_ptr), n))
    tl.store(out_ptr + 8 + i, tl.where(i[:, None] > 1, n, i[None, :]).to(tl.int32).reshape(2, 8)[1, 4:])


@triton.jit
def reduced(x_ptr, u_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, u = tl.load(x_ptr + i), tl.load(u_ptr + i)
    tl.static_assert(tl.sum(x, 0).dtype == tl.int32)
    tl.static_assert(tl.sum(u, 0).dtype == tl.uint32)
    tl.static_assert(tl.sum(x > 0, 0).dtype == tl.uint32)
    tl.static_assert(tl.sum(x.to(tl.int64), 0).dtype == tl.int64)
    tl.static_assert(tl.sum(x.to(tl.float16), 0).dtype == tl.float16)
    tl.static_assert(tl.argmax(x, 0).dtype == tl.int32)
    tl.static_assert(i.dtype == tl.int32 and tl.program_id(0).dtype == tl.int32)
    tl.store(out_ptr, tl.sum(x, 0))
    tl.store(out_ptr + 1, tl.sum(u, 0).to(tl.int32))
    tl.store(out_ptr + 2, tl.sum(x > 0, 0))
    tl.store(out_ptr + 3, tl.argmax(x, 0))
    tl.store(out_ptr + 4, tl.argmin(x, 0))
    tl.store(out_ptr + 5, tl.max(u, 0).to(tl.int32))
    tl.store(out_ptr + 6, tl.min(x, 0).to(tl.int32))
    tl.store(out_ptr + 7, tl.xor_sum(x.to(tl.int32), 0))


@triton.jit
def roots(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.sqrt(x))
    tl.store(out_ptr + N + i, tl.rsqrt(x))
    tl.store(out_ptr + 2 * N + i, tl.exp2(x))
    tl.store(out_ptr + 3 * N + i, tl.exp2(x * F32_MANY))
    tl.store(out_ptr + 4 * N + i, tl.math.sqrt_rn(x))


F32_MANY = tl.constexpr(2.0**133)


class Semantics(Engines):
    def test_subnormal_numbers(self):
        """The instructions for them take subnormal numbers for zeros, and give none."""
        x = np.array([0, -0.0, 1e-45, -1e-45, 1e-40, -1e-40, 2.0**-126, 2.0**-120, 4, -2.0**-126, -2.0**-127, np.inf, 2.0**-127,
                      -3e-39, 2.0**-130, 1], F32)
        x[15] = -1.0
        flushed = np.where(np.abs(x) < F32(2.0**-126), np.copysign(F32(0), x), x)
        with np.errstate(all="ignore"):
            want = [np.sqrt(flushed), 1 / np.sqrt(flushed), np.exp2(flushed), np.exp2(x * F32(2.0**133)), np.sqrt(x)]
        self.check(roots, [x], [np.concatenate(want).astype(F32)], N=16)

    def test_special_floats(self):
        values = np.array([0, -0.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1.5], F32)
        x, y = [v.ravel() for v in np.meshgrid(values, values)]
        with np.errstate(all="ignore"):
            want = [x - x, x * F32(0), x / x, x + F32(0), F32(0) - x, F32(0) - x, (x + y) - x, x, (x == x).astype(F32),
                    np.where(x > y, x, y), (x - y < 0).astype(F32), x + x - x]
        self.check(special, [x, y], [np.concatenate(want)], N=64)
        for target in ("interp", "sim:sm_90a"):
            out = np.zeros(12 * 64, F32)
            special[(1, )](x, y, out, N=64, neso_target=target)
            zero = np.concatenate(want) == 0
            np.testing.assert_array_equal(np.signbit(out)[zero], np.signbit(np.concatenate(want))[zero])

    def test_sums_as_written(self):
        random = np.random.default_rng(1)
        x, y = random.normal(size=256).astype(F32) * F32(1e6), random.normal(size=256).astype(F32)
        three, tenth = F32(3), F32(0.1)
        want = [(x + y) + F32(1), x + (y + F32(1)), (x + three) - three, x / three * three, (x + y) + (y + x),
                x * tenth * F32(10)]
        self.check(as_written, [x, y], [np.concatenate(want)], exact=False, N=256)
        out = np.zeros(6 * 256, F32)
        as_written[(1, )](x, y, out, N=256, neso_target="interp")
        np.testing.assert_array_equal(out[:3 * 256], np.concatenate(want[:3]))

    def test_comparisons_of_integers(self):
        for signed, unsigned in ((np.int32, np.uint32), (np.int8, np.uint8)):
            x = np.array([-1, 0, 5, 100, -100, 3, 4, 2], signed)
            y = np.array([0, 1, 5, 200, 100, 4, 3, 255], unsigned)
            low, wide = y.astype(signed), y.astype(np.int64)
            want = [x.astype(unsigned) < y, x < low, x.astype(np.int64) < wide, (x < 3) + (wide > 3) * 2]
            self.check(compared, [x, y], [np.concatenate([w.astype(np.int32) for w in want])], N=8)

    def test_turns(self):
        for n, by in ((0, 3), (4, 7)):
            first = sum(range(n))
            left = 0
            second = first
            for i in range(20, left, -by):
                second = second * 2 + i
            third = second + sum(range(0, 10, 3))
            self.check(turns, [], [np.array([first, second, third], np.int32)], n, by)

    def test_shapes(self):
        for a, b, c in ((2, 4, 8), (3, 5, 7)):
            random = np.random.default_rng(a)
            x, y, z = [random.integers(0, 9, s).astype(np.int32) for s in ((c, ), (b, 1), (a, 1, c))]
            self.check(shapes, [x, y, z], [np.where(y > 2, x, z) * y + z], A=a, B=b, C=c)

    def test_known_values(self):
        floats = np.array([F32(0.1 + 0.2), F32(0.1) + F32(0.2), F32(16777217.0 * 3), 4], F32)
        self.check(known, [np.array([-7], np.int32)], [floats, np.array([-4, 2, -3, -1, 4], np.int32)], HOW=2)

    def test_truths(self):
        x = np.array([0, -0.0, 0.25, np.nan, -3, np.inf, 1e-40, 1], F32)
        k = np.array([0, 256, -1, 65536, 1, -2147483648, 2, 0], np.int32)
        want = [x != 0, k != 0, (k <= 0) + 2 * ~(k > 0), (k > 0) + 1]
        self.check(truths, [x, k], [np.concatenate([w.astype(np.int32) for w in want])], N=8)

    def test_stores_convert(self):
        x = np.array([2.75, -2.75, 0.5, 1e5, -7, 3, 2, 1], F32)
        k = np.array([1, 0, 2, -1, 255, 5, 6, 7], np.int32)
        even = np.arange(8) % 2 == 0
        whole = np.concatenate([x.astype(np.int32), np.where(even, k, 2), np.where(even, k, x.astype(np.int32)),
                                np.full(8, -2)]).astype(np.int32)
        with np.errstate(over="ignore"):
            half = x.astype(np.float16)
        self.check(stored, [x, k], [whole, half, k != 0, (k * 300).astype(np.int8)], N=8)

    def test_where(self):
        for n in (1, 3):
            i = np.arange(4)
            table = np.where(i[:, None] > 1, n, i[None, :]).reshape(2, 8)[1, 4:]
            want = [i if n > 1 else np.full(4, 7), np.where(i > 1, 40, n), table]
            self.check(chosen, [], [np.concatenate(want + [i * 0 + 77])[:12].astype(np.int32)],
                       np.array([40], np.int32), n)

    def test_reductions(self):
        x = np.array([100, 100, -100, -100, 5, 100, -100, 7] * 4, np.int8)
        u = np.full(32, 250, np.uint8)
        want = [x.sum(dtype=np.int32), u.sum(dtype=np.int32), (x > 0).sum(), 0, 2, 250, -100,
                np.bitwise_xor.reduce(x.astype(np.int32))]
        self.check(reduced, [x, u], [np.array(want, np.int32)], N=32)


if __name__ == "__main__":
    unittest.main()
