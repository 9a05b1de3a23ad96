"""What the command compiles serves Python: the keys of both agree, so that a pack that it made is all that a strict
process needs, whatever decorates its kernels, is left to defaults, or is read by them."""

import os
import subprocess
import sys
import tempfile
import unittest

import neso

BUILD = os.path.abspath(os.path.join(os.path.dirname(neso.__file__), "..", ".."))
FAKE = os.path.join(BUILD, "test", "fake", "libcuda.so.1")
HERE = os.path.dirname(os.path.abspath(__file__))

KERNELS = '''
import triton
import triton.language as tl
from triton import jit

SCALE = tl.constexpr(2)
LIMIT = tl.constexpr(7)
NAME = "x"


@triton.jit
def helper(x, factor, extra: tl.constexpr = 3):
    return x * factor + LIMIT + extra


@triton.jit
def plain(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, helper(tl.load(x_ptr + at, mask=at < n), SCALE), mask=at < n)


@jit
def defaults(x_ptr, n, bias_ptr=None, eps: tl.constexpr = 1e-5, MODE: tl.constexpr = "a", TYPE: tl.constexpr = tl.float32,
             FLAG: tl.constexpr = True, BLOCK: tl.constexpr = 64):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n).to(TYPE)
    if MODE == "a" and FLAG and bias_ptr is None:
        x = tl.sqrt(x + eps)
    tl.store(x_ptr + at, x, mask=at < n)


@triton.jit(do_not_specialize=["n"], noinline=False, debug=False)
def options(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + tl.cdiv(n, 2), mask=at < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 128}, num_warps=8)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % 128 == 0})
@triton.jit
def tuned(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x_ptr + at, tl.load(x_ptr + at) + 1)
    else:
        tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)
'''

LISTED = '''{folder}/kernels.py:plain -s "*fp32:*, i32:*, {{64, 128}}"
{folder}/kernels.py:defaults -s "*fp32:16, i32"
{folder}/kernels.py:options -s "*fp32:16, i32, 64"
{folder}/kernels.py:tuned -s "*fp32:16, {{i32, i32:16}}, 128, {{True, False}}" --num-warps 8
'''

PROGRAM = '''
import sys
sys.path[:0] = [{here!r}, {folder!r}]
import gpu_cases
import neso
sys.modules["triton"], sys.modules["triton.language"] = neso, neso.language
import kernels
x, y = gpu_cases.Exchanged(0x1000), gpu_cases.Exchanged(0x1004)
made = []
for block in (64, 128):
    for array in (x, y):
        for n in (1, 7, 16, 1000):
            made.append(kernels.plain[(1, )](array, n, BLOCK=block))
made.append(kernels.defaults[(1, )](x, 7))
made.append(kernels.defaults[(1, )](x, 7, None, MODE="a", eps=1e-5))
made.append(kernels.options[(1, )](x, 16, 64))
for n in (7, 128):
    made.append(kernels.tuned[(1, )](x, n))
print({{compiled.cache for compiled in made}}, gpu_cases.fake.launches)
try:
    kernels.plain[(1, )](x, 7, BLOCK=32)
except neso.CompileMissError:
    print("refused")
'''


def run(*words, **environment):
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, **environment})


class Packs(unittest.TestCase):

    def test_pack_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("kernels.py", KERNELS), ("list.txt", LISTED.format(folder=folder)),
                               ("program.py", PROGRAM.format(here=HERE, folder=folder))):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            pack, ahead, empty = (os.path.join(folder, name) for name in ("all.pack", "ahead", "empty"))
            command = os.path.join(BUILD, "neso")
            made = run(command, "compile", "--list", os.path.join(folder, "list.txt"), "--target", "sm_90a",
                       TRITON_CACHE_DIR=ahead)
            if made.returncode and ("libneso-codegen" in made.stderr or "ptxas" in made.stderr):
                self.skipTest(made.stderr.splitlines()[0])
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            for words, cache in ((("pack", pack), ahead), (("unpack", pack), empty)):
                done = run(command, "cache", *words, TRITON_CACHE_DIR=cache)
                self.assertEqual(done.returncode, 0, done.stderr)
            served = run(sys.executable, os.path.join(folder, "program.py"), TRITON_CACHE_DIR=empty, NESO_STRICT="1",
                         TRITON_LIBCUDA_PATH=FAKE, PYTHONPATH=os.path.dirname(os.path.dirname(neso.__file__)))
            self.assertEqual((served.returncode, served.stdout.split("\n")[:2]), (0, ["{'hit'} 21", "refused"]),
                             served.stdout + served.stderr)


if __name__ == "__main__":
    unittest.main()
