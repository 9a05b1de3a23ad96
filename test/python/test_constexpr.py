"""Constexprs as arguments (constexpr_policy): one compilation for all values, the same results."""

import contextlib
import io
import os
import unittest
from unittest import mock

import numpy as np

import neso as triton
import neso.language as tl
from neso import knobs


def ragged(o, lens, stride: tl.constexpr, MAXLEN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    n = tl.load(lens + row)
    for s in range(0, MAXLEN, BLOCK):
        c = s + tl.arange(0, BLOCK)
        tl.store(o + row * stride + c, (c < n).to(tl.int8), mask=c < MAXLEN)


def filled(o, shape: tl.constexpr):
    tl.store(o + tl.arange(0, shape[0]), shape[1][0] + shape[1][1])


def scaled(o, C: tl.constexpr, F: tl.constexpr):
    i = tl.arange(0, 16)
    if F:
        tl.store(o + i, i * C)
    else:
        tl.store(o + i, i + C)


def compilations(function):
    """How many variants `function` made."""
    made = []

    def hook(**words):
        made.append(words["key"])

    with knobs.runtime.scope():
        knobs.runtime.jit_post_compile_hook = hook
        try:
            function()
        finally:
            knobs.runtime.jit_post_compile_hook = None
    return len(set(made)), len(made)


class Policies(unittest.TestCase):

    def run_ragged(self, kernel, **options):
        lens = np.array([5, 300], np.int32)
        for maxlen in range(1, 400, 7):
            out = np.full((2, 512), 9, np.int8)
            kernel[(2,)](out, lens, 512, maxlen, 64, **options)
            np.testing.assert_array_equal(out[:, :maxlen], np.arange(maxlen) < lens[:, None])
            self.assertTrue((out[:, maxlen:] == 9).all())

    def test_decorator(self):
        kernel = triton.jit(ragged, constexpr_policy="generic")
        self.assertEqual(compilations(lambda: self.run_ragged(kernel)), (1, 1))

    def test_keyword(self):
        kernel = triton.jit(ragged)
        self.assertEqual(compilations(lambda: self.run_ragged(kernel, constexpr_policy="generic")), (1, 1))
        out = np.zeros((2, 64), np.int8)
        lens = np.array([1, 2], np.int32)

        def eager():
            for maxlen in (10, 11, 12):
                kernel[(2,)](out, lens, 64, maxlen, 64, constexpr_policy="eager")

        self.assertEqual(compilations(eager), (3, 3))

    def test_environment(self):
        kernel = triton.jit(ragged)
        with mock.patch.dict(os.environ, NESO_CONSTEXPR_POLICY="generic"):
            self.assertEqual(knobs.runtime.constexpr_policy, "generic")
            self.assertEqual(compilations(lambda: self.run_ragged(kernel)), (1, 1))

    def test_decorator_goes_before_environment(self):
        kernel = triton.jit(scaled, constexpr_policy="eager")
        out = np.zeros(16, np.int32)
        with mock.patch.dict(os.environ, NESO_CONSTEXPR_POLICY="generic"):
            self.assertEqual(compilations(lambda: [kernel[(1,)](out, c, True) for c in (2, 3, 4)]), (3, 3))

    def test_kinds_and_structural_values(self):
        kernel = triton.jit(scaled, constexpr_policy="generic")
        out = np.zeros(16, np.int32)

        def calls():
            for c in (2, 3, -4, tl.constexpr(5), np.int64(6), True):
                for f in (True, False):
                    kernel[(1,)](out, c, f)
                    c_value = int(getattr(c, "value", c))
                    np.testing.assert_array_equal(out, np.arange(16) * c_value if f else np.arange(16) + c_value)

        made, _ = compilations(calls)
        self.assertEqual(made, 4)  # integer or bool, times F

    def test_reasons_and_warning(self):
        kernel = triton.jit(scaled)
        out, reasons = np.zeros(16, np.int32), []
        hook = lambda **words: reasons.append(words["compile"]["reason"])
        shown = io.StringIO()
        with knobs.runtime.scope(), contextlib.redirect_stderr(shown):
            knobs.runtime.jit_post_compile_hook = hook
            try:
                made = [kernel[(1,)](out, c, True) for c in range(2, 22)]
            finally:
                knobs.runtime.jit_post_compile_hook = None
        self.assertEqual(reasons[:3], ["first variant", "C: 2 before, now 3", "C: 3 before, now 4"])
        self.assertEqual(made[1].reason, reasons[1])
        self.assertEqual(shown.getvalue().count("scaled has 17 variants, and 'C' has 17 values among them: it is numeric"), 1)

    def test_tuples_of_other_classes(self):
        """As torch.Size, which is what the shape of a tensor is."""

        class Size(tuple):
            pass

        kernel, out = triton.jit(filled), np.zeros(8, np.int32)
        kernel[(1, )](out, Size((8, Size((3, 4)))))
        np.testing.assert_array_equal(out, 7)

    def test_other_words(self):
        with self.assertRaisesRegex(ValueError, "eager.*generic"):
            triton.jit(scaled, constexpr_policy="lazy")


if __name__ == "__main__":
    unittest.main()
