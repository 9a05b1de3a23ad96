"""The autotuner's hooks: their order, what they are told, and what its other keywords do."""

import os
import tempfile
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso import knobs  # noqa: E402
from neso.runtime.errors import AutotunerError, OutOfResources, PTXASError  # noqa: E402

INFINITE = [float("inf")] * 3


class Autotune(unittest.TestCase):

    def setUp(self):
        self.log, self.times = [], []

    def bench(self, call, quantiles):
        self.assertEqual(quantiles, (0.5, 0.2, 0.8))
        self.log.append("bench")
        call()
        return [self.times.pop(0)] * 3 if self.times else [1.0] * 3

    def kernel(self, fails=lambda options: None, wrap=lambda fn: fn, sizes=(1, 2), **options):
        @triton.jit
        def fill(x, y, n, B: tl.constexpr):
            pass

        def run(*args, **given):
            self.log.append(f"run {given['B']}")
            if fails(given):
                raise fails(given)

        fill.run = run
        configs = options.pop("configs", None) or [triton.Config({"B": b}) for b in sizes]
        return triton.autotune(configs=configs, key=["n"], do_bench=self.bench, **options)(wrap(fill))

    def launch(self, kernel, **more):
        x, y = np.full(4, 3.0), np.full(4, 4.0)
        kernel[(1,)](x, y, **{"n": 5, **more})
        return x, y

    def hook(self, name):
        def called(args, **named):
            self.log.append(name)
            self.assertEqual({"x", "y", "n", "B", "num_warps"} - set(args), set())
            self.told.append(named)

        self.told = getattr(self, "told", [])
        return called

    def test_order(self):
        configs = [triton.Config({"B": 1}, pre_hook=self.hook("config")), triton.Config({"B": 2})]
        tuned = self.kernel(configs=configs, pre_hook=self.hook("pre"), post_hook=self.hook("post"))
        self.times = [1.0, 2.0]
        self.launch(tuned)
        self.assertEqual(self.log, ["bench", "config", "pre", "run 1", "post", "bench", "pre", "run 2", "post",
                                    "pre", "config", "run 1"])
        self.assertEqual(self.told, [{}, {}, {"exception": None}, {}, {"exception": None}, {"reset_only": True}, {}])
        self.assertEqual(tuned.configs_timings, {configs[0]: [1.0] * 3, configs[1]: [2.0] * 3})
        self.assertIsNone(tuned.nargs)
        self.log.clear()
        self.launch(tuned)
        self.assertEqual(self.log, ["config", "run 1"])

    def test_arrays(self):
        tuned = self.kernel(reset_to_zero=["x"], restore_value=["y"])
        x, y = self.launch(tuned)
        self.assertEqual((x.tolist(), y.tolist()), ([0.0] * 4, [4.0] * 4))
        x, _ = self.launch(tuned)
        self.assertEqual(x.tolist(), [3.0] * 4)

    def test_arguments_that_are_none(self):
        for options in ({"reset_to_zero": ["x"]}, {"restore_value": ["x"]}):
            self.kernel(**options)[(1,)](None, np.zeros(4), n=5)

    def test_failures(self):
        def fails(options):
            return {1: OutOfResources(100, 50, "shared memory"), 2: PTXASError("no")}.get(options["B"])

        tuned = self.kernel(fails, sizes=(1, 2, 3), post_hook=self.hook("post"))
        self.launch(tuned)
        self.assertEqual(tuned.best_config.kwargs, {"B": 3})
        self.assertEqual(list(tuned.configs_timings.values()), [INFINITE, INFINITE, [1.0] * 3])
        self.assertEqual([type(told["exception"]) for told in self.told], [OutOfResources, PTXASError, type(None)])

    def test_other_exceptions_end_it(self):
        tuned = self.kernel(lambda options: ValueError("boom"), restore_value=["y"])
        with self.assertRaisesRegex(ValueError, "boom"):
            self.launch(tuned)

    def test_pruning(self):
        def early(configs, named, **given):
            self.assertEqual((sorted(named), given["n"]), (["x", "y"], 5))
            return configs[1:]

        def model(**given):
            self.log.append(f"model {given['B']}")
            return -given["B"]

        tuned = self.kernel(sizes=(9, 2, 3, 4), prune_configs_by={"early_config_prune": early, "perf_model": model,
                                                                  "top_k": 2})
        self.launch(tuned)
        self.assertEqual(self.log, ["model 2", "model 3", "model 4", "bench", "run 4", "bench", "run 3", "run 4"])

    def test_a_share_of_the_configurations(self):
        for share, measured in ((0.5, 2), (0.2, 0)):  # of one that is left nothing needs to be known
            self.log.clear()
            tuned = self.kernel(sizes=(4, 3, 2, 1), prune_configs_by={"perf_model": lambda **given: given["B"],
                                                                      "top_k": share})
            self.launch(tuned)
            self.assertEqual(self.log.count("bench"), measured)
            self.assertIn(tuned.best_config.kwargs["B"], (1, 2) if measured else (1, ))
        tuned = self.kernel(prune_configs_by={"perf_model": lambda **given: 1, "top_k": "x"})
        with self.assertRaisesRegex(TypeError, "top_k must be either"):
            self.launch(tuned)

    def test_nothing_left(self):
        tuned = self.kernel(prune_configs_by={"early_config_prune": lambda *args, **given: []})
        with self.assertRaisesRegex(AutotunerError, "No valid autotuner configs after pruning"):
            self.launch(tuned)

    def test_heuristics_see_the_configuration(self):
        tuned = self.kernel(wrap=triton.heuristics({"E": lambda args: self.log.append(args["B"] + args["n"])}))
        self.launch(tuned)
        self.assertEqual(self.log, ["bench", 6, "run 1", "bench", 7, "run 2", 6, "run 1"])

    def test_texts(self):
        first, second = (triton.Config({"B": 1}, ir_override=name) for name in ("a.ttir", "b.ttir"))
        self.assertNotEqual(str(first), str(second))
        self.assertEqual(str(triton.Config({"B": 1})), "B: 1, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None")

    def test_cache_and_listener(self):
        heard = []
        with tempfile.TemporaryDirectory() as folder, knobs.autotuning.scope(), \
                mock.patch.dict(os.environ, {"TRITON_CACHE_DIR": folder}):
            knobs.autotuning.listener = lambda **told: heard.append(told)
            tuned = self.kernel(cache_results=True)
            self.times = [3.0, 2.0]
            for _ in range(2):
                self.launch(tuned)
                self.assertEqual(tuned.best_config.kwargs, {"B": 2})
                tuned.cache.clear()
            tuned.configs[0].pre_hook = lambda args: None
            self.launch(tuned)
        self.assertEqual(self.log.count("bench"), 4)
        self.assertEqual([told["cache_hit"] for told in heard], [False, True, False])
        self.assertEqual([told["duration"] is None for told in heard], [False, True, False])
        self.assertEqual(heard[1]["configs_timings"], {triton.Config({"B": 1}): [3.0] * 3,
                                                       triton.Config({"B": 2}): [2.0] * 3})
        self.assertIsInstance(heard[0]["fn"], triton.runtime.jit.JITFunction)

    def test_a_key_of_element_types_is_kept(self):
        times = iter((3.0, 2.0))

        def bench(run, quantiles):
            run()
            return [next(times)] * 3

        @triton.autotune([triton.Config({"B": 1}), triton.Config({"B": 2})], ["T"], do_bench=bench, cache_results=True)
        @triton.jit
        def kernel(o, T: tl.constexpr, B: tl.constexpr):
            tl.store(o, tl.full((), B, T))

        o = np.zeros(1, np.float32)
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"TRITON_CACHE_DIR": folder}):
            for _ in range(2):
                kernel[(1, )](o, tl.float16)
                self.assertEqual(o[0], 2)
                kernel.cache.clear()


if __name__ == "__main__":
    unittest.main()
