"""A tuned kernel that adds to an array, or changes what it reads of it, and does not say so."""

import os
import unittest
import warnings

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.runtime.accumulates import accumulated  # noqa: E402

CONFIGS = [triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})]


def adds(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        tl.atomic_add(out_ptr + at % 4, tl.load(x_ptr + start + at, mask=start + at < n, other=0.0))


def changes(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(out_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + tl.load(x_ptr + at, mask=at < n), mask=at < n)


def carried(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Both pointers and a sum go round a loop: nothing is added to an array."""
    at = tl.arange(0, BLOCK)
    source, to = x_ptr + at, out_ptr + at
    total = tl.zeros((BLOCK, ), tl.float32)
    for start in range(0, n, BLOCK):
        total += tl.load(source, mask=start + at < n, other=0.0)
        tl.store(to, total, mask=start + at < n)
        source += BLOCK
        to += BLOCK
    tl.store(out_ptr + at, total, mask=at < n)


def carried_back(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """What an iteration reads the next one stores."""
    at = tl.arange(0, BLOCK)
    before = tl.load(x_ptr + at)
    for start in range(0, n, BLOCK):
        if start > 0:
            tl.store(out_ptr + start + at, before, mask=start + at < n)
        before = tl.load(out_ptr + start + at, mask=start + at < n, other=0.0)


def gathers(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """An address depends on what it reads, and so does a maximum: another run gives the same."""
    at = tl.arange(0, BLOCK)
    where = tl.load(out_ptr + at, mask=at < n, other=0.0).to(tl.int32)
    tl.store(out_ptr + tl.minimum(where, 0) + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)
    _ = tl.atomic_max(out_ptr + at, 1.0, mask=at < n)


def ttir(function, signature="*fp32, *fp32, i32, 16"):
    source = triton.compiler.ASTSource(triton.jit(function), {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}, {"BLOCK": 16})
    return triton.compile(source, target=triton.backends.compiler.GPUTarget("cpu", 0, 32)).asm["ttir"]


class Accumulates(unittest.TestCase):

    def test_what_is_found(self):
        for function, wanted in ((adds, (["out_ptr"], [])), (changes, ([], ["out_ptr"])), (carried, ([], [])),
                                 (carried_back, ([], ["out_ptr"])), (gathers, ([], []))):
            with self.subTest(function.__name__):
                self.assertEqual(accumulated(ttir(function)), wanted)

    def tell(self, function, **options):
        kernel = triton.autotune(CONFIGS, key=["n"], **options)(triton.jit(function))
        x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for n in (64, 63):
                kernel[(4, )](x, out, n)
        return [str(one.message) for one in found if "autotune" in str(one.message)], found

    def test_one_warning_says_which(self):
        (said, ), found = self.tell(adds)
        self.assertIn("autotune: adds adds to 'out_ptr', and each of the runs that measure does so: reset_to_zero", said)
        self.assertEqual(found[0].filename, __file__)
        (said, ), _ = self.tell(changes)
        self.assertIn("autotune: changes changes what it reads of 'out_ptr'", said)

    def test_what_is_put_back_is_not_told(self):
        for options in ({"reset_to_zero": ["out_ptr"]}, {"restore_value": ["out_ptr"]},
                        {"pre_hook": lambda kwargs, reset_only=False: kwargs["out_ptr"].fill(0)}):
            self.assertEqual(self.tell(adds, **options)[0], [])
        self.assertEqual(self.tell(carried)[0], [])


if __name__ == "__main__":
    unittest.main()
