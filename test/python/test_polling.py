"""Atomic loads and stores, waiting for a value, and what newer Triton adds to older functions."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402


@triton.jit(do_not_specialize_on_alignment=["x_ptr", "out_ptr"])
def copied(x_ptr, out_ptr, SEM: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.atomic_load(x_ptr + i, mask=i % 3 != 0, sem=SEM)
    tl.atomic_store(out_ptr + i, x, mask=i % 3 != 0, sem="relaxed")
    tl.atomic_store(out_ptr + N, tl.atomic_load(x_ptr + 5))


@triton.jit
def handed_on(flag_ptr, out_ptr, ROWS: tl.constexpr):
    """Each program waits for the one before it."""
    pid = tl.program_id(0)
    if pid:
        seen = tl.atomic_poll(flag_ptr, pid)
        tl.store(out_ptr + pid, tl.load(out_ptr + pid - 1, cache_modifier=".cg") + 2 * seen.to(tl.int32))
    else:
        tl.store(out_ptr, 7)
    tl.debug_barrier()
    tl.atomic_store(flag_ptr, pid + 1)


@triton.jit
def all_of_them(flag_ptr, out_ptr, N: tl.constexpr):
    """One program sets flags one by one, the other waits for all."""
    i = tl.arange(0, N)
    if tl.program_id(0):
        for k in range(N):
            tl.atomic_store(flag_ptr + k, k + 1, sem="relaxed")
    else:
        tl.store(out_ptr + i, tl.atomic_poll(flag_ptr + i, i + 1, sem="relaxed").to(tl.int32) + i)


@triton.jit
def with_time(flag_ptr, out_ptr):
    tl.store(out_ptr, tl.atomic_poll(flag_ptr, 1, timeout_ns=5))


@triton.jit
def beside(x_ptr, out_ptr, DIM: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    both = tl.cat(x, -x, dim=DIM)
    tl.store(out_ptr + tl.arange(0, 2 * M * N), tl.reshape(both, (2 * M * N,)))


@triton.jit
def numbers(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, N), tl.cumprod(x, 0, dtype=tl.float32))
    tl.store(out_ptr + N + tl.arange(0, N), tl.fdiv(x.to(tl.float32), 4.0, approx=True))


@triton.jit
def both_ways(x_ptr, out_ptr):
    tl.store(out_ptr, tl.fdiv(tl.load(x_ptr), 2.0, ieee_rounding=True, approx=True))


@triton.jit
def rough(x_ptr, out_ptr):
    tl.store(out_ptr, tl.fdiv(tl.load(x_ptr).to(tl.float64), 2.0, approx=True))


@triton.jit
def zeros_there(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.expect_zero(tl.load(x_ptr + i), i >= N // 2))


@tl.core._aggregate
class Range:
    base: tl.tensor
    at: tl.tensor
    step: tl.constexpr

    def __init__(self, base, at, step):
        self.base = base
        self.at = at
        self.step = tl.constexpr(step)

    @triton.jit
    def moved(self):
        return tl.aggregate_replace(self, at=self.at + self.step)


@triton.jit
def walked(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    r = Range(x_ptr, 0, 2)
    total = tl.zeros((N,), tl.int32)
    for _ in range(n):
        total += tl.load(r.base + r.at + i)
        r = r.moved()
    wide = tl.aggregate_replace(r, step=5, at=tl.to_tensor(1)).moved()
    tl.store(out_ptr + i, total + tl.load(wide.base + wide.at + i))


@triton.jit
def no_field(x_ptr):
    tl.aggregate_replace(Range(x_ptr, 0, 2), end=3)


@triton.jit
def no_object(x_ptr):
    tl.aggregate_replace(x_ptr, at=3)


class Polling(Engines):
    def test_replaced_fields(self):
        x = np.arange(20, dtype=np.int32)
        want = sum(x[2 * k:2 * k + 4] for k in range(3)) + x[6:10]
        self.check(walked, [x], [want.astype(np.int32)], 3, N=4)
        self.refuses(no_field, "class Range declares no field 'end'", x)
        self.refuses(no_object, "expects an object of an aggregate, not pointer<int32>", x)

    def test_loads_and_stores(self):
        n = 32
        for dtype in (np.int16, np.uint16, np.float16, np.int32, np.float32, np.int64, np.float64):
            x = np.arange(n).astype(dtype)
            out = np.where(np.arange(n + 1) % 3 != 0, np.arange(n + 1), 77).astype(dtype)
            out[n] = 5
            for sem in ("acquire", "relaxed"):
                self.check(copied, [x], [out], SEM=sem, N=n)

    def test_poll(self):
        rows = 4
        self.check(handed_on, [np.zeros(1, np.int32)], [7 + 2 * np.arange(rows, dtype=np.int32)], grid=(rows,),
                   ROWS=rows)
        n = 16
        self.check(all_of_them, [np.zeros(n, np.int32)], [1 + np.arange(n, dtype=np.int32)], grid=(2,), N=n)
        x = np.zeros(1, np.int32)
        self.refuses(with_time, "no time is kept while polling", x, x)

    def test_cat(self):
        for m, n in ((4, 8), (16, 2), (3, 5)):
            x = np.arange(1, m * n + 1, dtype=np.int32).reshape(m, n)
            for dim in (0, 1, -1):
                want = np.concatenate([x, -x], dim).reshape(-1)
                self.check(beside, [x], [want], DIM=dim, M=m, N=n)

    def test_dtypes(self):
        x = np.array([1, 2, 3, 1, 40, 1, 100, 3], np.int8)
        want = np.concatenate([np.cumprod(x.astype(np.float32)), x.astype(np.float32) / 4])
        self.check(numbers, [x], [want.astype(np.float32)], N=8)
        one = np.ones(1, np.float32)
        self.refuses(both_ways, "ieee_rounding and approx cannot both be True", one, one)
        self.refuses(rough, "approx=True", one, one)

    def test_expected_zeros(self):
        x = np.array([3, 4, 0, 0], np.float32)
        self.check(zeros_there, [x], [x], N=4)
        self.check(zeros_there, [x], [x], debug=True, N=4)
        x[2] = 1
        self.check(zeros_there, [x], [x], N=4)
        with self.assertRaises(RuntimeError) as caught:
            zeros_there[(1,)](x, x.copy(), N=4, debug=True)
        self.assertIn("expected x == 0", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
