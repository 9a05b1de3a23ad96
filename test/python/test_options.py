"""Options of launches and settings that decide a variant, in upstream's words, and what they do."""
# tests: OPTION_THREADS

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso import knobs  # noqa: E402
from neso.backends.compiler import GPUTarget  # noqa: E402
from neso.compiler import ASTSource  # noqa: E402
from neso.language.extra import libdevice  # noqa: E402
from neso.runtime.errors import DeviceAssertError  # noqa: E402

from test_stages import has_codegen  # noqa: E402

SIM = "sim:sm_90a"


@triton.jit
def more(o, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, tl.load(x + i) + 1)


@triton.jit
def broken(o, x, N: tl.constexpr):
    i = tl.arange(0, N)
    for k in range(N):
        if k == 3:
            break
        tl.store(o + i, tl.load(x + i) + k)


@triton.jit
def halves(o, x, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + (i * n) // n, tl.load(x + i))


@triton.jit
def checked(o, x, n, N: tl.constexpr):
    tl.device_assert(n > N, "n is small")


@triton.jit
def flushed(o, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, libdevice.normcdf(tl.load(x + i)))


def launch(kernel, *scalars, **options):
    o, x = np.zeros(8, np.float32), np.arange(8, dtype=np.float32)
    kernel[(1, )](o, x, *scalars, 8, **options)
    return o


class Threads(unittest.TestCase):

    @unittest.skipUnless(has_codegen(), "built without LLVM")
    def test_too_many(self):
        for warps in (64, 2048):
            with self.assertRaises(triton.OutOfResources) as raised:
                launch(more, num_warps=warps, neso_target=SIM)
            error = raised.exception
            self.assertEqual((error.required, error.limit, error.name), (32 * warps, 1024, "threads"))

    def test_of_the_interpreter(self):
        np.testing.assert_array_equal(launch(more, num_warps=64), np.arange(8) + 1)
        with self.assertRaisesRegex(AssertionError, "num_warps is 3, but must be a power of 2"):
            launch(more, num_warps=3)

    @unittest.skipUnless(has_codegen(), "built without LLVM")
    def test_tuned(self):
        """A configuration that does not fit is passed over."""
        configs = [triton.Config({}, num_warps=w) for w in (64, 4)]
        tuned = triton.autotune(configs, key=["N"],
                                do_bench=lambda call, quantiles: [call() or 1.0] * 3)(more)
        np.testing.assert_array_equal(launch(tuned, neso_target=SIM), np.arange(8) + 1)
        self.assertEqual(tuned.best_config.num_warps, 4)
        self.assertEqual([t[0] for t in tuned.configs_timings.values()], [float("inf"), 1.0])


@unittest.skipUnless(has_codegen(), "built without LLVM")
class Flushing(unittest.TestCase):

    def ptx(self, **options):
        source = ASTSource(flushed, {"o": "*fp32", "x": "*fp32", "N": "constexpr"}, {"N": 128})
        made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
        self.assertEqual(made.metadata.enable_reflect_ftz, options.get("enable_reflect_ftz", True))
        return made.asm["ptx"]

    def test_reflect(self):
        try:
            given = self.ptx()
        except triton.CompilationError as error:
            self.skipTest(str(error))  # without libdevice.10.bc
        self.assertIn("fma.rn.ftz.f32", given)
        self.assertEqual(given, self.ptx(enable_reflect_ftz=True))
        self.assertNotIn("fma.rn.ftz", self.ptx(enable_reflect_ftz=False))

    def test_of_a_launch(self):
        for value in (True, False):
            o = launch(more, neso_target=SIM, enable_reflect_ftz=value)
            np.testing.assert_array_equal(o, np.arange(8) + 1)


class Settings(unittest.TestCase):
    """What is set while a process runs decides the next launch, also of what is compiled already."""

    def test_strict(self):
        for _ in range(2):
            np.testing.assert_array_equal(launch(broken), np.arange(8) + 2)
            with knobs.language.scope():
                knobs.language.strict_triton = True
                with self.assertRaisesRegex(triton.CompilationError, "Triton has no `break`"):
                    launch(broken)

    def test_of_this_process_alone(self):
        """What is not propagated to the environment decides launches as well."""
        knobs.propagate_env = False
        self.addCleanup(setattr, knobs, "propagate_env", True)
        with knobs.language.scope():
            knobs.language.strict_triton = True
            self.assertNotIn("NESO_STRICT_TRITON", os.environ)
            with self.assertRaisesRegex(triton.CompilationError, "Triton has no `break`"):
                launch(broken)
            del knobs.language.strict_triton
            np.testing.assert_array_equal(launch(broken), np.arange(8) + 2)
            knobs.language.strict_triton = True
        np.testing.assert_array_equal(launch(broken), np.arange(8) + 2)
        with knobs.runtime.scope():
            knobs.runtime.debug = True
            with self.assertRaisesRegex(DeviceAssertError, "n is small"):
                launch(checked, 3)
        launch(checked, 3)

    def test_wide_offsets(self):
        def texts():
            return sorted(made.asm["ttir"].count("i64") for made in halves._entries())

        launch(halves, 3)
        with knobs.language.scope():
            knobs.language.wide_offsets = True
            launch(halves, 3)
        narrow, wide = texts()
        self.assertLess(narrow, wide)
        launch(halves, 3)
        self.assertEqual(len(texts()), 2)


if __name__ == "__main__":
    unittest.main()
