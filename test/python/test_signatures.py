"""What hooks are told of a call: types, constants and what is known of values, as Triton 3.6 tells them; preload."""

import collections
import json
import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso import knobs  # noqa: E402

DIVISIBLE = [["tt.divisibility", 16]]
Pair = collections.namedtuple("Pair", ["x", "y"])


@triton.jit
def plain(a, b, c):
    pass


@triton.jit
def annotated(a: tl.int8, b: tl.uint16, c: tl.int1, d: tl.float16, e: tl.float64, f: int, g: float, h: bool,
              i: "tl.int64", j: tl.bfloat16, k: "i8", m: tl.uint64):
    pass


def with_annotations(**kinds):
    def decorate(function):
        function.__annotations__ = kinds
        return function
    return decorate


@triton.jit
@with_annotations(a="tl.int8", c="tl.uint16", d=tl.float32)
def annotated_outside(o, a, b: tl.uint8, c, d):
    tl.store(o, a * 2)
    tl.store(o + 1, b)
    tl.store(o + 2, c)
    tl.store(o + 3, d / 2)


@triton.jit(do_not_specialize=["a"], do_not_specialize_on_alignment=["b"])
def unspecialized(a, b, c):
    pass


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def tuples(a, o, c):
    i = tl.arange(0, 8)
    tl.store(o[0] + i, a[1][1](tl.load(a[0] + i)) + a[1][0] + o[1] + c)


@triton.jit
def converted(o, a: tl.int8, b: tl.uint8, c: tl.int1, d: tl.float16, e: tl.float64, f: tl.int64):
    tl.store(o, a.to(tl.int64))
    tl.store(o + 1, b.to(tl.int64))
    tl.store(o + 2, c.to(tl.int64))
    tl.store(o + 3, (d * 1024).to(tl.int64))
    tl.store(o + 4, (e * 2.0**40).to(tl.int64))
    tl.store(o + 5, f << 33)


class Hooked(unittest.TestCase):

    def setUp(self):
        self.told, self.after = [], []
        scope = knobs.runtime.scope()
        scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)
        knobs.runtime.jit_cache_hook = lambda **told: self.told.append(told) or self.refuses
        knobs.runtime.jit_post_compile_hook = lambda **told: self.after.append(told)

    def of_call(self, kernel, *args, **options):
        self.told.clear()
        kernel[(1, )](*args, **options)
        (told, ) = self.told
        return told["compile"]


class Values(unittest.TestCase):

    def test_annotations_that_the_source_does_not_have(self):
        o = np.zeros(4, np.float32)
        annotated_outside[(1, )](o, 100, 200, 65000, 5, neso_target="interp")
        np.testing.assert_array_equal(o, [-56, 200, 65000, 2.5])


class Signatures(Hooked):
    refuses = True

    def test_annotations(self):
        kinds = ["i8", "u16", "u1", "fp16", "fp64", "i32", "fp32", "u1", "i64", "bf16", "i8", "u64"]
        for values, known in (
            ((1, 16, True, 1.5, 2.0, 16, 3.0, False, 16, 1.0, 1, 5), {1: True, 5: True, 8: True, 11: False}),
            ((3, 1, 0, 1, 2, 1, 3, 1, 1, 1, 16, 2**40), {0: False, 10: True, 11: True}),
            ((3, 1, 0, 1, 2, 2**35, 3, True, 1, 1, 16, 2**63), {0: False, 5: True, 10: True, 11: True}),
        ):
            told = self.of_call(annotated, *values)
            self.assertEqual(list(told["signature"].values()), kinds)
            self.assertEqual(told["constants"], {})
            self.assertEqual(told["configs"], [{(i, ): DIVISIBLE if d else [] for i, d in known.items()}])

    def test_numbers(self):
        for value, kind, divisible in ((0, "i32", True), (2, "i32", False), (16, "i32", True), (2**31 - 1, "i32", False),
                                       (2**31, "i64", True), (-2**31, "i32", True), (-2**31 - 1, "i64", False),
                                       (2**63, "u64", True), (2**64 - 1, "u64", False), (True, "u1", None),
                                       (1.0, "fp32", None), (np.int64(16), "i32", True), (np.float32(2), "fp32", None),
                                       (np.bool_(True), "u1", None), (np.bool_(False), "u1", None)):
            told = self.of_call(plain, value, 3, 2.5)
            self.assertEqual(told["signature"], {"a": kind, "b": "i32", "c": "fp32"}, value)
            known = {} if divisible is None else {(0, ): DIVISIBLE if divisible else []}
            self.assertEqual(told["configs"], [{**known, (1, ): []}], value)
        told = self.of_call(plain, 1, None, tl.constexpr(4))
        self.assertEqual(set(told["signature"].values()), {"constexpr"})
        self.assertEqual(told["constants"], {(0, ): 1, (1, ): None, (2, ): tl.constexpr(4)})

    def test_tuples(self):
        x = np.zeros(16, np.float32)
        told = self.of_call(plain, (x, (1, 5, (x[1:], None))), Pair(3, (x, 16)), ())
        self.assertEqual(told["signature"], {
            "a": ("*fp32", ("constexpr", "i32", ("*fp32", "constexpr"))),
            "b": Pair("i32", ("*fp32", "i32")), "c": ()})
        self.assertIsInstance(told["signature"]["b"], Pair)
        self.assertEqual(told["constants"], {(0, 1, 0): 1, (0, 1, 2, 1): None})
        self.assertEqual(told["configs"], [{(0, 0): DIVISIBLE, (0, 1, 1): [], (0, 1, 2, 0): [], (1, 0): [],
                                            (1, 1, 0): DIVISIBLE, (1, 1, 1): DIVISIBLE}])

    def test_unspecialized(self):
        told = self.of_call(unspecialized, 1, 16, 16)
        self.assertEqual(told["configs"], [{(1, ): [], (2, ): DIVISIBLE}])

    def test_keywords(self):
        told = self.of_call(plain, 3, 4, 5, num_warps=8, num_stages=2)
        self.assertLessEqual({
            "key", "signature", "device", "constants", "num_warps", "num_ctas", "num_stages", "enable_fp_fusion",
            "launch_cooperative_grid", "extern_libs", "configs", "specialization_data", "is_warmup"}, set(told))
        self.assertEqual((told["num_warps"], told["num_stages"], told["is_warmup"]), (8, 2, False))
        self.assertEqual(self.told[0]["fn"].name, "plain")
        self.assertIs(self.told[0]["fn"].jit_function, plain)
        self.assertEqual(self.after, [])  # refused


class Compiled(Hooked):
    refuses = False

    def test_preload_with_tuples(self):
        x, o = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
        args = (x, (tl.constexpr(3), twice)), (o, 16), 1
        told = self.of_call(tuples, *args)
        np.testing.assert_array_equal(o, 2 * x + 20)
        data = json.loads(told["specialization_data"])
        self.assertEqual(data["signature"], {"a": ["*fp32", ["constexpr", "constexpr"]], "o": ["*fp32", "i32"],
                                             "c": "constexpr"})
        tuples.device_caches.clear()
        self.told.clear()
        self.after.clear()
        tuples.preload(told["specialization_data"])
        self.assertEqual([told["compile"]["is_warmup"] for told in self.told], [True])
        o[:] = 0
        tuples[(1, )](*args)
        np.testing.assert_array_equal(o, 2 * x + 20)
        self.assertEqual((len(self.told), len(self.after)), (1, 1))

    def test_values(self):
        """Annotated parameters hold what their types hold."""
        o = np.zeros(6, np.int64)
        converted[(1, )](o, -56, 200, True, 1 / 3, 1 / 3, 3)
        self.assertEqual(o.tolist(), [-56, 200, 1, int(float(np.float16(1 / 3)) * 1024), int(2**40 / 3), 3 << 33])


if __name__ == "__main__":
    unittest.main()
