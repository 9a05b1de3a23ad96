"""Python's constructs over tiles: sequences, dicts, lambdas, records with methods, bounded recursion,
generators, functions inside of kernels, f-strings."""
# tests: CLOSURE_VALUE

import contextlib
import io
import os
import typing
import unittest
from dataclasses import dataclass
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.language.extra.cuda import gdc_launch_dependents, gdc_wait  # noqa: E402
from neso.runtime.errors import DeviceAssertError  # noqa: E402

from engines import HAS_SIMULATOR, SIMULATED, Engines  # noqa: E402


@triton.jit
def collections(out, n):
    at = tl.arange(0, 8)
    rows = [at * i for i in tl.static_range(4)]
    total = rows[0] + n
    for row in rows:
        total += row
    named = {i: at * i for i in range(4)}
    tl.store(out + at, total + named[2] * named[3])


@triton.jit
def functions(out, n):
    at = tl.arange(0, 8)
    scaled = lambda a: a * n + at  # noqa: E731
    twice = lambda f, v: f(f(v))  # noqa: E731
    tl.store(out + at, twice(scaled, at))


@triton.jit
def power(x, N: tl.constexpr):
    if N == 0:
        return tl.full(x.shape, 1, x.dtype)
    return x * power(x, N - 1)


@triton.jit
def recursion(out, n):
    at = tl.arange(0, 8)
    tl.store(out + at, power(at + n, 3))


@triton.jit
def any_and_all(out, n):
    some = [n == i for i in tl.static_range(1, 4)]
    tl.store(out, any(some))
    tl.store(out + 1, all([n > 0, n < 3]))
    tl.store(out + 2, any([n == 1, True]) + 2 * any([n == 1, False]) + 4 * all([n == 1, False]))


@triton.jit
def powers(x_ptr, out_ptr, whole_ptr):
    at = tl.arange(0, 6)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x**2 + x**3.0 + x**1 + x**0)
    x = x.to(tl.int32)
    tl.store(whole_ptr + at, x**5 - (x[2])**2)


@triton.jit
def endless(x, n):
    return endless(x, n)


@triton.jit
def calls_endless(out, n):
    tl.store(out, endless(n, n))


@triton.jit
def generators(out, n):
    total = 0
    for v in (i * n for i in tl.static_range(5)):
        total += v
    a, b = (total * i for i in range(2))
    c, d = map(lambda v: v + n, (a, b))
    tl.store(out, total + sum(i for i in range(3)) + a + b + c - d)


@triton.jit
def generators_with_names(out, n):
    many = (i * n for i in tl.static_range(5))
    if (one := (i for i in (n, n))):
        tl.store(out, sum(many) + sum(many))


K = tl.constexpr(100)


@triton.constexpr_function
def squares(n):
    once = (i * i for i in range(n))
    total = 0
    for i in map(lambda v: v + 1, once):
        total += i
    return total


@triton.constexpr_function
def squares_twice(n):
    g = (i * i for i in range(n))
    return sum(g) + sum(g)


@triton.constexpr_function
def mapped_in_a_loop(n):
    g = map(lambda v: v + 1, range(n))
    return [sum(g) for i in range(2)], [sum(g)]


@triton.jit
def computes(out, f: tl.constexpr):
    n: tl.constexpr = f(4)
    tl.store(out, n)


@triton.jit
def functions_of_items(out, n):
    at = tl.arange(0, 8)
    last = [lambda v: v + K * at for K in range(3)]
    own = [lambda v, K=K: v + K * at for K in range(3)]
    pairs = [(lambda v, q=q: v * q, last[q]) for q in range(2)]
    nested = [[lambda v: v + p * 10 + q for q in range(2)] for p in range(3)]
    both = {K: (lambda v: v - K + J) for K in range(2) for J in (n, n + 1)}
    tl.store(out + at, last[0](n) + 10 * own[1](n) + 100 * pairs[1][1](at) + 1000 * both[0](at) + pairs[0][0](K)
             + nested[0][0](at))


@triton.jit
def sign_and_value(v):
    if v < 0:
        return 1, v
    else:
        return 0, v


@triton.jit
def known_items(out, n):
    pair: tl.constexpr = sign_and_value(-1)
    tl.static_assert(pair[0] == 1 and pair[1] == -1)
    sign, value = sign_and_value(n)
    tl.store(out, sign * 10 + value + pair[0])


@triton.jit
def field_of_another_kind(out, n):
    sums = Sums(3, n)
    for i in range(n):
        sums = sums.add(i)
    tl.store(out, sums.values)


@dataclass
class Sums:
    count: object
    values: object

    @triton.jit
    def add(self, x):
        return Sums(self.count + 1, self.values + x)

    @triton.jit
    def mean(self):
        return self.values // self.count


@triton.jit
def records(out, n):
    at = tl.arange(0, 8)
    sums = Sums(tl.to_tensor(0), at * 0)
    for i in range(n):
        sums = sums.add(at * i)
        if i == 5:
            break
    tl.store(out + at, sums.mean())


@dataclass
class MoreSums(Sums):
    scale: object = 2

    @triton.jit
    def scaled(self):
        return self.mean() * self.scale


@triton.aggregate
class Shifted:
    values: tl.tensor
    by: tl.constexpr = tl.constexpr(3)

    @triton.jit
    def all(self):
        return self.values + self.by


class Named(typing.NamedTuple):
    first: tl.tensor
    second: tl.tensor


class Difference(Named):
    @triton.jit
    def of(self):
        return self.first - self.second


@triton.aggregate
class Both(Shifted):
    other: tl.tensor = None

    @triton.jit
    def all(self):
        return self.values * self.other + self.by


@triton.jit
def inherited(out, n):
    at = tl.arange(0, 8)
    sums = MoreSums(n, at * n, scale=n)
    shifted, both = Shifted(at), Both(at, other=n)
    tl.store(out + at, sums.scaled() + 100 * shifted.all() + 10000 * both.all() + Difference(at, n).of())


@triton.jit
def asserts(out, n):
    at = tl.arange(0, 8)
    assert at < n, "too many"
    tl.store(out + at, at)


SCALE = tl.constexpr(3)


@triton.jit
def apply(f, t):
    return f(t) * 2


@triton.jit
def closures(out, n):
    v = tl.arange(0, 8) + n

    def inner(t, k: tl.constexpr = 1):
        def deep(u):
            return u + v * n
        if k > 1:
            t = t * SCALE
        return deep(t) + v

    total = apply(inner, v)
    for _ in range(3):
        v += 1
        total += inner(total, 2)
        if n > 2:
            total += apply(lambda t: t + v, total)
    tl.store(out + tl.arange(0, 8), total)


@triton.jit
def combines(out, n):
    def larger(a, b):
        return tl.maximum(a, b)

    tl.store(out, tl.reduce(tl.arange(0, 8) * n, 0, larger))


@triton.jit
def adder(v):
    def add(t):
        return t + v
    return add


@triton.jit
def outlives(out, n):
    v = tl.arange(0, 8)
    tl.store(out + v, adder(v)(v))


@triton.jit
def captures_in_combine(out, n):
    def more(a, b):
        return a + b + n

    tl.store(out, tl.reduce(tl.arange(0, 8), 0, more))


@triton.jit
def dependent(x, out, N: tl.constexpr):
    gdc_wait()
    at = tl.arange(0, N)
    v = tl.inline_asm_elementwise("/* twice */ add.s32 $0, $1, $1; // and no more", "=r,r", [tl.load(x + at)],
                                  dtype=tl.int32, is_pure=True, pack=1)
    gdc_launch_dependents()
    tl.store(out + at, v)


@triton.jit
def prints(x, n, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.device_print(f"{N} values, v={v} n={n}")
    print("of", f"{n=}", N)


@triton.jit
def asserts_with_values(x, out, n, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    assert n < 6, f"n is {n} of {N}"
    tl.device_assert(v < n, f"{v} is not below {n}")
    tl.store(out + at, v)


@triton.jit
def format_of_what_runs(out, n):
    tl.device_print(f"{n:3d}")


@triton.jit
def positions(x, out, N: tl.constexpr):
    v = tl.reshape(tl.load(x + tl.arange(0, N)), (2, N // 2))
    best, at = tl.max(v, axis=None, return_indices=True)
    least, where = tl.min(v, return_indices=True, keep_dims=True)
    tl.store(out, best)
    tl.store(out + 1, at)
    tl.store(out + 2 + tl.arange(0, 1), tl.reshape(least, [1]))
    tl.store(out + 3, tl.sum(where))
    tl.store(out + 4, tl.argmax(v) * 10 + tl.argmin(tl.ravel(v)))


def undecorated(a):
    return a + 1


@triton.jit
def not_portable(out, n):
    tl.store(out, undecorated(n))


def output(kernel, *args, **options):
    """What a launch prints."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        kernel[(1, )](*args, **options)
    return text.getvalue().splitlines()


@triton.jit
def counted(n):
    total, odd, seen = 0, 0, 0

    def add(v):
        nonlocal total
        total += v
        return total

    def both(v):
        nonlocal total, odd
        if v % 2 == 1:
            odd += 1
            return add(v)
        add(v * 2)
        add(peek() % 3)
        return total * 3

    def peek():
        return total * 100 + odd

    def nothing():
        nonlocal seen
        if seen > 40:
            return
        seen += 1

    other = add
    for i in range(n):

        def skip():
            nonlocal seen
            seen += i * 2

        if i == 2:
            skip()
            continue
        seen += both(i)
        seen += other(peek() % 5)
        nothing()
        if total > 60:
            break
    for i in tl.static_range(3):
        add(i)
    while add(1) % 7 != 0:
        seen += 1
    seen += peek() if n > 3 else add(5)
    return seen * 1000 + total * 10 + odd


@triton.jit
def counts(out, n):
    tl.store(out, counted(n))


@triton.jit
def of_a_number(out):
    c = 3

    def more(v):
        nonlocal c
        if v > 4:
            c = c * v
        return c + 2

    r = more(1) + more(5) * 10
    tl.store(out, r)
    tl.store(out + 1, c)


@triton.jit
def tiles_given_back(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    best, at = tl.full([N], -1000, tl.int32), tl.zeros([N], tl.int32)

    def look(v, k):
        nonlocal best, at
        more = v > best
        best, at = tl.where(more, v, best), tl.where(more, k, at)

    for k in range(n):
        look(tl.load(x + k * N + i), k)
    tl.store(out + i, best)
    tl.store(out + N + i, at)


@triton.jit
def call_it(f):
    f(1)


@triton.jit
def given_away(out):
    n = 0

    def add(v):
        nonlocal n
        n += v

    call_it(add)
    tl.store(out, n)


class Constructs(Engines):
    def test_collections(self):
        at = np.arange(8)
        self.check(collections, [], [(6 * at + 7 + 6 * at * at).astype(np.int32)], 7)

    def test_functions(self):
        at = np.arange(8)
        self.check(functions, [], [((at * 5 + at) * 5 + at).astype(np.int32)], 5)

    def test_any_and_all(self):
        for n in (0, 1, 2, 3, 5):
            want = [n in (1, 2, 3), 0 < n < 3, 1 + 2 * (n == 1)]
            self.check(any_and_all, [], [np.array(want, np.int32)], n, assembled=n == 1)

    def test_powers(self):
        x = np.array([-3, 0, 2, 1.5, 4, -0.5], np.float32)
        whole = x.astype(np.int32)
        self.check(powers, [x], [x**2 + x**3 + x + 1, whole**5 - whole[2]**2])

    def test_recursion(self):
        self.check(recursion, [], [((np.arange(8) + 3)**3).astype(np.int32)], 3)
        self.refuses(calls_endless, "calls itself", np.zeros(1, np.int32), 3)

    def test_generators(self):
        self.check(generators, [], [np.array([73], np.int32)], 7)
        self.refuses(generators_with_names, "a generator that a name holds is not supported", np.zeros(1, np.int32), 3,
                     cure="a list, [...] or list(...), has its items at once")

    def test_generators_of_host_functions(self):
        self.check(computes, [], [np.array([18], np.int32)], f=squares)
        self.refuses(computes, "a generator that a name holds is not supported", np.zeros(1, np.int32), f=squares_twice)
        self.refuses(computes, "map() or filter() that a name holds", np.zeros(1, np.int32), f=mapped_in_a_loop)

    def test_functions_of_items(self):
        at, n = np.arange(8), 5
        last = lambda v: v + 2 * at  # noqa: E731
        want = last(n) + 10 * (n + at) + 100 * last(at) + 1000 * (at - 1 + n + 1) + at + 21
        self.check(functions_of_items, [], [want.astype(np.int32)], n)

    def test_known_items(self):
        self.check(known_items, [], [np.array([6], np.int32)], 5)
        self.check(known_items, [], [np.array([6], np.int32)], -5)

    def test_undecorated_functions_are_not_portable(self):
        out = np.zeros(1, np.int32)
        not_portable[(1, )](out, 3)
        self.assertEqual(out[0], 4)
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            self.refuses(not_portable, "Triton has no functions without a decorator in kernels", out, 3)

    def test_records(self):
        for n in (1, 4, 9):
            turns = min(n, 6)
            self.check(records, [], [(np.arange(8) * sum(range(turns)) // turns).astype(np.int32)], n)
        self.refuses(field_of_another_kind, "Loop-carried variable sums has initial type Sums object", np.zeros(1, np.int32), 3,
                     cure="its field 'count' is int 3 before the loop and int 4 in it")

    def test_inheritance(self):
        at = np.arange(8)
        self.check(inherited, [], [(5 * at + 100 * (at + 3) + 10000 * (at * 5 + 3) + at - 5).astype(np.int32)], 5)

    def test_assert(self):
        self.check(asserts, [], [np.arange(8, dtype=np.int32)], 9, debug=True)
        with self.assertRaisesRegex(DeviceAssertError, "too many"):
            asserts[(1, )](np.zeros(8, np.int32), 5, debug=True, neso_target="interp")

    def test_nonlocal(self):
        for n in (0, 1, 3, 4, 9):
            self.check(counts, [], [np.array([counted.fn(n)], np.int32)], n, assembled=n == 9)
        self.check(of_a_number, [], [np.array([5 + 170, 15], np.int32)])
        x = np.random.default_rng(7).integers(-50, 50, (5, 16)).astype(np.int32)
        self.check(tiles_given_back, [x], [np.concatenate([x.max(0), x.argmax(0).astype(np.int32)])], 5, N=16)
        self.refuses(given_away, "'add' assigns 'n' of the function around it, and is called elsewhere", np.zeros(1, np.int32))

    def test_closures(self):
        for n in (2, 5):
            v = np.arange(8) + n
            total = (v + v * n + v) * 2
            for _ in range(3):
                v = v + 1
                total = total + total * 3 + v * n + v
                if n > 2:
                    total = total + (total + v) * 2
            self.check(closures, [], [total.astype(np.int32)], n)
        self.check(combines, [], [np.array([35], np.int32)], 5)
        for kernel in (outlives, captures_in_combine):
            self.refuses(kernel, "is compiled without it: hand it over", np.zeros(8, np.int32), 3)

    def test_f_strings(self):
        x = np.array([3, 1, 4, 1], np.int32)
        for target in ("interp", SIMULATED[1])[:1 + HAS_SIMULATOR]:
            lines = output(prints, x, 7, 4, neso_target=target)
            tile = [line for line in lines if "v=" in line]
            self.assertEqual(sorted(tile),
                             [f"pid (0, 0, 0) idx ({i}) 4 values, v={v}" for i, v in enumerate(x)])
            # What is no tile is printed by each thread.
            self.assertEqual(set(lines) - set(tile), {"pid (0, 0, 0) idx ()  n=7", "pid (0, 0, 0) idx () of n=7",
                                                      "pid (0, 0, 0)  4"})
        self.refuses(format_of_what_runs, "a format of a value that runs", np.zeros(1, np.int32), 3)

    def test_f_strings_of_assertions(self):
        x = np.array([3, 1, 4, 1], np.int32)
        self.check(asserts_with_values, [x], [x], 5, N=4, debug=True)
        for target in ("interp", SIMULATED[1])[:1 + HAS_SIMULATOR]:
            for n, message, shown in ((9, r"n is \{n\} of 4", "n is 9"),
                                      (4, r"\{v\} is not below \{n\}", " 4")):
                text = io.StringIO()
                with self.assertRaisesRegex(DeviceAssertError, message), contextlib.redirect_stdout(text):
                    asserts_with_values[(1, )](x, x.copy(), n, 4, debug=True, neso_target=target)
                self.assertIn(shown, text.getvalue())
            self.assertEqual(output(asserts_with_values, x, x.copy(), 9, 4, neso_target=target), [])

    def test_grid_control(self):
        """Beside other inline assembly, with comments."""
        x = np.array([3, 1, 4, 1], np.int32)
        targets = ("interp", SIMULATED[1])[:1 + HAS_SIMULATOR]
        for target in targets:
            out = np.zeros(4, np.int32)
            dependent[(1, )](x, out, 4, neso_target=target)
            np.testing.assert_array_equal(out, 2 * x)

    def test_positions_of_all(self):
        x = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)
        self.check(positions, [x], [np.array([9, 5, 1, 1, 51], np.int32)], N=8)


if __name__ == "__main__":
    unittest.main()
