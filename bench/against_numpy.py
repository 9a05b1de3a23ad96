"""How long interpreted kernels take, against NumPy (and torch, when it is installed) on the same machine.

PYTHONPATH=build/release/python python3 bench/against_numpy.py"""

import os
import time

os.environ["NESO_QUIET"] = "1"

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402


@triton.jit
def add(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=mask) + tl.load(y_ptr + at, mask=mask), mask=mask)


@triton.jit
def gelu(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask)
    tl.store(o_ptr + at, 0.5 * x * (1 + tl.erf(x * 0.7071067811865476)), mask=mask)


@triton.jit
def softmax(x_ptr, o_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    x = tl.load(x_ptr + row + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(o_ptr + row + at, e / tl.sum(e, 0), mask=at < columns)


@triton.jit
def gather_rows(x_ptr, i_ptr, o_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(i_ptr + tl.program_id(0))
    tl.store(o_ptr + tl.program_id(0) * columns + at, tl.load(x_ptr + row * columns + at, mask=at < columns), mask=at < columns)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + rm[:, None] * K + (k + rk)[None, :])
        b = tl.load(b_ptr + (k + rk)[:, None] * N + rn[None, :])
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def running_sum(x_ptr, o_ptr, n):
    """One element at a time: what an interpreter of tiles is worst at."""
    total = 0.0
    for i in range(n):
        total += tl.load(x_ptr + i)
        tl.store(o_ptr + i, total)


def least(call, seconds=0.4):
    call()
    best, until = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < until:
        began = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - began)
    return best * 1e3


def cases():
    rng = np.random.default_rng(0)
    for n in (1 << 12, 1 << 17, 1 << 24):
        x, y = rng.random((2, n), dtype=np.float32)
        o = np.empty_like(x)
        yield (f"add of {n} floats", lambda: add[(triton.cdiv(n, 1024), )](x, y, o, n, BLOCK=1024), lambda: np.add(x, y, out=o),
               lambda t: (lambda a, b, c: lambda: t.add(a, b, out=c))(*map(t.from_numpy, (x, y, o))))
    x = rng.standard_normal(1 << 20, dtype=np.float32)
    o = np.empty_like(x)
    yield ("gelu of 2^20 floats", lambda: gelu[(1024, )](x, o, x.size, BLOCK=1024), None,
           lambda t: (lambda a: lambda: t.nn.functional.gelu(a))(t.from_numpy(x)))
    z = rng.standard_normal((1024, 1000), dtype=np.float32)
    p = np.empty_like(z)

    def numpy_softmax():
        e = np.exp(z - z.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    yield ("softmax of 1024 x 1000", lambda: softmax[(1024, )](z, p, 1000, BLOCK=1024), numpy_softmax,
           lambda t: (lambda a: lambda: t.softmax(a, 1))(t.from_numpy(z)))
    rows = rng.integers(0, 1024, 4096)
    taken = np.empty((4096, 1000), np.float32)
    yield ("4096 rows of 1000, by number", lambda: gather_rows[(4096, )](z, rows, taken, 1000, BLOCK=1024),
           lambda: np.take(z, rows, 0, out=taken),
           lambda t: (lambda a, i: lambda: t.index_select(a, 0, i))(t.from_numpy(z), t.from_numpy(rows)))
    a, b = rng.standard_normal((2, 512, 512), dtype=np.float32)
    c = np.empty_like(a)
    yield ("matmul 512^3", lambda: matmul[(8, 8)](a, b, c, 512, 512, 512, BM=64, BN=64, BK=32), lambda: np.matmul(a, b, out=c),
           lambda t: (lambda a, b: lambda: t.mm(a, b))(t.from_numpy(a), t.from_numpy(b)))
    u = rng.random(1 << 16, dtype=np.float32)
    v = np.empty_like(u)
    yield ("running sum of 2^16, one at a time", lambda: running_sum[(1, )](u, v, u.size), lambda: np.cumsum(u, out=v),
           lambda t: (lambda a: lambda: t.cumsum(a, 0))(t.from_numpy(u)))


def main():
    try:
        import torch
    except ImportError:
        torch = None
    print(f"{'':36}{'neso, ms':>10}{'NumPy, ms':>11}{'ratio':>7}{'torch, ms':>11}{'ratio':>7}")
    for name, ours, arrays, tensors in cases():
        took = least(ours)
        line = f"{name:36}{took:10.4f}"
        for other in (arrays, tensors(torch) if torch else None):
            line += " " * 18 if other is None else "{:11.4f}{:7.2f}".format(*(lambda t: (t, took / t))(least(other)))
        print(line)


if __name__ == "__main__":
    main()
