"""Choices of the autotuner that last: the file, never measuring, races with noise."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso import knobs  # noqa: E402
from neso.runtime import tuned  # noqa: E402
from neso.runtime.errors import AutotunerError  # noqa: E402

BUILD = os.path.abspath(os.path.join(os.path.dirname(triton.__file__), "..", ".."))
KERNEL = """
import numpy as np
import neso as triton
import neso.language as tl

CONFIGS = [triton.Config({"BLOCK": b}, num_warps=w) for b in (16, 512) for w in (4, 8)]

@triton.autotune(configs=CONFIGS, key=["n"], restore_value=["x_ptr"])
@triton.jit
def add_to(x_ptr, n, amount, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, at < n) + amount, at < n)

def launch(n=1000):
    x = np.zeros(n, np.float32)
    add_to[lambda meta: (triton.cdiv(n, meta["BLOCK"]), )](x, n, 1.0)
    assert (x == 1).all()
    return add_to.best_config
"""
FORBID = """
from neso.runtime import autotuner, tuned
def forbidden(*args, **kwargs):
    raise AssertionError("something was timed")
tuned.race = autotuner.Autotuner._bench = forbidden
"""


def kernel(text=KERNEL):
    scope = {"__name__": "tuned_kernel"}
    exec(text, scope)
    return scope


class File(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, "tuned.json")

    def scope(self, mode, path=None):
        held = knobs.autotuning.scope()
        held.__enter__()
        self.addCleanup(held.__exit__, None, None, None)
        knobs.autotuning.file, knobs.autotuning.mode = path or self.path, mode

    def process(self, *parts, **variables):
        file = os.path.join(self.folder, "kernels.py")
        with open(file, "w") as out:
            out.write(KERNEL)
        code = "\n".join(("import sys", f"sys.path.insert(0, {self.folder!r})", *parts))
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables})

    def entries(self):
        with open(self.path) as file:
            return json.load(file)["entries"]

    def test_a_second_process_times_nothing(self):
        """It makes the first one's choice, whatever that is."""
        first = self.process("import kernels", "print(kernels.launch())", NESO_TUNED=self.path, NESO_TUNE="record")
        self.assertEqual(first.returncode, 0, first.stderr)
        for mode in ("measure", "never"):
            second = self.process(FORBID, "import kernels", "print(kernels.launch())", NESO_TUNED=self.path, NESO_TUNE=mode)
            self.assertEqual(second.stdout, first.stdout, second.stderr)
        (entry, ) = self.entries()
        self.assertEqual((entry["kernel"], entry["gpu"], entry["key"]), ("add_to", "cpu", "n=1000; x_ptr=fp32"))
        self.assertEqual(entry["tried"], 4)

    def command(self, *words, **variables):
        done = subprocess.run([os.path.join(BUILD, "neso"), *words], capture_output=True, text=True,
                              env={**os.environ, **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def cache(self, name):
        return {"TRITON_CACHE_DIR": os.path.join(self.folder, name), "NESO_TUNED": ""}

    def test_a_pack_has_choices(self):
        """A strict server of another machine measures nothing, and has no file of choices."""
        first = self.process("import kernels", "print(kernels.launch())", NESO_TUNE="record", **self.cache("here"))
        self.assertEqual(first.returncode, 0, first.stderr)
        pack = os.path.join(self.folder, "kernels.pack")
        self.command("cache", "pack", pack, **self.cache("here"))
        self.command("cache", "unpack", pack, **self.cache("there"))
        server = FORBID, "import kernels"
        for more in ({"NESO_TUNE": "never"}, {"NESO_TUNE": "record"}):
            second = self.process(*server, "print(kernels.launch())", **more, **self.cache("there"))
            self.assertEqual(second.stdout, first.stdout, second.stderr)
        # (The interpreter keeps no variants that strict launches could take.)
        strict = self.process(*server, "from neso.runtime import tuned", "kernels.add_to.fn._prepare()",
                              "place = tuned.key_of(kernels.add_to.fn, 'n=1000; x_ptr=fp32')",
                              "print(tuned.mode(), tuned.find(place, kernels.CONFIGS))", NESO_STRICT="1",
                              **self.cache("there"))
        self.assertEqual(strict.stdout, "never " + first.stdout, strict.stderr)
        nothing = self.process("import kernels", "kernels.launch()", NESO_TUNE="never", **self.cache("nowhere"))
        self.assertIn("is not tuned for n=1000", nothing.stderr)

    def test_choices_of_the_cache_are_a_file(self):
        """Exported, changed, put back; of two the faster stays, and one of another driver serves who may not measure."""
        done = self.process("import kernels", "kernels.launch()", NESO_TUNE="record", **self.cache("here"))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(self.command("cache", "choices", **self.cache("here")))
        entry = found["entries"][0]
        for microseconds, config, wanted in ((entry["us"] * 2, "BLOCK=32, num_warps=1, num_stages=1", entry["config"]),
                                             (entry["us"] / 2, "BLOCK=64, num_warps=2, num_stages=1", "BLOCK=64, num_warps=2, num_stages=1")):
            with open(self.path, "w") as file:
                json.dump({"neso-tuned": 1, "entries": [{**entry, "us": microseconds, "config": config}]}, file)
            self.command("cache", "choices", self.path, **self.cache("here"))
            (kept, ) = json.loads(self.command("cache", "choices", **self.cache("here")))["entries"]
            self.assertEqual(kept["config"], wanted)
        with open(self.path, "w") as file:
            json.dump({"neso-tuned": 1, "entries": [{**entry, "driver": "other"}]}, file)
        self.command("cache", "choices", self.path, **self.cache("other"))
        second = self.process(FORBID, "import kernels", "kernels.launch()", NESO_TUNE="never", **self.cache("other"))
        self.assertEqual(second.returncode, 0, second.stderr)

    def test_the_file_decides(self):
        """Another choice in the file is taken: nothing is measured behind its back."""
        self.scope("record")
        kernel()["launch"]()
        for config, wanted in (("BLOCK=16, num_warps=8, num_stages=3", {"BLOCK": 16}), ("num_warps=4, BLOCK=512", {"BLOCK": 512}),
                               ("BLOCK=128, num_warps=2", {"BLOCK": 128})):  # the last is what a search found
            with open(self.path) as file:
                found = json.load(file)
            found["entries"][0]["config"] = config
            with open(self.path, "w") as file:
                json.dump(found, file)
            knobs.autotuning.mode = "never"
            chosen = kernel()["launch"]()
            self.assertEqual(chosen.kwargs, wanted)
            self.assertEqual(chosen.num_warps, tuned.words_of(config)["num_warps"])

    def test_never_names_what_is_missing(self):
        self.scope("record")
        kernel()["launch"](1000)
        knobs.autotuning.mode = "never"
        with self.assertRaisesRegex(AutotunerError, r"add_to is not tuned for n=1001; x_ptr=fp32 on cpu .*tuned.json and the compile cache have no "
                                    r"choice for it, and NESO_TUNE=never.*NESO_TUNE=record adds it"):
            kernel()["launch"](1001)
        knobs.autotuning.file = None
        with self.assertRaisesRegex(AutotunerError, "cache has no choice for it, and NESO_TUNED names no file.*record adds it"):
            kernel()["launch"](1001)
        knobs.autotuning.file = self.path + ".not"
        with self.assertRaisesRegex(AutotunerError, "there is no file .*tuned.json.not, and the compile cache has none"):
            kernel()["launch"](1001)
        self.assertIsNotNone(kernel()["launch"](1000))  # the cache has it

    def test_where_nothing_may_be_compiled_nothing_is_measured(self):
        self.scope("record")
        kernel()["launch"](1000)
        knobs.autotuning.mode = "measure"
        with knobs.runtime.scope():
            knobs.runtime.strict = True
            with self.assertRaisesRegex(AutotunerError, "add_to is not tuned for n=1001.*NESO_STRICT lets nothing be measured"):
                kernel()["launch"](1001)

    def test_another_kernel_is_another_entry(self):
        self.scope("record")
        scope = kernel()
        scope["launch"]()
        before = self.entries()[0]["content"]
        kernel(KERNEL.replace("+ amount", "+ amount * 1.0"))["launch"]()
        knobs.autotuning.mode = "never"
        kernel("# a comment\n\n\n" + KERNEL)["launch"]()
        self.assertEqual(len({e["content"] for e in self.entries()} - {before}), 1)

    def test_a_file_that_is_not_there_is_told_once(self):
        self.scope("measure", self.path + ".missing")
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            kernel()["launch"](100)
            kernel()["launch"](101)
        self.assertEqual(sum("no file" in str(w.message) for w in seen), 1)
        self.assertFalse(os.path.exists(self.path + ".missing"))

    def test_a_broken_file_is_an_error(self):
        with open(self.path, "w") as file:
            file.write('{"neso-tuned": 1, "entries": [\n{"kernel": 3}]}')
        self.scope("measure")
        with self.assertRaisesRegex(Exception, r"tuned.json:2: no tuning results: '\"' is missing"):
            kernel()["launch"]()

    def test_processes_that_write_at_once(self):
        code = "import kernels\nfor n in range({0}, {0} + 5): kernels.launch(n)"
        file = os.path.join(self.folder, "kernels.py")
        with open(file, "w") as out:
            out.write(KERNEL)
        several = [subprocess.Popen([sys.executable, "-c", f"import sys; sys.path.insert(0, {self.folder!r})\n" + code.format(n)],
                                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NESO_TUNED": self.path,
                                         "NESO_TUNE": "record"}) for n in (100, 200, 300)]
        self.assertEqual([p.wait() for p in several], [0, 0, 0])
        self.assertEqual(len(self.entries()), 15)


class Texts(unittest.TestCase):

    def test_keys(self):
        class Tensor:
            dtype = type("dtype", (), {"__str__": lambda self: "torch.bfloat16"})()

        given = {"x": np.zeros(1, np.float16), "y": Tensor(), "M": 4096, "act": "relu", "flag": True}
        self.assertEqual(tuned.key_text(["M", "act", "flag", "other", "x"], given),
                         "M=4096, act='relu', flag=True; x=fp16, y=bf16")
        self.assertEqual(tuned.key_text([], {"M": 1}), "")

    def test_configs(self):
        config = triton.Config({"BLOCK": 64, "ACT": "relu"}, num_warps=8, num_stages=2, num_ctas=2, maxnreg=96)
        text = tuned.config_text(config)
        self.assertEqual(text, "BLOCK=64, ACT='relu', num_warps=8, num_stages=2, num_ctas=2, maxnreg=96")
        self.assertEqual(tuned.config_of(text, []), config)
        self.assertIs(tuned.config_of(text, [triton.Config({"BLOCK": 64}), config]), config)
        self.assertIsNone(tuned.config_of("os.system('x')", []))
        self.assertIsNone(tuned.config_of("BLOCK=__import__('os')", []))


class Race(unittest.TestCase):

    def test_the_best_by_a_clock_with_noise(self):
        random = np.random.default_rng(7)
        times = [1.2e-4, 1.0e-4, 1.05e-4, 9e-4]
        runs = [0] * 5

        def measure(i):
            runs[i] += 1
            return "it does not fit" if i == 4 else times[i] * (1 + 0.01 * random.standard_normal())

        found = tuned.race(5, measure)
        self.assertEqual(found.chosen, 1)
        self.assertEqual([row[0] for row in found.rows], ["slower", "chosen", "slower", "hopeless", "failed"])
        self.assertEqual(found.rows[4][1], "it does not fit")
        self.assertEqual((runs[4], found.timings[4]), (1, [float("inf")] * 3))
        self.assertLessEqual(runs[3], 3)
        self.assertTrue(found.settled)
        self.assertTrue(1.1 < found.rows[0][5] <= 1.2 <= found.rows[0][6] < 1.3)

    def test_a_budget_by_a_made_up_clock(self):
        clock = [0.0]

        def measure(i):
            clock[0] += 1
            return 1.0

        found = tuned.race(10, measure, now=lambda: clock[0], budget=25.0)
        self.assertTrue(found.out_of_time)
        self.assertLessEqual(clock[0], 26)

    def test_an_exception_ends_it(self):
        def measure(i):
            raise KeyError("what the kernel raised")

        with self.assertRaisesRegex(KeyError, "what the kernel raised"):
            tuned.race(2, measure)


if __name__ == "__main__":
    unittest.main()
