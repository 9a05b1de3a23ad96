"""Atomics of descriptors and pointers against NumPy: signs, narrow floats, orders, by interpreter and simulator; and the orders in PTX."""

import os
import re
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

N = 64


@triton.jit
def by_descriptor(p, v, T: tl.constexpr, MAX: tl.constexpr, N: tl.constexpr):
    typed = p.to(tl.pointer_type(T), bitcast=True)
    d = tl.make_tensor_descriptor(typed, shape=[N - 3], strides=[1], block_shape=[N])
    value = tl.load(v.to(tl.pointer_type(T), bitcast=True) + tl.arange(0, N))
    if MAX:
        d.atomic_max([0], value)
    else:
        d.atomic_min([0], value)


@triton.jit
def by_pointer(p, v, old, MAX: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(v + i)
    if MAX:
        tl.store(old + i, tl.atomic_max(p + i, value))
    else:
        tl.store(old + i, tl.atomic_min(p + i, value))


@triton.jit
def one_atomic(p, q, o, OP: tl.constexpr, SEM: tl.constexpr, SCOPE: tl.constexpr, USED: tl.constexpr, N: tl.constexpr):
    at = p if N == 0 else p + tl.arange(0, N)
    if OP == "cas":
        old = tl.atomic_cas(at, tl.load(at, cache_modifier=".cg"), 1, sem=SEM, scope=SCOPE)
    elif OP == "xchg":
        old = tl.atomic_xchg(at, 1, sem=SEM, scope=SCOPE)
    elif OP == "umax":
        old = tl.atomic_max(at, 1, sem=SEM, scope=SCOPE)
    elif OP == "and":
        old = tl.atomic_and(at, 1, sem=SEM, scope=SCOPE)
    else:
        old = tl.atomic_add(at, 1, sem=SEM, scope=SCOPE)
    if USED:
        if N == 0:
            tl.store(o, old)
        else:
            tl.store(o + tl.arange(0, N), old)
    tl.store(q, 1)


@triton.jit
def locked_add(data, lock, SEM: tl.constexpr):
    i = tl.arange(0, 128)
    while tl.atomic_cas(lock, 0, 1, sem=SEM) == 1:
        pass
    tl.store(data + i, tl.load(data + i) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def handed_over(p, n):
    d = tl.make_tensor_descriptor(p, shape=[n], strides=[1], block_shape=[64])
    for i in range(2):
        lowest(d, tl.full((64, ), 0x80000000, tl.uint32))


@triton.jit
def lowest(d, value):
    d.atomic_min([0], value)


def engines():
    yield {}
    try:
        handed_over.warmup(np.zeros(64, np.uint32), 60, grid=(1, ), neso_target="sim:sm_80")
    except Exception as error:
        if "libneso-codegen" in str(error):
            return
        raise
    yield {"neso_target": "sim:sm_80", "neso_check": True}
    yield {"neso_target": "sim:sm_90a", "neso_check": True}


def bf16(x):
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def of_bf16(x):
    return (x.astype(np.uint32) << 16).view(np.float32)


class MinMax(unittest.TestCase):

    def values(self, dtype, seed):
        r = np.random.default_rng(seed)
        if np.dtype(dtype).kind == "f":
            x = (r.standard_normal(N) * 100).astype(dtype)
            x[:8] = [0, -0.0, np.inf, -np.inf, 0.0, -0.0, 65504, -65504]
            return x
        x = r.integers(0, 256, N * np.dtype(dtype).itemsize, np.uint8).view(dtype)
        x[:4] = [0, np.iinfo(dtype).max, np.iinfo(dtype).min, 1]
        return x.copy()

    def test_descriptors(self):
        cases = ((np.int32, tl.int32), (np.uint32, tl.uint32), (np.int64, tl.int64), (np.uint64, tl.uint64), (np.float16, tl.float16))
        for options in engines():
            for dtype, T in cases:
                for largest in (False, True):
                    p, v = self.values(dtype, 1), self.values(dtype, 2)
                    expected = (np.maximum if largest else np.minimum)(p, v)
                    expected[N - 3:] = p[N - 3:]
                    with self.subTest(dtype=dtype, largest=largest, **options):
                        by_descriptor[(1, )](p, v, T, largest, N, **options)
                        np.testing.assert_array_equal(p, expected)

    def test_bf16(self):
        for options in engines():
            for largest in (False, True):
                p, v = bf16(self.values(np.float32, 3)), bf16(self.values(np.float32, 4))
                expected = (np.maximum if largest else np.minimum)(of_bf16(p), of_bf16(v))
                expected[N - 3:] = of_bf16(p)[N - 3:]
                with self.subTest(largest=largest, **options):
                    by_descriptor[(1, )](p, v, tl.bfloat16, largest, N, **options)
                    np.testing.assert_array_equal(of_bf16(p), expected)

    def test_pointers(self):
        for options in engines():
            for dtype in (np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64):
                for largest in (False, True):
                    p, v = self.values(dtype, 5), self.values(dtype, 6)
                    before, old = p.copy(), np.zeros_like(p)
                    expected = (np.maximum if largest else np.minimum)(p, v)
                    with self.subTest(dtype=dtype, largest=largest, **options):
                        by_pointer[(1, )](p, v, old, largest, N, **options)
                        np.testing.assert_array_equal(p, expected)
                        np.testing.assert_array_equal(old, before)

    def test_sign_is_handed_over(self):
        for options in engines():
            p = np.array([0x7fffffff, 0x90000000] * 32, np.uint32)
            expected = np.minimum(p, 0x80000000)
            expected[60:] = p[60:]
            with self.subTest(**options):
                handed_over[(1, )](p, 60, **options)
                np.testing.assert_array_equal(p, expected)


def accesses(ptx):
    """Atomics, fences and barriers in their order, before the store of the mark."""
    found = []
    for line in ptx.splitlines():
        found += re.findall(r"(?:^|[\s;])((?:red|atom|fence|bar)\.[\w.]+)", line)
    return found


class Orders(unittest.TestCase):
    """What is asked is what PTX has, whether somebody reads the old value or not. The words of an
    instruction may stand in any order; one element is an `atom` in any case (ptxas makes the same of
    a `red`)."""

    def has(self, access, *words):
        for word in words:
            self.assertEqual(access.split(".").count(word), 1, (word, access))

    def lists(self, target, n):
        for op in ("add", "umax", "and", "xchg", "cas"):
            for sem in (None, "acq_rel", "acquire", "release", "relaxed"):
                for scope in ("gpu", "cta", "sys"):
                    for used in (False, True):
                        words = np.zeros(max(n, 1), np.uint32)
                        kernel = one_atomic.warmup(words, words, words, op, sem, scope, used, n, grid=(1, ), neso_target=target)
                        yield op, sem or "acq_rel", scope, used, accesses(kernel.asm["ptx"])

    def test_one(self):
        if len(list(engines())) == 1:
            self.skipTest("built without LLVM")
        for target in ("sim:sm_80", "sim:sm_90a"):
            for op, sem, scope, used, found in self.lists(target, 0):
                with self.subTest(target=target, op=op, sem=sem, scope=scope, used=used, found=found):
                    at = [i for i, a in enumerate(found) if a.startswith(("red", "atom"))]
                    self.assertEqual(len(at), 1)
                    before, atomic, behind = found[:at[0]], found[at[0]], found[at[0] + 1:]
                    self.has(atomic, "atom", "global", sem, scope)
                    acquires = sem in ("acquire", "acq_rel")
                    if sem in ("release", "acq_rel"):
                        self.assertIn("bar.sync", before)
                    if acquires or used:
                        self.assertIn("bar.sync", behind)

    def test_several(self):
        if len(list(engines())) == 1:
            self.skipTest("built without LLVM")
        for op, sem, scope, used, found in self.lists("sim:sm_90a", 1024):
            with self.subTest(op=op, sem=sem, scope=scope, used=used, found=found):
                at = [i for i, a in enumerate(found) if a.startswith(("red", "atom"))]
                self.assertEqual(len(at), 8)
                fence = f"fence.acq_rel.{scope}"
                self.assertEqual(found[:at[0]].count(fence), sem in ("release", "acq_rel"))
                self.assertEqual(found[at[-1]:].count(fence), sem in ("acquire", "acq_rel"))
                for i in at:
                    self.has(found[i], "atom", "global", "relaxed", scope)

    def test_lock(self):
        for options in engines():
            for sem in (None, "acquire", "release", "acq_rel", "relaxed"):
                data, lock = np.zeros(128, np.float32), np.zeros(1, np.int32)
                with self.subTest(sem=sem, **options):
                    locked_add[(200, )](data, lock, sem, **dict(options, neso_check=False) if options else {})
                    np.testing.assert_array_equal(data, 200)


if __name__ == "__main__":
    unittest.main()
