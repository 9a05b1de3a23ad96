"""What a compilation warns of arrives as Python's warnings, at the kernel's line, once by Python's rules."""

import io
import os
import unittest
import warnings
from contextlib import redirect_stderr

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402


@triton.jit
def where_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.where(i & 1, 1.0, 2.0), mask=i < n)


@triton.jit
def unused_kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    y = tl.load(x + i)
    y.to(tl.float16)
    tl.store(x + i, max(y, 0.0))


@triton.jit
def good_kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.where(i > 1, 1.0, 2.0))


def line_of(text):
    with open(__file__) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


class Warned(unittest.TestCase):

    def test_a_user_warning_at_the_line(self):
        x = np.zeros(8, np.float32)
        with self.assertWarnsRegex(UserWarning, r"tl\.where with a non-boolean condition is deprecated.* Got int32") as seen:
            where_kernel[(1, )](x, 8, BLOCK=8)
        self.assertEqual(os.path.basename(seen.filename), "test_warnings.py")
        self.assertEqual(seen.lineno, line_of("tl.where(i & 1"))
        np.testing.assert_array_equal(x, [2, 1] * 4)

    def test_unused_and_deprecated(self):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            unused_kernel[(1, )](np.zeros(8, np.float32), BLOCK=8)
        said = {(w.category, str(w.message)) for w in seen}
        self.assertEqual(said, {(UserWarning, "the result of `y.to(tl.float16)` is not used"),
                                (DeprecationWarning,
                                 "builtin max on non-scalar tensor values is deprecated, use tl.maximum instead")})

    def test_as_an_error(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            good_kernel[(1, )](np.zeros(8, np.float32), BLOCK=8)
            with self.assertRaises(UserWarning):
                where_kernel[(1, )](np.zeros(16, np.float32), 16, BLOCK=16)

    def test_once(self):
        said = io.StringIO()
        with warnings.catch_warnings(), redirect_stderr(said):
            warnings.simplefilter("default")
            for block in (32, 64):
                where_kernel[(1, )](np.zeros(block, np.float32), block, BLOCK=block)
        self.assertEqual(said.getvalue().count("UserWarning: tl.where"), 1, said.getvalue())


if __name__ == "__main__":
    unittest.main()
