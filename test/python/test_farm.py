"""Compiling by executors: threads, processes, Dask's where it is installed."""

import os
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("NESO_QUIET", "1")
BUILD = os.path.abspath(os.environ.get("NESO_BUILD", os.path.join(os.path.dirname(__file__), "..", "..", "build", "release")))
FAKE = os.path.join(BUILD, "test", "fake", "libcuda.so.1")

KERNELS = """
import neso as triton
import neso.language as tl

@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, 1.0, mask=at < n)

@triton.jit
def broken(x, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK < 10, "too large")
    tl.store(x, 1.0)

@triton.autotune([triton.Config({"BLOCK": b}) for b in (64, 128, 256)], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, 2.0, mask=at < n)
"""
# What a program does, with `executor`; then what this process takes from the cache.
PROGRAM = """
import kernels, neso as triton
from neso.runtime import MockTensor
from neso.runtime.farm import compile_on

def main(executor):
    x = MockTensor("fp32")
    with compile_on(executor) as farm:
        for block in (64, 128, 128):
            kernels.fill.warmup(x, 100, BLOCK=block, grid=(1, ))
    assert farm.submitted == 2, farm.submitted
    try:
        with compile_on(executor):
            kernels.broken.warmup(x, BLOCK=64, grid=(1, ))
        raise AssertionError("nothing was raised")
    except RuntimeError as error:
        assert "broken: " in str(error) and "too large" in str(error), error
    print([kernels.fill.warmup(x, 100, BLOCK=block, grid=(1, )).cache for block in (64, 128, 256)])
"""
PROCESSES = """
if __name__ == "__main__":
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        main(executor)
"""
DASK = """
if __name__ == "__main__":
    from distributed import Client
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        main(client.get_executor())
"""


def lacks_ptxas():
    command = os.path.join(BUILD, "neso")
    return not os.path.exists(command) or "ptxas      none" in subprocess.run([command, "info"], capture_output=True, text=True).stdout


@unittest.skipUnless(os.path.exists(FAKE), "the fake driver was not built (cmocka)")
@unittest.skipIf(lacks_ptxas(), "there is no ptxas")
class Farm(unittest.TestCase):

    def run_program(self, text, python=sys.executable):
        with tempfile.TemporaryDirectory() as folder:
            for name, part in (("kernels.py", KERNELS), ("program.py", text)):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(part)
            done = subprocess.run([python, os.path.join(folder, "program.py")], capture_output=True, text=True, cwd=folder, env={
                **os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "TRITON_LIBCUDA_PATH": FAKE,
                "TRITON_CACHE_DIR": os.path.join(folder, "cache")})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip().splitlines()[-1]

    def test_processes(self):
        self.assertEqual(self.run_program(PROGRAM + PROCESSES), "['hit', 'hit', 'miss']")

    def test_dask(self):
        try:
            import distributed  # noqa: F401
        except ImportError:
            self.skipTest("Dask (distributed) is not installed")
        self.assertEqual(self.run_program(PROGRAM + DASK), "['hit', 'hit', 'miss']")

    def test_a_worker_that_dies(self):
        """It is an error of its kernel's, as others are; what else was submitted is waited for."""
        text = PROGRAM.partition("def main")[0] + """
import os
from concurrent.futures import Executor, Future, ThreadPoolExecutor

class Failing(Executor):
    def __init__(self):
        self.inner, self.count = ThreadPoolExecutor(1), 0

    def submit(self, function, *given):
        self.count += 1
        if self.count > 1:
            return self.inner.submit(function, *given)
        future = Future()
        future.set_exception(OSError("a worker was lost"))
        return future

x = MockTensor("fp32")
with compile_on(Failing(), ignore_errors=True) as farm:
    for block in (64, 128):
        kernels.fill.warmup(x, 100, BLOCK=block, grid=(1, ))
assert farm.errors == [("fill", "OSError: a worker was lost")], farm.errors
with open("k.variants", "w") as file:
    file.write("kernels.py:fill(x: *fp32, n: i32, BLOCK={32, 64, 128}) target=sm_80")
try:
    triton.compile_declared("k.variants", executor=Failing())
    raise AssertionError("nothing was raised")
except OSError as error:
    assert "a worker was lost" in str(error)
import subprocess, sys  # another process sees what lies in the cache
subprocess.run([sys.executable, "-c", "import neso; print([c for _, (c, _) in neso.compile_declared('k.variants')])"])
"""
        self.assertEqual(self.run_program(text), "['miss', 'hit', 'hit']")

    def test_configurations_of_a_tuned_kernel(self):
        """They are compiled by the executor, and measured here."""
        text = ("import kernels, neso\nfrom neso.runtime import farm\nfrom gpu_stub import Memory\n"
                "if __name__ == '__main__':\n"
                "    import multiprocessing\n    from concurrent.futures import ProcessPoolExecutor\n"
                "    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('spawn')) as executor, farm.tune_on(executor):\n"
                "        kernels.tuned[(1, )](Memory(), 100)\n"
                "    print(sorted(made.cache for made in kernels.tuned.fn._all_entries()))\n")
        text = text.replace("from gpu_stub import Memory\n",
                            "class Memory:\n    dtype, shape = 'float32', (100, )\n"
                            "    __cuda_array_interface__ = dict(data=(0x7000000, False), shape=(100, ), typestr='<f4', version=3)\n")
        self.assertEqual(self.run_program(text), "['hit', 'hit', 'hit']")

    def test_a_kernel_in_a_function(self):
        text = ("import neso as triton, neso.language as tl\nfrom concurrent.futures import ThreadPoolExecutor\n"
                "from neso.runtime import MockTensor\nfrom neso.runtime.farm import compile_on\n"
                "def make():\n    @triton.jit\n    def inner(x):\n        tl.store(x, 1.0)\n    return inner\n"
                "try:\n    with ThreadPoolExecutor(1) as executor, compile_on(executor):\n"
                "        make().warmup(MockTensor('fp32'), grid=(1, ))\nexcept RuntimeError as error:\n    print(error)\n")
        self.assertIn("kernels that are compiled elsewhere stand in a module", self.run_program(text))


if __name__ == "__main__":
    unittest.main()
