"""Declared variants from Python: recorded, compiled ahead, warmed, and held to; rules for single arguments."""

import concurrent.futures
import os
import pickle
import random
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import neso as triton
import neso.language as tl
from neso.runtime import declare as declared

HERE = os.path.abspath(__file__)


@triton.jit
def add(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr, SHIFT: tl.constexpr = 1):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i * stride, tl.load(x_ptr + i, mask=i < n) + SHIFT, mask=i < n)


@triton.jit(specialize={"n": "never_one, div8", "one": "always_one"})
def own(x_ptr: "div8", n, wide: "i64, unaligned", one):
    tl.store(x_ptr, n + wide + one)


@triton.jit
def late(x_ptr, n):
    tl.store(x_ptr, n)


@triton.jit(strict=True)
def shut(x_ptr, n):
    tl.store(x_ptr, n)


def memory(count=64, at=0):
    whole = np.zeros(count + 32, np.float32)
    at += (-whole.ctypes.data // 4) % 16
    return whole[at:at + count]


class Declared(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "k.variants")
        self.addCleanup(self.folder.cleanup)

    def write(self, *lines):
        with open(self.file, "w") as file:
            file.write("\n".join(lines) + "\n")
        return self.file

    def variants(self, kernel):
        found = [k for k in triton.explain("data") if k["kernel"] == kernel and k["path"] == HERE]
        return sorted(v["key"] for k in found for v in k["variants"])

    def test_strict(self):
        """All alignments and being 1 of what is declared; then what is not."""
        self.write(f"{HERE}:add(x_ptr: *fp32:*, y_ptr: *fp32:*, n: i32:*, stride: i32:*, BLOCK: {{2, 4}})")
        before = len(self.variants("add"))
        warmed = triton.warm(self.file)
        self.assertEqual(warmed.variants, 72)
        after = len(self.variants("add"))
        self.assertGreaterEqual(after, before)
        draw = random.Random(1)
        hooked = []
        triton.knobs.runtime.jit_cache_hook = lambda **k: hooked.append(k["repr"])
        os.environ["NESO_STRICT"] = "1"
        try:
            for _ in range(2000):
                x, y = memory(at=draw.randrange(8)), memory(at=draw.randrange(8))
                n, stride = draw.choice((1, 0, 2, 3)), draw.choice((1, 0, 2, 16))
                add[(1, )](x, y, n, stride, BLOCK=draw.choice((2, 4)))
            self.assertEqual((len(self.variants("add")), hooked), (after, []))
            with self.assertRaises(triton.CompileMissError) as caught:
                add[(1, )](memory(), memory(), 2, 1, BLOCK=8)
            self.assertIn("BLOCK: ", str(caught.exception))
            self.assertIn("before, now 8", str(caught.exception))
            self.assertIn("add(x_ptr: *fp32:16, y_ptr: *fp32:16, n: i32, stride=1, BLOCK=", caught.exception.nearest)
            line = caught.exception.declaration
            self.assertEqual(line, f"{HERE}:add(x_ptr: *fp32:16, y_ptr: *fp32:16, n: i32, stride=1, BLOCK=8, SHIFT=1)")
            triton.warm(self.write(line))
            add[(1, )](memory(), memory(), 2, 1, BLOCK=8)
        finally:
            del os.environ["NESO_STRICT"]
            triton.knobs.runtime.jit_cache_hook = None

    def test_strict_levels(self):
        with self.assertRaises(triton.CompileMissError):
            shut[(1, )](memory(), 5)
        shut[(1, )](memory(), 5, neso_strict=False)
        shut[(1, )](memory(), 7)
        with self.assertRaises(triton.CompileMissError):
            shut[(1, )](memory(), 16)
        shut.warmup(memory(), 16, grid=(1, ))
        shut[(1, )](memory(), 16)
        with self.assertRaises(triton.CompileMissError):
            late[(1, )](memory(), 1, neso_strict=True)
        with triton.knobs.runtime.scope():
            triton.knobs.runtime.strict = True
            with self.assertRaises(triton.CompileMissError):
                late[(1, )](memory(), 1)

    def test_record(self):
        triton.record(self.file)
        self.addCleanup(triton.record, None)
        for block in (16, 32, 16):
            add[(1, )](memory(), memory(), 16, 1, BLOCK=block)
        program = (f"import sys; sys.path.insert(0, {os.path.dirname(HERE)!r}); from test_declare import *; "
                   f"add[(1,)](memory(at=1), memory(), 5, 1, BLOCK=16)")
        subprocess.run([sys.executable, "-c", program], check=True, env=dict(os.environ, NESO_RECORD=self.file))
        with open(self.file) as file:
            lines = file.read().splitlines()
        self.assertIn(f"{HERE}:add(x_ptr: *fp32:16, y_ptr: *fp32:16, n: i32:16, stride=1, BLOCK=32, SHIFT=1)", lines)
        self.assertIn(f"{HERE}:add(x_ptr: *fp32, y_ptr: *fp32:16, n: i32, stride=1, BLOCK=16, SHIFT=1)", lines)
        self.assertEqual(len(lines), len(set(lines)))

    def test_jobs(self):
        """Parts are disjoint and complete, whichever executor compiles them, under the keys that launches ask for."""
        self.write(f"{HERE}:add(x_ptr: *fp32:*, y_ptr: *fp32:16, n: i32:*, stride=1, BLOCK: {{16, 32}}) num_warps={{2, 4}}",
                   f"{HERE}:add(x_ptr: *fp32:16, y_ptr: *fp32:16, n: i32, stride=1, BLOCK=16)")
        jobs = declared.jobs(self.file, targets=["interp"])
        self.assertEqual(len(jobs), 25)
        parts = [repr(j) for i in range(1, 5) for j in declared.jobs(self.file, targets=["interp"], shard=(i, 4))]
        self.assertEqual(sorted(parts), sorted(map(repr, jobs)))
        self.assertEqual(len(set(parts)), 25)
        self.assertEqual(repr(pickle.loads(pickle.dumps(jobs[3]))), repr(jobs[3]))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = triton.compile_declared(self.file, pool, ["interp"], shard=(2, 4))
        self.assertEqual(done, [(job, ("off", None)) for job, _ in done])
        self.assertEqual(len(done), 6)
        with self.assertRaisesRegex(ValueError, "has no kernel 'nothing'"):
            declared.jobs(self.write(f"{HERE}:nothing(x: i32)"))

    def test_many(self):
        self.write(f"{HERE}:add(x_ptr: *fp32:*, y_ptr: *fp32:16, n: i32:*, stride=1, BLOCK=16)")
        with self.assertRaisesRegex(Exception, "no more than 3 are enumerated: 'n' multiplies them by 3"):
            declared.jobs(self.file, most=3)

    def test_same_key(self):
        """What a job compiles is what a launch finds."""
        if declared._native.info("ptxas").startswith("none"):
            self.skipTest("no ptxas")
        self.write(f"{HERE}:add(x_ptr: *fp32:16, y_ptr: *fp32:16, n: i32:16, stride=1, BLOCK=64) target=sm_80",
                   f"{HERE}:own(x_ptr: *fp32:8, n: i32:8, wide: i64, one=1) target=sm_80")
        program = (f"import neso; print(*(key for _, (_, key) in neso.compile_declared({self.file!r})))")
        said = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True)
        keys = said.stdout.split()
        made = add.warmup(memory(), memory(), 64, 1, BLOCK=64, grid=(1, ), neso_target="sm_80")
        self.assertEqual((made.cache, made.cache_key), ("hit", keys[0]))
        self.assertEqual(own.warmup(memory(at=2), 8, 16, 1, grid=(1, ), neso_target="sm_80").cache_key, keys[1])

    def test_code(self):
        line = triton.declare(add, {"x_ptr": ["*fp32", "*fp16:16"], "y_ptr": "*fp32", "n": range(2, 5), "stride": 1, "BLOCK": [2, 4]},
                              num_warps=[4, 8], debug=True)
        self.assertEqual(len(line.variants()), 8)
        self.assertIn(":add(x_ptr: {*fp32, *fp16:16}, y_ptr: *fp32, n: {2, 3, 4}, stride: 1, BLOCK: {2, 4}) num_warps={4, 8} debug",
                      str(line))
        declared._declared.remove(line)
        with self.assertRaisesRegex(Exception, "add has no parameter 'z'"):
            triton.declare(add, "z: *fp32")

    def test_rules(self):
        x = memory()
        for at, n, key in ((0, 1, "*fp32:16, n: i32"), (2, 24, "*fp32:8, n: i32:8"), (1, 32, "*fp32, n: i32:16"), (2, 7, "*fp32:8, n: i32"),
                           (2, 24, "*fp32:8, n: i32:8"), (0, 1, "*fp32:16, n: i32")):
            made = own[(1, )](x[at:], n, 16, 1)
            self.assertEqual(made._key(), f"own(x_ptr: {key}, wide: i64, one=1)")
            self.assertEqual(x[at], n + 17)
        with self.assertRaisesRegex(TypeError, "parameter 'one' is always 1, but is given 2"):
            own[(1, )](x, 1, 16, 2)

        @triton.jit
        def outside(x_ptr, n):
            tl.store(x_ptr, n)

        triton.control(outside, n="never_one, i64, unaligned")
        for n in (1, 2, 1 << 40):
            self.assertEqual(outside[(1, )](x, n)._key(), "outside(x_ptr: *fp32:16, n: i64)")
        with self.assertRaisesRegex(ValueError, "has been compiled"):
            triton.control(outside, n="div8")
        with self.assertRaisesRegex(ValueError, "names 'm', which is no parameter"):
            triton.jit(specialize={"m": "div8"})(late.fn)

    def test_control_lines(self):

        @triton.jit
        def ruled(x_ptr, n, m):
            tl.store(x_ptr, n + m)

        name = ruled.fn.__qualname__.replace("<locals>.", "")
        self.write(f"{HERE}:{name}(x_ptr: *fp32:16, n: i32:*, m: i32:*)",
                   f"control {HERE}:{name}(n: never_one, unaligned, m: i64)")
        self.assertEqual(triton.warm(self.file).variants, 2)
        x = memory()
        for n in (1, 5, 16):
            ruled[(1, )](x, n, 3, neso_strict=True)

    def test_explain(self):
        late[(1, )](memory(), 3)
        self.assertIn("late  " + HERE, triton.explain())
        self.assertIn('neso_variants{kernel="late",path="', triton.explain("prometheus"))

    def test_explain_factory(self):
        """What has the same labels is one sample: Prometheus takes no two."""
        def factory(value):

            @triton.jit(constexpr_policy="tiered")
            def made(x_ptr, START: tl.constexpr, B: tl.constexpr):
                tl.store(x_ptr + START + tl.arange(0, B), value)

            return made

        kernels = [factory(tl.constexpr(value)) for value in range(3)]
        for kernel in kernels:
            for start in range(4):
                kernel[(1, )](memory(), START=start, B=4)
        lines = [line for line in triton.explain("prometheus").splitlines() if 'made"' in line]
        names = [line.rpartition(" ")[0] for line in lines]
        self.assertEqual(len(set(names)), len(names), "\n".join(names))
        self.assertIn(f'neso_launches_total{{kernel="made",path="{HERE}"}} 12', lines)
        self.assertIn(f'neso_variants{{kernel="made",path="{HERE}"}} 3', lines)
        self.assertIn(f'neso_forgotten_total{{kernel="made",path="{HERE}"}} 0', lines)
        self.assertIn(f'neso_tier_values{{kernel="made",path="{HERE}",state="special"}} 0', lines)
        self.assertIn(f'neso_tier_compiled_total{{kernel="made",path="{HERE}"}} 0', lines)

    def in_process(self, text, **environment):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_settings_that_cannot_be(self):
        """A Python process is told once, its forked children not again."""
        nowhere = os.path.join(self.folder.name, "nowhere", "file")
        text = """
import os, neso
neso._native.info("threads")
pid = os.fork()
neso._native.info("threads")
pid and os.waitpid(pid, 0)
"""
        done = self.in_process(text, NESO_EXPLAIN=nowhere, NESO_TRACE=nowhere, NESO_RECORD=nowhere, NESO_THREADS="many")
        self.assertEqual(done.stderr.count("NESO_EXPLAIN: nobody can ask at " + nowhere), 1, done.stderr)
        self.assertEqual(done.stderr.count("NESO_TRACE: nothing is traced to " + nowhere), 1, done.stderr)
        self.assertEqual(done.stderr.count("launches are not recorded to " + nowhere), 1, done.stderr)
        self.assertEqual(done.stderr.count("NESO_THREADS is 'many'"), 1, done.stderr)

    def test_socket_goes_with_the_process(self):
        path = os.path.join(self.folder.name, "socket")
        text = f"""
import os, neso
neso._native.info("threads")
assert os.path.exists({path!r})
pid = os.fork()
if pid:
    assert os.waitpid(pid, 0)[1] == 0
    assert os.path.exists({path!r})
"""
        self.in_process(text, NESO_EXPLAIN=path)
        self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    unittest.main()
