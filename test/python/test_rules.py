"""Rules of docs/language.md that values can show, by every engine."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.language.extra import libdevice  # noqa: E402
from neso.runtime.errors import DeviceAssertError  # noqa: E402

from engines import HAS_SIMULATOR, SIMULATED, Engines  # noqa: E402


@triton.jit
def promotions():
    i8, i16, i32, i64 = [tl.zeros([8], t) for t in (tl.int8, tl.int16, tl.int32, tl.int64)]
    u8, u32, u64 = [tl.zeros([8], t) for t in (tl.uint8, tl.uint32, tl.uint64)]
    b16, f16, f32, f64 = [tl.zeros([8], t) for t in (tl.bfloat16, tl.float16, tl.float32, tl.float64)]
    truth = i32 == 0
    tl.static_assert((i8 + i16).dtype == tl.int16)
    tl.static_assert((i32 + u32).dtype == tl.uint32)
    tl.static_assert((i64 + u32).dtype == tl.int64)
    tl.static_assert((i8 + u8).dtype == tl.uint8)
    tl.static_assert((i64 * u64).dtype == tl.uint64)
    tl.static_assert((i64 + f16).dtype == tl.float16)
    tl.static_assert((f16 + f32).dtype == tl.float32)
    tl.static_assert((b16 + f32).dtype == tl.float32)
    tl.static_assert((f16 + b16).dtype == tl.float16)
    tl.static_assert((f32 + f64).dtype == tl.float64)
    tl.static_assert((b16 + b16).dtype == tl.bfloat16)
    tl.static_assert((f16 / f16).dtype == tl.float32)
    tl.static_assert((i32 / i32).dtype == tl.float32)
    tl.static_assert((i8 + 1).dtype == tl.int8)
    tl.static_assert((f16 * 2.5).dtype == tl.float16)
    tl.static_assert((i8 * 2.5).dtype == tl.float32)
    tl.static_assert((truth + 1).dtype == tl.int32)
    tl.static_assert((i8 < i16).dtype == tl.int1)


@triton.jit
def integers(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, x // y)
    tl.store(out_ptr + N + i, x % y)
    tl.store(out_ptr + 2 * N + i, x * y * y * y * y)
    tl.store(out_ptr + 3 * N + i, x >> 2)
    tl.store(out_ptr + 4 * N + i, (x.to(tl.uint32) >> 2).to(tl.int32))
    tl.store(out_ptr + 5 * N + i, x.to(tl.int8))


@triton.jit
def not_numbers(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, tl.maximum(x, y))
    tl.store(out_ptr + N + i, tl.minimum(x, y))
    tl.store(out_ptr + 2 * N + i, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + 3 * N + i, (x < y).to(tl.float32))
    tl.store(out_ptr + 4 * N + i, (x != y).to(tl.float32))
    tl.store(out_ptr + 5 * N + i, tl.max(x, 0))


@triton.jit
def conversions(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x.to(tl.int32))
    tl.store(out_ptr + N + i, x.to(tl.float16).to(tl.float32).to(tl.int32, bitcast=True))


@triton.jit
def whole_numbers(x_ptr, i_ptr, out_ptr, wide_ptr, N: tl.constexpr):
    """Of a float, of one that comes from an integer, and of constants."""
    i = tl.arange(0, N)
    x, whole = tl.load(x_ptr + i), tl.load(i_ptr + i).to(tl.float32)
    tl.store(out_ptr + i, x.to(tl.int8).to(tl.int32))
    tl.store(out_ptr + N + i, whole.to(tl.uint8).to(tl.int32))
    tl.store(out_ptr + 2 * N + i, whole.to(tl.int16).to(tl.int32))
    tl.store(out_ptr + 3 * N + i, (tl.zeros([N], tl.float32) + 300.0).to(tl.int8).to(tl.int32))
    tl.store(wide_ptr + i, x.to(tl.int64))
    tl.store(wide_ptr + N + i, whole.to(tl.uint32).to(tl.int64))
    tl.store(wide_ptr + 2 * N + i, (tl.zeros([N], tl.float32) - 1.0).to(tl.uint64).to(tl.int64))


@triton.jit
def masks(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=7), mask=i != 1)
    tl.store(out_ptr + N + i, tl.where(i < n, tl.load(x_ptr + i, mask=i < n), -1))


@triton.jit
def small_sums(a_ptr, x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(a_ptr + i))
    tl.debug_barrier()
    tl.atomic_add(out_ptr + i, tl.load(x_ptr + i))


@triton.jit
def small_copies(x_ptr, h_ptr, a_ptr, b_ptr, N: tl.constexpr):
    i, j = tl.arange(0, 8), tl.arange(0, N)
    at = i[:, None] * N + j[None, :]
    tl.make_tensor_descriptor(a_ptr, [8, N], [N, 1], [8, N]).atomic_add([0, 0], tl.load(x_ptr + at))
    tl.make_tensor_descriptor(b_ptr, [8, N], [N, 1], [8, N]).atomic_max([0, 0], tl.load(h_ptr + at))


@triton.jit
def count(p):
    return tl.atomic_add(p, 1)


@triton.jit
def evaluation(p, out_ptr, n):
    tl.store(out_ptr, count(p) * 100 + count(p) * 10 + count(p))
    if n > 0 and count(p) == 3:
        tl.store(out_ptr + 1, 5)
    if n < 0 and count(p) == 4:
        tl.store(out_ptr + 1, 6)
    tl.store(out_ptr + 2, count(p) if n > 0 else n)
    tl.store(out_ptr + 3, tl.load(p))


@triton.jit
def program_order(p, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(p + i, i)
    tl.debug_barrier()
    x = tl.load(p + (i + 1) % N)
    tl.store(p + i, x * 2)  # behind the load, for all warps
    tl.debug_barrier()
    tl.store(out_ptr + i, tl.load(p + (i + N - 1) % N))


@triton.jit
def numbers(out_ptr):
    a = 2**31 - 1
    b = -2**31
    tl.static_assert(a.dtype == tl.int32 and b.dtype == tl.int32)
    c = 2**31
    d = 2**32 - 1
    tl.static_assert(c.dtype == tl.uint32 and d.dtype == tl.uint32)
    e = 2**32
    f = -2**31 - 1
    tl.static_assert(e.dtype == tl.int64 and f.dtype == tl.int64)
    g = 2**63
    tl.static_assert(g.dtype == tl.uint64)
    h = 0.1
    i = True
    tl.static_assert(h.dtype == tl.float32 and i.dtype == tl.int1)
    tl.store(out_ptr, h)


@triton.jit
def steps(out_ptr, n, by):
    total = 0
    for i in range(0, n, by):
        total += i
    tl.store(out_ptr, total)


@triton.jit
def sums_of_halves(a_ptr, b_ptr, c_ptr, out_ptr, M: tl.constexpr):
    i = tl.arange(0, M)
    at = i[:, None] * M + i[None, :]
    product = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), tl.load(c_ptr + at))
    tl.static_assert(product.dtype == tl.float16)
    tl.store(out_ptr + at, product)


@triton.jit
def of_libdevice(x_ptr, w_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, w = tl.load(x_ptr + i), tl.load(w_ptr + i)
    tl.store(out_ptr + i, libdevice.float2int_rn(x))
    tl.store(out_ptr + N + i, libdevice.float2uint_rz(x))
    tl.store(out_ptr + 2 * N + i, libdevice.float2ll_ru(x))
    tl.store(out_ptr + 3 * N + i, libdevice.double2int_rn(w))
    tl.store(out_ptr + 4 * N + i, libdevice.double2uint_rd(w))
    tl.store(out_ptr + 5 * N + i, libdevice.double2ll_rz(w))
    tl.store(out_ptr + 6 * N + i, libdevice.llrint(w))
    tl.store(out_ptr + 7 * N + i, libdevice.llround(w))


@triton.jit
def fast_power(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, libdevice.fast_powf(tl.load(x_ptr + i), tl.load(y_ptr + i)))


@triton.jit
def last_counters(out_ptr, first, last):
    total, turns = first.to(tl.int64) * 0, 0
    for i in range(first, last, 2):
        total += i
        turns += 1
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, turns)


@triton.jit
def floats_of_8_bits(x_ptr, out_ptr, KIND: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(KIND)
    y = tl.load(x_ptr + N - 1 - i).to(KIND)
    total = x + y
    tl.static_assert(total.dtype == tl.float16)
    tl.static_assert((x / y).dtype == tl.float32)
    tl.static_assert((x * 2).dtype == tl.float16)
    tl.static_assert((x < y).dtype == tl.int1)
    tl.static_assert(tl.where(i > 0, x, y).dtype == KIND)
    tl.static_assert((x + i).dtype == tl.float16)
    tl.static_assert((i / x).dtype == tl.float32)
    tl.store(out_ptr + i, total)
    tl.store(out_ptr + N + i, (x + i) - (y + i) + (x == 2) * 0.0)
    tl.store(out_ptr + 2 * N + i, x * 2.0)
    tl.store(out_ptr + 3 * N + i, x * y)
    tl.store(out_ptr + 4 * N + i, x / y)
    tl.store(out_ptr + 5 * N + i, -x)
    tl.store(out_ptr + 6 * N + i, (x < y).to(tl.float32) + (x == x))
    tl.store(out_ptr + 7 * N + i, tl.maximum(x, y) + tl.minimum(x, 1.0) + tl.clamp(x, y, y + 2) + tl.fma(x, x, y))
    tl.store(out_ptr + 8 * N + i, tl.sum(x, dtype=tl.float32))


class Rules(Engines):
    def test_floats_of_8_bits(self):
        x = np.array([1, -2, 3, 0.5, -4, 6, 8, -0.25], np.float32)  # exact in the format
        y = x[::-1]
        rest = np.maximum(x, y) + np.minimum(x, 1) + np.minimum(np.maximum(x, y), y + 2) + x * x + y
        want = np.stack([x + y, x - y, x * 2, x * y, x / y, 0 - x, (x < y) + 1.0, rest, np.full(8, x.sum())])
        self.check(floats_of_8_bits, [x], [want.astype(np.float32)], KIND=tl.float8e5, N=8, exact=False)

    def test_promotion(self):
        self.check(promotions, [], [])

    def test_integers(self):
        x = np.array([7, -7, 7, -7, 2**31 - 1, -2**31, 12345, -1], np.int32)
        y = np.array([2, 2, -2, -2, 3, 5, 1000, 7], np.int32)
        quotient = np.trunc(x / y).astype(np.int32)
        with np.errstate(over="ignore"):
            want = np.stack([quotient, x - quotient * y, x * y * y * y * y, x >> 2,
                             (x.view(np.uint32) >> 2).view(np.int32), x.astype(np.int8)])
        self.check(integers, [x, y], [want], N=8)

    def test_not_a_number(self):
        nan = np.float32(np.nan)
        x, y = np.array([1, nan, nan, 2], np.float32), np.array([nan, 3, nan, 1], np.float32)
        want = np.array([[1, 3, nan, 2], [1, 3, nan, 1], [nan, nan, nan, 2], [0, 0, 0, 0], [1, 1, 1, 1], [2] * 4],
                        np.float32)
        self.check(not_numbers, [x, y], [want], N=4)

    def test_conversions(self):
        x = np.array([1.9, -1.9, 3e9, -3e9, np.nan, 2049, 2051, 1e6], np.float32)
        with np.errstate(over="ignore"):
            half = x.astype(np.float16).astype(np.float32).view(np.int32)
        half[4] = 0
        whole = np.array([1, -1, 2**31 - 1, -2**31, 0, 2049, 2051, 10**6], np.int32)
        some = np.array([0, 1, 2, 3, 5, 6, 7, 0])
        self.check(conversions, [x[some]], [np.stack([whole[some], half[some]])], N=8)

    def test_beyond_integers(self):
        x = np.array([300, -300, 1e9, -1e9, np.nan, 127.9, -0.5, 1e30], np.float32)
        i = np.array([300, -300, 70000, -70000, -1, 40000, 255, 2**31 - 1], np.int32)
        out = np.array([[44, -44, -1, 0, 0, 127, 0, -1],
                        [44, 0, 255, 0, 0, 64, 255, 255],
                        [300, -300, 2**15 - 1, -2**15, -1, 2**15 - 1, 255, 2**15 - 1],
                        [44] * 8], np.int32)
        wide = np.array([[300, -300, 10**9, -10**9, -2**63, 127, 0, 2**63 - 1],
                         [300, 0, 70000, 0, 0, 40000, 255, 2**31],
                         [0] * 8], np.int64)
        self.check(whole_numbers, [x, i], [out, wide], N=8)

    def test_integers_of_libdevice(self):
        x = np.array([2.5, np.nan, -1e30, 1e30], np.float32)
        least, most = -2**63, 2**63 - 1
        out = np.array([[2, 0, -2**31, 2**31 - 1], [2, 0, 0, -1], [3, least, least, most],
                        [2, -2**31, -2**31, 2**31 - 1], [2, -2**31, 0, -1], [2, least, least, most],
                        [2, least, least, most], [3, least, least, most]], np.int64)
        self.check(of_libdevice, [x, x.astype(np.float64)], [out], N=4)

    def test_power_of_libdevice(self):
        """It is made of a logarithm: there is none below 0, and 0 times infinity is no number."""
        x = np.array([2.0, -2.0, 0.0, 1.0], np.float32)
        y = np.array([3.0, 2.0, 0.0, np.inf], np.float32)
        self.check(fast_power, [x, y], [np.array([8.0, np.nan, np.nan, np.nan], np.float32)], N=4, exact=False)

    def test_last_counters(self):
        out = np.zeros(2, np.int64)
        last_counters[(1, )](out, 2**31 - 3, 2**31 - 1, neso_target="interp")
        np.testing.assert_array_equal(out, [2**31 - 3, 1])

    def test_small_sums(self):
        least = np.float32(2.0)**-126
        x = np.array([least / 2, least, least * 1.5, -least / 4, least, 1.0, -least, 0.0], np.float32)
        a = np.array([0.0, least, -least, least, -least / 2, least / 2, least / 2, least / 2], np.float32)
        want = np.array([0.0, 2 * least, 0.0, least, least, 1.0, -least, 0.0], np.float32)
        self.check(small_sums, [a, x], [want], N=8)

    def test_small_copies(self):
        least = np.float32(2.0)**-126
        x = np.tile(np.array([least / 2, least, -least / 4, -0.0], np.float32), (8, 2))
        a = np.tile(np.array([least / 4, -least / 2, least / 8, -0.0], np.float32), (8, 2))
        h = np.tile(np.array([0.0, -0.0, np.nan, 1.0], np.float16), (8, 2))
        b = np.tile(np.array([-0.0, 0.0, -3.0, np.nan], np.float16), (8, 2))
        most = np.tile(np.array([0.0, 0.0, -3.0, 1.0], np.float16), (8, 2))
        for target in ("interp", "sim:sm_90a") if HAS_SIMULATOR else ("interp", ):
            sums, extremes = a.copy(), b.copy()
            small_copies[(1, )](x, h, sums, extremes, 8, neso_target=target)
            np.testing.assert_array_equal(sums.view(np.int32), (a + x).view(np.int32), target)
            np.testing.assert_array_equal(extremes.view(np.int16), most.view(np.int16), target)

    def test_masks(self):
        x = np.arange(10, 18, dtype=np.int32)
        want = np.array([[10, 77, 12, 7, 7, 7, 7, 7], [10, 11, 12, -1, -1, -1, -1, -1]], np.int32)
        self.check(masks, [x], [want], 3, N=8)

    def test_evaluation(self):
        self.check(evaluation, [np.zeros(1, np.int32)], [np.array([12, 5, 4, 5], np.int32)], 1)

    def test_numbers(self):
        self.check(numbers, [], [np.array([0.1], np.float32)])

    def test_steps(self):
        for by in (1, 2, 3, -1):
            self.check(steps, [], [np.array([sum(range(0, 8, by))], np.int32)], 8, by)
        for target in ("interp", ) + (SIMULATED if HAS_SIMULATOR else ()):
            with self.assertRaisesRegex(DeviceAssertError, "must not be zero"):
                steps[(1, )](np.zeros(1, np.int32), 8, 0, neso_target=target)

    def test_program_order(self):
        want = np.roll((np.roll(np.arange(128), -1) * 2), 1).astype(np.int32)
        self.check(program_order, [np.zeros(128, np.int32)], [want], N=128)

    def test_sums_of_halves(self):
        a, b, c = (np.random.default_rng(i).integers(-3, 4, (32, 32)).astype(np.float16) for i in range(3))
        self.check(sums_of_halves, [a, b, c], [a @ b + c], M=32)



if __name__ == "__main__":
    unittest.main()
