"""Tiles whose sizes are no powers of two, held against NumPy: what pads them is never seen."""

import contextlib
import io
import os
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import HAS_SIMULATOR, SIMULATED, Engines  # noqa: E402


@triton.jit
def copy(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n, other=5)
    tl.store(out_ptr + i, x // tl.where(x == 0, 1, x) + x % 7 * 2)


@triton.jit
def first_of(a, b):
    return a


@triton.jit
def nearest_to_zero(a, b):
    return tl.where(tl.abs(3 * a + 1) < tl.abs(3 * b + 1), a, b)


@triton.jit
def longest(a, an, b, bn):
    return tl.where(an >= bn, a, b), tl.maximum(an, bn)


@triton.jit
def reductions(x_ptr, out_ptr, N: tl.constexpr, M: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :])
    rows = tl.arange(0, N)
    tl.store(out_ptr + rows, tl.sum(x, 1))
    tl.store(out_ptr + N + rows, tl.max(x, 1))
    tl.store(out_ptr + 2 * N + rows, tl.min(x, 1))
    tl.store(out_ptr + 3 * N + rows, tl.argmax(x, 1))
    tl.store(out_ptr + 4 * N + rows, tl.argmin(x, 1))
    tl.store(out_ptr + 5 * N + rows, tl.reduce(x, 1, nearest_to_zero))
    a, b = tl.reduce((x, x * 2), 1, longest)
    tl.store(out_ptr + 6 * N + rows, a + b)
    tl.store(out_ptr + 7 * N, tl.sum(x))
    tl.store(out_ptr + 7 * N + 1, tl.max(x) * 10 + tl.min(x))
    tl.store(out_ptr + 7 * N + 2, tl.max(tl.sum(x, 0)))


@triton.jit
def extremes(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.max(x, 0))
    tl.store(out_ptr + 1, tl.min(x, 0))
    tl.store(out_ptr + 2, tl.sum(x, 0))
    tl.store(out_ptr + 3, tl.max(x[:, None] + x[None, :]))


@triton.jit
def whole_numbers(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.xor_sum(x, 0))
    tl.store(out_ptr + 1, tl.reduce_or(x, 0))
    tl.store(out_ptr + 2, tl.max(x, 0) - tl.min(x, 0))
    h = tl.histogram(x & 7, 8)
    tl.store(out_ptr + 3 + tl.arange(0, 8), h)


@triton.jit
def scans(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.cumsum(x, 0))
    tl.store(out_ptr + N + i, tl.cumsum(x, 0, reverse=True))
    tl.store(out_ptr + 2 * N + i, tl.associative_scan(x, 0, first_of, reverse=True))


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    acc = tl.zeros((M, N), tl.float32) + 1 / (tl.arange(0, 1)[:, None] + 1)
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a + 1, b + 1, acc))


@triton.jit
def small_products(a_ptr, b_ptr, c_ptr, d_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    at = m[:, None] * N + n[None, :]
    tl.store(c_ptr + at, a @ b if a.dtype != tl.float32 else tl.dot(a, b, input_precision="ieee"))
    both = tl.broadcast_to(a[None, :, :], 2, M, K), tl.broadcast_to(b[None, :, :], 2, K, N)
    tl.store(d_ptr + tl.arange(0, 2)[:, None, None] * M * N + at[None, :, :], tl.dot(*both, input_precision="ieee"))


@triton.jit
def rectangle(x_ptr, N: tl.constexpr, M: tl.constexpr):
    return tl.load(x_ptr + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :])


@triton.jit
def unequal(x_ptr, rows_ptr, columns_ptr, flat_ptr, N: tl.constexpr, M: tl.constexpr):
    x = rectangle(x_ptr, N, M)
    rows, columns = tl.arange(0, N + 3)[:, None], tl.arange(0, M + 2)[None, :]
    tl.store(rows_ptr + rows * M + tl.arange(0, M)[None, :], tl.cat(x, rectangle(x_ptr, 3, M), dim=0))
    tl.store(columns_ptr + tl.arange(0, N)[:, None] * (M + 2) + columns, tl.cat(x, rectangle(x_ptr, N, 2), dim=1))
    tl.store(flat_ptr + tl.arange(0, N + M), tl.cat(tl.load(x_ptr + tl.arange(0, N)), tl.load(x_ptr + tl.arange(0, M))))


@triton.jit
def shapes(x_ptr, out_ptr, N: tl.constexpr, HOW: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    if HOW == 0:
        y = x.reshape(N // 3, 3)
        y = tl.trans(y).reshape(N)
    elif HOW == 1:
        y = x.reshape(3, N // 3)[1]
    elif HOW == 2:
        y = tl.interleave(x, x + 1)
    elif HOW == 3:
        y = tl.cat(x, x * 2)
    elif HOW == 4:
        y = x[1:-2]
    elif HOW == 5:
        x[2:5] = x[5:8]
        y = x
    elif HOW == 6:
        y = tl.join(x, x * 3).reshape(2, N).permute(1, 0).reshape(2 * N)
    elif HOW == 7:
        y = tl.gather(x, (tl.arange(0, N) * 5) % N, 0)
    elif HOW == 8:
        y = (x.reshape(N // 6, 2, 3) + tl.arange(0, 3)[None, None, :]).ravel()
    else:
        y = x[::-1]
    tl.store(out_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def carried(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    best = tl.full([N], -1000, tl.float32)
    for r in range(n):
        row = tl.load(x_ptr + r * N + i)
        if tl.sum(row, 0) > 0:
            best = tl.maximum(best, row)
        else:
            best -= 1
    tl.device_assert(best > -900, "too small")
    tl.atomic_add(out_ptr + i, best)


@triton.jit
def attention(q_ptr, k_ptr, o_ptr, n, B: tl.constexpr, D: tl.constexpr):
    r, d = tl.arange(0, B), tl.arange(0, D)
    q = tl.load(q_ptr + r[:, None] * D + d[None, :])
    top = tl.full([B], float("-inf"), tl.float32)
    total = tl.zeros([B], tl.float32)
    acc = tl.zeros([B, D], tl.float32)
    for s in range(n):
        k = tl.load(k_ptr + (s * B + r)[:, None] * D + d[None, :])
        if tl.max(k.to(tl.float32)) > 100:
            break
        x = tl.dot(q, tl.trans(k))
        higher = tl.maximum(top, tl.max(x, 1))
        p = tl.exp(x - higher[:, None])
        scale = tl.exp(top - higher)
        total = total * scale + tl.sum(p, 1)
        acc = acc * scale[:, None] + tl.dot(p.to(tl.float16), k)
        top = higher
    tl.store(o_ptr + r[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def byte_products(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.int32)
    for q in range(3):
        a = tl.load(a_ptr + m[:, None] * K + k[None, :]) + q.to(tl.int8)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :])
        acc += tl.dot(a + 1, b + 1, out_dtype=tl.int32)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def prints(out_ptr):
    x = tl.arange(0, 6)
    table = tl.arange(0, 3)[:, None] * 10 + tl.arange(0, 11)[None, :]
    tl.device_print("x", x)
    tl.device_print("both", table, x, tl.arange(0, 4))
    print(f"of {x * 2}", table[0, :5])


@triton.jit
def block(out_ptr):
    p = tl.make_block_ptr(out_ptr, (48, ), (1, ), (0, ), (48, ), (0, ))
    tl.store(p, tl.arange(0, 48))


def reshaped(x, how):
    n = len(x)
    y = x.copy()
    y[2:5] = x[5:8]
    return [lambda: x.reshape(n // 3, 3).T.reshape(n), lambda: x.reshape(3, n // 3)[1],
            lambda: np.stack([x, x + 1], 1).reshape(-1), lambda: np.concatenate([x, x * 2]), lambda: x[1:-2], lambda: y,
            lambda: np.stack([x, x * 3], 1).reshape(2, n).T.reshape(-1), lambda: x[np.arange(n) * 5 % n],
            lambda: (x.reshape(n // 6, 2, 3) + np.arange(3)).reshape(-1).astype(x.dtype), lambda: x[::-1]][how]()


class Padding(Engines):
    def test_elements(self):
        for n in (3, 48, 100):
            x = np.random.default_rng(n).integers(-50, 50, 2 * n).astype(np.int32)
            x[-1] = 5
            quotient = np.where(x == 0, 0, 1)
            want = (quotient + np.fmod(x, 7) * 2).astype(np.int32)
            self.check(copy, [x], [want], 2 * n - 1, grid=(2, ), N=n)

    def test_reductions(self):
        for n, m in ((4, 12), (6, 8), (5, 33), (3, 100)):
            x = np.random.default_rng(n).permutation(n * m).reshape(n, m).astype(np.float32) - n * m // 2
            for values in (x, -1 - (x + n * m // 2)):
                want = np.concatenate([
                    values.sum(1), values.max(1), values.min(1), values.argmax(1), values.argmin(1),
                    values[np.arange(n), abs(3 * values + 1).argmin(1)],
                    values.max(1) * 3, [values.sum(), values.max() * 10 + values.min(), values.sum(0).max()]])
                self.check(reductions, [values], [want.astype(np.float32)], N=n, M=m)

    def test_nothing_but_nan(self):
        x = np.full(3, np.nan, np.float32)
        self.check(extremes, [x], [np.full(4, np.nan, np.float32)], N=3)

    def test_whole_numbers(self):
        for dtype in (np.int32, np.uint32, np.int64):
            for low in (1, -100):
                if low < 0 and dtype == np.uint32:
                    continue
                x = np.random.default_rng(5).integers(low, 100, 37).astype(dtype)
                want = np.concatenate([[np.bitwise_xor.reduce(x), np.bitwise_or.reduce(x), x.max() - x.min()],
                                       np.bincount(x & 7, minlength=8)]).astype(dtype)
                self.check(whole_numbers, [x], [want], N=37, assembled=low > 0)

    def test_scans(self):
        for n in (5, 40, 130):
            x = np.random.default_rng(n).integers(-9, 9, n).astype(np.int32)
            want = np.concatenate([np.cumsum(x), np.cumsum(x[::-1])[::-1], np.full(n, x[-1])]).astype(np.int32)
            self.check(scans, [x], [want], N=n)

    def test_product(self):
        for m, n, k in ((48, 24, 40), (16, 16, 17), (33, 64, 96), (128, 80, 48)):
            random = np.random.default_rng(m)
            a = random.integers(-4, 4, (m, k)).astype(np.float16)
            b = random.integers(-4, 4, (k, n)).astype(np.float16)
            want = (a + 1).astype(np.float32) @ (b + 1).astype(np.float32) + 1
            self.check(product, [a, b], [want], M=m, N=n, K=k)

    def test_small_products(self):
        random = np.random.default_rng(6)
        for m, n, k in ((16, 16, 8), (16, 32, 1), (5, 9, 3), (64, 16, 4)):
            for dtype in (np.float16, np.float32, np.float64, np.int8):
                a, b = random.integers(-4, 4, (m, k)).astype(dtype), random.integers(-4, 4, (k, n)).astype(dtype)
                out = np.int32 if dtype == np.int8 else np.float64 if dtype == np.float64 else np.float32
                self.check(small_products, [a, b], [a.astype(out) @ b.astype(out), np.stack([a.astype(out) @ b.astype(out)] * 2)],
                           M=m, N=n, K=k, assembled=k == 3)

    def test_unequal_sizes(self):
        x = np.arange(100, dtype=np.int32)
        for n, m in ((8, 4), (5, 7), (1, 16)):
            rows = np.concatenate([x[:n * m].reshape(n, m), x[:3 * m].reshape(3, m)])
            columns = np.concatenate([x[:n * m].reshape(n, m), x[:n * 2].reshape(n, 2)], 1)
            self.check(unequal, [x], [rows, columns, np.append(x[:n], x[:m])], N=n, M=m, assembled=n == 5)

    def test_attention(self):
        rows, size = 48, 80
        random = np.random.default_rng(4)
        q = random.normal(size=(rows, size)).astype(np.float16)
        k = random.normal(size=(4 * rows, size)).astype(np.float16)
        k[3 * rows, 0] = 200
        seen = k[:3 * rows].astype(np.float32)
        scores = q.astype(np.float32) @ seen.T
        p = np.exp(scores - scores.max(1, keepdims=True))
        want = (p @ seen) / p.sum(1, keepdims=True)
        self.check(attention, [q, k], [want.astype(np.float32)], 4, exact=False, B=rows, D=size)

    def test_byte_products(self):
        random = np.random.default_rng(2)
        a, b = random.integers(-5, 5, (20, 48)).astype(np.int8), random.integers(-5, 5, (48, 40)).astype(np.int8)
        want = sum((a + q + 1).astype(np.int32) @ (b + 1).astype(np.int32) for q in range(3))
        self.check(byte_products, [a, b], [want], M=20, N=40, K=48)

    def test_shapes(self):
        for dtype in (np.int32, np.float16):
            x = np.random.default_rng(7).permutation(24).astype(dtype)
            for how in range(10):
                self.check(shapes, [x], [np.ascontiguousarray(reshaped(x, how))], N=24, HOW=how,
                           assembled=dtype == np.int32)

    def test_carried(self):
        x = np.random.default_rng(8).integers(-9, 9, (5, 11)).astype(np.float32)
        x[1] = 3
        best = np.full(11, -1000, np.float32)
        for row in x:
            best = np.maximum(best, row) if row.sum() > 0 else best - 1
        self.check(carried, [x], [77 + best], 5, N=11, debug=True)

    def test_prints(self):
        pid = "pid (0, 0, 0) idx "
        x = [f"{pid}({i}) x: {i}" for i in range(6)]
        both = [f"{pid}({i}, {j:2}) both: (operand 0) {i * 10 + j}" for i in range(3) for j in range(11)]
        both += [f"{pid}({i}) both: (operand 1) {i}" for i in range(6)]
        both += [f"{pid}({i}) both: (operand 2) {i}" for i in range(4)]
        strings = [f"{pid}({i}) of {2 * i}" for i in range(6)] + [f"{pid}({i})  {i}" for i in range(5)]
        for target in ("interp", SIMULATED[1])[:1 + HAS_SIMULATOR]:
            text = io.StringIO()
            with contextlib.redirect_stdout(text):
                prints[(1, )](np.zeros(1, np.int32), neso_target=target)
            self.assertEqual(sorted(text.getvalue().splitlines()), sorted(x + both + strings), target)

    def test_errors(self):
        self.refuses(block, "dimension 0 of the tile is 48; it must be a power of 2", np.zeros(64, np.int32))

    def test_strict(self):
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            x = np.zeros(64, np.int32)
            self.refuses(copy, "their number must be a power of 2", x, x, 4, N=24, num_stages=2)


if __name__ == "__main__":
    unittest.main()
