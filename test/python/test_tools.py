"""Tuning, measuring, settings, the name `triton`, notices."""

import contextlib
import inspect
import io
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso import knobs, testing  # noqa: E402
from neso.runtime.errors import AutotunerError, OutOfResources  # noqa: E402


def quick(call, quantiles):
    return testing.do_bench(call, warmup=0, rep=0, quantiles=quantiles)


def tuned(*configs, **kwargs):

    @triton.autotune(configs=list(configs), key=["n"], do_bench=kwargs.pop("do_bench", quick), **kwargs)
    @triton.jit
    def add_to(x_ptr, n, amount, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x_ptr + at, tl.load(x_ptr + at, at < n) + amount, at < n)

    return add_to


BOTH = (triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 64}, num_warps=8))


def launch(kernel, x, amount=1.0):
    kernel[lambda meta: (triton.cdiv(x.size, meta["BLOCK"]), )](x, x.size, amount)


class Autotune(unittest.TestCase):

    def test_restore(self):
        kernel, x = tuned(*BOTH, restore_value=["x_ptr"]), np.zeros(100, np.float32)
        launch(kernel, x)
        np.testing.assert_array_equal(x, 1)
        self.assertIn(kernel.best_config, BOTH)
        self.assertEqual(set(kernel.configs_timings), set(BOTH))
        launch(kernel, x)
        np.testing.assert_array_equal(x, 2)
        self.assertEqual(len(kernel.cache), 1)

    def test_what_makes_no_difference_is_measured_once(self):
        calls = []
        configs = [triton.Config({"BLOCK": b}, num_warps=w, num_stages=s) for b in (16, 64) for w in (1, 4) for s in (1, 2)]
        kernel, x = tuned(*configs, restore_value=["x_ptr"], do_bench=None), np.zeros(100, np.float32)
        bench = kernel._bench
        kernel._bench = lambda *args, config, **kwargs: calls.append(config) or bench(*args, config=config, **kwargs)
        launch(kernel, x)
        np.testing.assert_array_equal(x, 1)
        self.assertEqual([c.kwargs["BLOCK"] for c in calls], [16, 64])
        self.assertEqual(set(kernel.configs_timings), set(configs))

    def test_reset(self):
        kernel, x = tuned(*BOTH, reset_to_zero=["x_ptr"]), np.zeros(100, np.float32)
        launch(kernel, x)
        np.testing.assert_array_equal(x, 1)

    def test_choice_and_hooks(self):
        calls, times = [], {16: 3.0, 64: 1.0}

        def measure(call, quantiles):
            call()
            return [times[measured.pop(0)]] * 3

        measured = [16, 64]
        configs = [triton.Config({"BLOCK": b}, pre_hook=lambda args, b=b: calls.append((b, args["n"]))) for b in (16, 64)]
        kernel = tuned(*configs, do_bench=measure, restore_value=["x_ptr"])
        launch(kernel, np.zeros(32, np.float32))
        self.assertEqual(kernel.best_config.kwargs, {"BLOCK": 64})
        self.assertEqual(calls, [(16, 32), (64, 32), (64, 32)])

    def test_prune(self):
        seen = []
        early = lambda configs, named, **kwargs: [c for c in configs if c.kwargs["BLOCK"] < 64]  # noqa: E731
        kernel = tuned(*BOTH, prune_configs_by={"early_config_prune": early})
        launch(kernel, np.zeros(32, np.float32))
        self.assertEqual((kernel.best_config, list(kernel.configs_timings)), (BOTH[0], []))  # one is not measured
        model = lambda **args: seen.append(args["BLOCK"]) or -args["BLOCK"]  # noqa: E731
        kernel = tuned(*BOTH, prune_configs_by={"perf_model": model, "top_k": 1})
        launch(kernel, np.zeros(32, np.float32))
        self.assertEqual((kernel.best_config, seen), (BOTH[1], [16, 64]))
        with self.assertRaises(AutotunerError):
            launch(tuned(*BOTH, prune_configs_by={"early_config_prune": lambda *a, **k: []}), np.zeros(32, np.float32))

    def test_failing_config(self):
        def measure(call, quantiles):
            failing.append(1)
            if len(failing) == 1:
                raise OutOfResources(2, 1, "shared memory")
            return [1.0] * 3

        failing = []
        kernel = tuned(*BOTH, do_bench=measure)
        launch(kernel, np.zeros(32, np.float32))
        self.assertEqual(kernel.best_config, BOTH[1])

    def test_conflict_print_and_disk(self):
        with self.assertRaisesRegex(ValueError, "BLOCK"):
            tuned(*BOTH)[(1, )](np.zeros(32, np.float32), 32, 1.0, BLOCK=16)
        with tempfile.TemporaryDirectory() as folder, knobs.cache.scope(), knobs.autotuning.scope():
            knobs.cache.dir = folder
            knobs.autotuning.print = True
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                launch(tuned(*BOTH, cache_results=True), np.zeros(32, np.float32))
            self.assertIn("best config selected", out.getvalue())
            counts = []
            kernel = tuned(*BOTH, cache_results=True, do_bench=lambda call, quantiles: counts.append(1) or [1.0] * 3)
            launch(kernel, np.zeros(32, np.float32))
            self.assertEqual(counts, [])

    def test_old_arguments(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            kernel = triton.autotune([BOTH[0]], [], warmup=1, rep=2)(triton.jit(_plain))
        self.assertEqual(caught[0].category, DeprecationWarning)
        self.assertIsInstance(kernel, triton.runtime.Autotuner)

    def test_config(self):
        config = triton.Config({"A": 1}, num_warps=8, maxnreg=32)
        self.assertEqual(config.all_kwargs(), {"A": 1, "num_warps": 8, "num_ctas": 1, "num_stages": 3, "maxnreg": 32})
        self.assertEqual(pickle.loads(pickle.dumps(config)), config)
        self.assertEqual(str(config), "A: 1, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: 32")

    def test_heuristics(self):
        @triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
        @triton.jit
        def kernel(o_ptr, n, EVEN: tl.constexpr):
            tl.store(o_ptr, 1.0 if EVEN else 2.0)

        o = np.zeros(1, np.float32)
        kernel[(1, )](o, 4)
        self.assertEqual(o[0], 1)
        kernel[(1, )](o, 5)
        self.assertEqual(o[0], 2)


def _plain(x_ptr, BLOCK: tl.constexpr):
    pass


@triton.jit
def stops(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    total = tl.sum(x)
    triton.breakpoint()
    print("tile", x, "sum", total)
    print(x)


class Printing(unittest.TestCase):

    def test_breakpoint(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            stops[(1, )](np.arange(16, dtype=np.int32), 16)
        lines = out.getvalue().splitlines()
        line = stops.fn.__code__.co_firstlineno + 4
        self.assertEqual(lines[0], f"neso.breakpoint: {__file__}:{line}, program (0, 0, 0)")
        self.assertIn("    x = [0, 1, 2, 3, 4, 5, 6, 7, ...] (16 elements)", lines)
        self.assertIn("    total = 120", lines)
        self.assertIn("pid (0, 0, 0) idx (15) tile: 15", lines)
        self.assertIn("pid (0, 0, 0) idx () sum: 120", lines)


class Testing(unittest.TestCase):

    def test_bench(self):
        calls = []
        self.assertGreater(testing.do_bench(lambda: calls.append(1), warmup=1, rep=1), 0)
        self.assertGreater(len(calls), 5)
        times = testing.do_bench(lambda: None, warmup=0, rep=0, quantiles=[0.5, 0.0, 1.0])
        self.assertTrue(times[1] <= times[0] <= times[2])
        self.assertEqual(testing._summarize_statistics([3.0, 1.0, 2.0], None, "median"), 2.0)
        self.assertEqual(testing._summarize_statistics([4.0, 1.0, 2.0, 3.0], [0.25], "mean"), 1.75)

    def test_close(self):
        testing.assert_close(np.ones(3), np.ones(3) + 1e-4)
        with self.assertRaises(AssertionError):
            testing.assert_close(np.ones(3), np.ones(3) + 0.1)

    def test_report(self):
        @testing.perf_report(testing.Benchmark(["x"], [1, 2], "line", ["a", "b"], ["A", "B"], "plot", {"k": 10},
                                               ylabel="GB/s"))
        def measure(x, line, k):
            value = x * k * (2 if line == "b" else 1)
            return value, value - 1, value + 1

        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
            frame = measure.run(print_data=True, save_path=folder, return_df=True)
            with open(os.path.join(folder, "plot.csv")) as file:
                self.assertEqual(file.readline().strip(), "x,A (GB/s),B (GB/s)")
        self.assertEqual(list(frame["B (GB/s)"]), [20, 40])
        self.assertIn("plot:", out.getvalue())


class Settings(unittest.TestCase):

    def test_scope(self):
        with knobs.runtime.scope():
            knobs.runtime.debug = True
            self.assertEqual(os.environ["TRITON_DEBUG"], "1")
        self.assertFalse(knobs.runtime.debug)
        self.assertNotIn("TRITON_DEBUG", os.environ)

    def test_signatures(self):
        self.assertEqual(list(inspect.signature(tl.load).parameters)[:3], ["pointer", "mask", "other"])
        self.assertIn("cache_results", inspect.signature(triton.autotune).parameters)

    def python(self, code, *options, env=None, stdin=None):
        settings = {k: v for k, v in os.environ.items() if not k.startswith(("TRITON_", "NESO_"))}
        done = subprocess.run([sys.executable, *options, code], env={**settings, **(env or {})}, capture_output=True,
                              text=True, input=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def test_alias(self):
        code = ("import triton, triton.language as tl, triton.language.extra.cuda.libdevice, triton.runtime.jit as j\n"
                "import triton.tools.tensor_descriptor, triton.testing, triton.backends.compiler, triton.compiler.errors\n"
                "from triton.language.extra import libdevice\n"
                "import neso, neso.language\n"
                "print(triton.__version__, bool(triton.__neso__), tl is neso.language, j.JITFunction is neso.JITFunction)\n"
                "try:\n    import triton.nothing\nexcept ImportError:\n    print('none')")
        self.assertEqual(self.python(code, "-m", "neso", "-c")[0], "3.7.1 True True True\nnone\n")

    def test_exec_of_command(self):
        code = ("import neso as triton, neso.language as tl, array\n@triton.jit\ndef k(o):\n    tl.store(o, 5)\n"
                "o = array.array('i', [0])\nk[(1,)](o)\nprint(o[0])")
        out, notes = self.python(code, "-c")
        self.assertEqual(out, "5\n")
        self.assertIn("interpreted on the CPU", notes)

    def test_notices(self):
        code = ("import neso as triton, neso.language as tl, array\n@triton.jit\ndef k(o, N: tl.constexpr):\n"
                "    tl.store(o, N)\n    print('stored', N)\no = array.array('i', [0])\nk[(1,)](o, 5)\nk[(1,)](o, 6)\n")
        out, notes = self.python(code, "-c", env={"TRITON_INTERPRET": "1", "TRITON_INTERPT": "1"})
        self.assertEqual(notes.count("TRITON_INTERPRET is set"), 1)
        self.assertIn("TRITON_INTERPT means nothing here; did you mean TRITON_INTERPRET?", notes)
        self.assertIn("5", out)



class Table(unittest.TestCase):
    """Settings are rows of the library's table (neso config)."""

    def test_every_row_is_a_knob(self):
        from neso import _native
        for name, kind, variable, other, preset, _ in _native.settings():
            group, field = name.split(".")
            descriptor = getattr(knobs, group).knob_descriptors[field]
            self.assertEqual(descriptor.key, variable)
            if not isinstance(descriptor, knobs.env_nvidia_tool):
                self.assertNotIsInstance(getattr(getattr(knobs, group), field), type(NotImplemented))

    def test_every_knob_is_a_row(self):
        from neso import _native
        variables = {row[2] for row in _native.settings()}
        for group in ("build", "redis", "cache", "compilation", "autotuning", "runtime", "language", "nvidia", "amd", "proton"):
            for descriptor in getattr(knobs, group).knob_descriptors.values():
                self.assertIn(descriptor.key, variables)

    def test_nvidias_programs(self):
        with tempfile.TemporaryDirectory() as folder, knobs.nvidia.scope():
            for name, release in (("one", "9.1"), ("two", "9.2")):
                path = os.path.join(folder, name)
                with open(path, "w") as file:
                    file.write(f"#!/bin/sh\necho NVIDIA, release {release}, V{release}.85\n")
                os.chmod(path, 0o700)
            one, two, none = (os.path.join(folder, name) for name in ("one", "two", "none"))
            os.environ.pop("TRITON_PTXAS_PATH", None)
            before, os.environ["NESO_PTXAS"] = os.environ.get("NESO_PTXAS"), one
            try:
                self.assertEqual((knobs.nvidia.ptxas.path, knobs.nvidia.ptxas.version), (one, "9.1"))
                knobs.nvidia.ptxas = two
                self.assertEqual(os.environ["TRITON_PTXAS_PATH"], two)
                self.assertEqual((knobs.nvidia.ptxas.path, knobs.nvidia.ptxas.version), (two, "9.2"))
                # What is not there is what the library finds elsewhere.
                knobs.nvidia.ptxas = none
                found = [p for p in ("/usr/local/cuda/bin/ptxas", shutil.which("ptxas")) if p and os.path.exists(p)]
                if found:
                    self.assertNotEqual(knobs.nvidia.ptxas.path, none)
                else:
                    with self.assertRaisesRegex(RuntimeError, "TRITON_PTXAS_PATH"):
                        knobs.nvidia.ptxas
            finally:
                os.environ.pop("NESO_PTXAS")
                if before is not None:
                    os.environ["NESO_PTXAS"] = before

    def test_what_is_in_the_key(self):
        from neso.runtime.cache import get_cache_invalidating_env_vars
        with knobs.language.scope(), knobs.autotuning.scope():
            knobs.language.fp32_default = "ieee"
            knobs.autotuning.print = True
            found = get_cache_invalidating_env_vars()
        self.assertEqual(found.get("TRITON_F32_DEFAULT"), "ieee")
        self.assertNotIn("TRITON_PRINT_AUTOTUNING", found)


@triton.jit
def narrow_store(out, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out + at, at, mask=at < n)


class Remarks(unittest.TestCase):

    def test_of_a_kernel_for_the_simulator(self):
        out = np.zeros(1024, np.int32)
        try:
            compiled = narrow_store[(1, )](out, 1001, B=1024, neso_target="sim:sm_80")
        except Exception as error:
            if "libneso-codegen" in str(error):
                self.skipTest("built without LLVM")
            raise
        remark = next(r for r in compiled.remarks if r.kind == "access")
        self.assertEqual((remark.rule, remark.outcome, remark.times), ("unknown-arguments", "missed", 1))
        self.assertIn("it would be 16 if n was divisible by 16", remark.text)
        self.assertEqual(remark.figures, {"possible": 16, "width": 4, "count": 8})
        self.assertTrue(remark.path.endswith("test_tools.py"))
        self.assertEqual(remark.line, inspect.getsourcelines(narrow_store.fn)[1] + 3)
        self.assertIn("access unknown-arguments: ", str(remark))
        self.assertIn(":16", remark.advice)

    def test_of_the_interpreter_there_are_none(self):
        self.assertEqual(narrow_store[(1, )](np.zeros(16, np.int32), 16, B=16).remarks, [])


class LinearLayouts(unittest.TestCase):
    def test_values(self):
        from neso._C.libtriton import linear_layout
        from neso.tools import LinearLayout
        self.assertIs(linear_layout.LinearLayout, LinearLayout)
        self.assertIs(triton.LinearLayout, LinearLayout)
        threads = LinearLayout.from_bases([("lane", [[0, 1], [0, 2]]), ("warp", [[1, 0]])], ["x", "y"])
        self.assertEqual(threads.out_dims, [("x", 2), ("y", 4)])
        self.assertEqual(threads.apply({"lane": 3, "warp": 1}), {"x": 1, "y": 3})
        self.assertEqual(threads.get_matrix_view(), [[0, 0, 1], [1, 0, 0], [0, 1, 0]])
        self.assertEqual(threads.invert().apply({"x": 1, "y": 2}), {"lane": 2, "warp": 1})
        both = LinearLayout.identity_1d(4, "i", "a") * LinearLayout.strided_1d(4, 2, "i", "a")
        self.assertEqual((both.bases, both.out_dims), ([("i", [[1], [2], [8], [16]])], [("a", 32)]))
        self.assertTrue(both.is_injective() and not both.is_surjective())
        twice = LinearLayout.from_bases([("i", [[1], [1], [2]])], ["o"])
        self.assertEqual(twice.pseudoinvert().bases, [("o", [[1], [4]])])
        turned = LinearLayout.from_bases([("j", [[2], [1]])], ["o"])
        found = twice.invert_and_compose(turned)
        self.assertEqual(found.compose(turned), twice)
        self.assertEqual(str(LinearLayout.zeros_1d(2, "i", "o", 4)), "\n - i=1 -> (0)\nwhere out dims are: [o (size 4)]")

    def test_errors(self):
        from neso.tools import LinearLayout
        layout = LinearLayout.from_bases([("i", [[1], [2]])], ["o"], [8], False)
        for text, call in (
            ("sizes are powers of 2", lambda: LinearLayout.identity_1d(3, "a", "b")),
            ("not surjective", lambda: LinearLayout.from_bases([("i", [[1], [2]])], ["o"], [8])),
            ("9 of 'i' is beyond the 4", lambda: LinearLayout.from_bases([("i", [[9]])], ["o"], [4], False)),
            ("surjective and injective", layout.invert),
            ("does not reach", layout.pseudoinvert),
            ("the inputs are i, not k", lambda: layout.apply({"k": 1})),
        ):
            with self.assertRaisesRegex(ValueError, text):
                call()


if __name__ == "__main__":
    unittest.main()
