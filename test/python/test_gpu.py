"""Launches on a GPU's driver that is a fake (gpu_cases.py), and what happens without a driver: each in a process of its
own, as a process has one driver."""

import os
import subprocess
import sys
import tempfile
import unittest

import neso

BUILD = os.path.abspath(os.path.join(os.path.dirname(neso.__file__), "..", ".."))
FAKE = os.path.join(BUILD, "test", "fake", "libcuda.so.1")
HERE = os.path.dirname(os.path.abspath(__file__))

COMPILES = """
import neso, neso.language as tl
@neso.jit
def f(x): tl.store(x, 1.0)
source = neso.compiler.ASTSource(f, {"x": "*fp32"})
neso.compile(source, target=neso.backends.compiler.GPUTarget("cuda", 80, 32)).asm["cubin"]
"""

NO_DRIVER = """
import numpy, neso, neso.language as tl
class Array:
    is_cuda, dtype, shape = True, "float32", (4, )
    def __init__(self): self.at = numpy.zeros(4, numpy.float32)
    def data_ptr(self): return 16
    def cpu(self): return Host(self.at.copy())
    def copy_(self, other): self.at[:] = other.at
class Host(Array):
    is_cuda = False
    def __init__(self, at): self.at = at
    def data_ptr(self): return self.at.ctypes.data
    def stride(self): return (1, )
    def element_size(self): return 4
@neso.jit
def f(x): tl.store(x + tl.arange(0, 4), tl.arange(0, 4) * 2.0)
array = Array()
f[(1, )](array)
f[(1, )](array)
assert list(array.at) == [0, 2, 4, 6], array.at
print(neso.runtime.driver.active.get_current_target().backend)
"""


FORGETS = """
import neso, neso.language as tl
class Device: type, index = "cuda", 0
class Array:
    is_cuda, dtype, device = True, "float32", Device()
    def data_ptr(self): return 0x10000
@neso.jit
def f(x, TAG: tl.constexpr): tl.store(x + tl.arange(0, 16), 1.0)
kept = f[(1, )](Array(), TAG=0)
for round in range(3):
    for tag in range(60):
        f[(1, )](Array(), TAG=tag)
        assert len(f._entries()) <= 16, len(f._entries())
    neso.knobs.runtime.strict = True
assert "TAG=0" in kept._key() and kept.asm["cubin"]
again = f[(1, )](Array(), TAG=59)
assert again is f[(1, )](Array(), TAG=59) and again.cache == "hit", again.cache
try:
    f[(1, )](Array(), TAG=60)
    assert False
except neso.CompileMissError: pass
"""


def run(*arguments, **environment):
    words = dict(os.environ, **environment)
    words.pop("TRITON_INTERPRET", None)
    return subprocess.run([sys.executable, *arguments], env=words, cwd=HERE, capture_output=True, text=True)


class Gpu(unittest.TestCase):

    def needs(self):
        """The fake driver, and what makes code."""
        if not os.path.exists(FAKE):
            self.skipTest("the fake driver was not built")
        compiles = run("-c", "import linecache\ntext = %r\nexec(text)" % COMPILES)
        if compiles.returncode:
            if "ptxas" in compiles.stderr or "libneso-codegen" in compiles.stderr:
                self.skipTest("GPU code cannot be made here: " + compiles.stderr.strip().splitlines()[-1])
            self.fail(compiles.stderr)

    def test_forgets(self):
        """What a process remembers of variants is bounded; what was forgotten comes from the cache."""
        self.needs()
        with tempfile.TemporaryDirectory() as folder:
            done = run("-c", "text = %r\nexec(text)" % FORGETS,
                       TRITON_LIBCUDA_PATH=FAKE, NESO_MAX_VARIANTS="16", NESO_MAX_MODULES="4",
                       TRITON_CACHE_DIR=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_cases(self):
        self.needs()
        done = run("-m", "unittest", "-q", "gpu_cases", TRITON_LIBCUDA_PATH=FAKE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_no_driver(self):
        """One sentence, and the interpreter."""
        done = run("-c", "text = %r\nexec(text)" % NO_DRIVER, TRITON_LIBCUDA_PATH="/nowhere/libcuda.so.1", NESO_QUIET="")
        self.assertEqual((done.returncode, done.stdout.split()), (0, ["cpu"]), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("no NVIDIA driver", done.stderr)


if __name__ == "__main__":
    unittest.main()
