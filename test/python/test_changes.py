"""What a kernel reads and a program changes: between two launches in one process, and between two processes that share a cache."""
import functools
import importlib
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.runtime import callables  # noqa: E402

MODULE = '''
import neso as triton
import neso.language as tl

K = tl.constexpr(2.0)
N = 4.0


@triton.jit
def f(v):
    return v * 2.0


@triton.jit
def g(v):
    return v * 3.0


@triton.jit
def inner(v):
    return v * 5.0


@triton.jit
def outer(v):
    return inner(v)


def host(x):
    return x * N


class P:
    X = tl.constexpr(2.0)
'''

_folder = tempfile.TemporaryDirectory()
with open(os.path.join(_folder.name, "changes_module.py"), "w") as _file:
    _file.write(MODULE)
sys.path.insert(0, _folder.name)
import changes_module as module  # noqa: E402

ACT = module.f
EXP = tl.exp
D = 2.0


@triton.jit
def scaled(v, a=D):
    return v * a


D = 6.0
ITEMS = [2.0]
FUNCTIONS = {"f": module.f}
FIXED = 2.0
SPECIAL = None


def item(i):
    return ITEMS[i]


@triton.constexpr_function
def chosen(name):
    return FUNCTIONS[name]


@triton.constexpr_function
def fixed(x):
    return x * FIXED


def twice(x, y=2.0):
    return x * y


def thrice(x, y=2.0):
    return x * y + x


class Config:
    pass


@tl.core._aggregate
class Pair:
    v: tl.tensor
    S = 2.0

    @triton.constexpr_function
    def __init__(self, v):
        self.v = v

    @triton.jit
    def go(self):
        return self.v * 2.0


@triton.jit
def other_go(self):
    return self.v * 4.0


def launch(kernel, *constants):
    x = np.ones(4, np.float32)
    kernel[(1, )](x, 4, *constants)
    return float(x[0])


class InOneProcess(unittest.TestCase):

    def setUp(self):
        importlib.reload(module)
        self.addCleanup(setattr, sys.modules[__name__], "ACT", ACT)

    def check(self, kernel, before, change, after):
        self.assertEqual(launch(kernel), before)
        self.assertEqual(launch(kernel), before)
        change()
        self.assertEqual(launch(kernel), after)

    def test_a_global_that_is_a_function(self):

        @triton.jit
        def kernel(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, ACT(tl.load(p + i)))

        def change():
            global ACT
            ACT = module.g
        self.check(kernel, 2.0, change, 3.0)

    def test_a_function_of_a_module(self):

        @triton.jit
        def kernel(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, module.f(tl.load(p + i)))
        self.check(kernel, 2.0, lambda: setattr(module, "f", module.g), 3.0)
        self.check(kernel, 3.0, lambda: importlib.reload(module), 2.0)

    def test_imports_in_the_kernel(self):

        @triton.jit
        def kernel(p, n: tl.constexpr):
            from changes_module import K as scale, f
            import changes_module as whole
            i = tl.arange(0, n)
            tl.store(p + i, whole.outer(f(tl.load(p + i)) * scale))
        self.check(kernel, 20.0, lambda: setattr(module, "K", tl.constexpr(3.0)), 30.0)
        self.check(kernel, 30.0, lambda: setattr(module, "f", module.g), 45.0)
        self.check(kernel, 45.0, lambda: setattr(module, "outer", module.g), 27.0)

    def test_an_import_in_the_kernel_of_a_part_of_a_package(self):
        for name in ("changes_package", "changes_package.part"):
            sys.modules[name] = types.ModuleType(name)
            self.addCleanup(sys.modules.pop, name)
        sys.modules["changes_package"].part = part = sys.modules["changes_package.part"]
        part.f, part.K = module.f, tl.constexpr(5.0)

        @triton.jit
        def kernel(p, n: tl.constexpr):
            import changes_package.part
            from changes_package import part as other
            i = tl.arange(0, n)
            tl.store(p + i, changes_package.part.f(tl.load(p + i)) * other.K)
        self.check(kernel, 10.0, lambda: setattr(part, "f", module.g), 15.0)

    def test_a_function_that_a_helper_calls(self):

        @triton.jit
        def kernel(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, module.outer(tl.load(p + i)))
        self.check(kernel, 5.0, lambda: setattr(module, "inner", module.g), 3.0)

    def test_an_argument_that_is_a_function(self):

        @triton.jit
        def kernel(p, n: tl.constexpr, F: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, F(tl.load(p + i)))
        self.assertEqual([launch(kernel, f) for f in (module.f, module.g, module.outer)], [2.0, 3.0, 5.0])
        module.inner = module.g
        self.assertEqual(launch(kernel, module.outer), 3.0)

    def test_attributes(self):

        @triton.jit
        def of_module(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, tl.load(p + i) * module.K)

        @triton.jit
        def of_class(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, tl.load(p + i) * module.P.X)
        self.check(of_module, 2.0, lambda: setattr(module, "K", tl.constexpr(7.0)), 7.0)
        self.check(of_class, 2.0, lambda: setattr(module.P, "X", tl.constexpr(9.0)), 9.0)

    def test_members_of_an_aggregate(self):

        @triton.jit
        def method(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, Pair(tl.load(p + i)).go())

        @triton.jit
        def member(p, n: tl.constexpr):
            i = tl.arange(0, n)
            a = Pair(tl.load(p + i))
            tl.store(p + i, a.v * a.S)
        go = Pair.go
        self.addCleanup(setattr, Pair, "go", go)
        self.addCleanup(setattr, Pair, "S", 2.0)
        self.check(method, 2.0, lambda: setattr(Pair, "go", other_go), 4.0)
        self.check(member, 2.0, lambda: setattr(Pair, "S", 8.0), 8.0)

    def test_functions_of_the_host(self):

        @triton.jit
        def reads_global(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, tl.load(p + i) * module.host(2.0))

        @triton.jit
        def reads_list(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, tl.load(p + i) * item(0))

        @triton.jit
        def calls(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, tl.load(p + i) * twice(1.0))
        self.addCleanup(ITEMS.__setitem__, 0, 2.0)
        self.check(reads_global, 8.0, lambda: setattr(module, "N", 5.0), 10.0)
        self.check(reads_list, 2.0, lambda: ITEMS.__setitem__(0, 3.0), 3.0)
        self.check(calls, 2.0, lambda: setattr(twice, "__defaults__", (5.0, )), 5.0)
        self.check(calls, 5.0, lambda: setattr(twice, "__code__", thrice.__code__), 6.0)

    def test_closures(self):

        def make():
            c = tl.constexpr(2.0)

            @triton.jit
            def kernel(p, n: tl.constexpr):
                i = tl.arange(0, n)
                tl.store(p + i, tl.load(p + i) * c)

            def change():
                nonlocal c
                c = tl.constexpr(3.0)
            return kernel, change
        kernel, change = make()
        self.check(kernel, 2.0, change, 3.0)

    def test_a_comment_left_of_its_function(self):

        @triton.jit
        def kernel(p, n: tl.constexpr):
            i = tl.arange(0, n)
# in column 0
            tl.store(p + i, tl.load(p + i) * 2.0)
        self.assertEqual(launch(kernel), 2.0)

    def test_a_name_of_the_language(self):

        @triton.jit
        def kernel(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, EXP(tl.load(p + i) - 1.0) + 1.0)

        def change():
            global EXP
            EXP = tl.sin
        self.check(kernel, 2.0, change, 1.0)

    def test_defaults_are_those_of_the_definition(self):

        @triton.jit
        def kernel(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, scaled(tl.load(p + i)))
        self.assertEqual(launch(kernel), 2.0)

    def test_what_is_not_to_change(self):

        @triton.jit
        def of_function(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, tl.load(p + i) * fixed(3.0))

        @triton.jit
        def of_dict(p, n: tl.constexpr):
            i = tl.arange(0, n)
            tl.store(p + i, chosen("f")(tl.load(p + i)))
        global FIXED
        self.assertEqual((launch(of_function), launch(of_dict)), (6.0, 2.0))
        FIXED = 3.0
        FUNCTIONS["f"] = module.g
        for kernel, name in ((of_function, "FIXED"), (of_dict, "FUNCTIONS")):
            with self.assertRaisesRegex(RuntimeError, f"Global variable {name} has changed"):
                launch(kernel)
        FIXED = 2.0

    def kernels_of_special(self):
        """Anew, as what they have read is noted once."""

        @triton.jit
        def special():
            return SPECIAL

        @triton.jit
        def stored(p, n: tl.constexpr):
            tl.store(p + tl.arange(0, n), SPECIAL)

        @triton.jit
        def through_another(p, n: tl.constexpr):
            tl.store(p + tl.arange(0, n), SPECIAL + special())

        @triton.jit
        def item(p, n: tl.constexpr):
            tl.store(p + tl.arange(0, n), SPECIAL[1])
        return (stored, through_another), (item, )

    def test_equal_is_not_the_same(self):
        """1, True and 1.0 are three values, 0.0 and -0.0 two."""
        global SPECIAL
        for value, others in ((1, (True, 1.0)), (0.0, (-0.0, 0)), ((2, 0.0), ((2, -0.0), (2.0, 0.0))),
                              ({1: 2}, ({1: 2.0}, {1: 2, 3: 4}))):
            SPECIAL = tl.constexpr(value)
            for kernel in self.kernels_of_special()[isinstance(value, (tuple, dict))]:
                SPECIAL = tl.constexpr(value)
                first = launch(kernel)
                for other in others:
                    SPECIAL = tl.constexpr(other)
                    with self.assertRaisesRegex(RuntimeError, "Global variable SPECIAL has changed"):
                        launch(kernel)
                SPECIAL = tl.constexpr(value)
                self.assertEqual(launch(kernel), first)

    def test_functions_agree_on_a_global(self):
        """What an inner function read and what the kernel reads are compared alike."""
        for a, b in ((1, True), (0.0, -0.0), ((1, ), (1.0, )), ({1: 2}, {1: 2.0}), ({1: 2}, {1: 2, 3: 4})):
            self.assertFalse(callables._same(a, b))
            self.assertTrue(callables._same(a, a))
        self.assertTrue(callables._same({1: float("nan")}, {1: float("nan")}))

    def test_not_a_number_is_itself(self):
        global SPECIAL
        for value in (float("nan"), (1, float("nan"))):
            SPECIAL = tl.constexpr(value)
            for kernel in self.kernels_of_special()[isinstance(value, tuple)]:
                for _ in range(2):
                    self.assertTrue(np.isnan(launch(kernel)))
                    SPECIAL = tl.constexpr(value)


PROGRAM = '''
import enum, functools, json, os, sys
from typing import NamedTuple
import neso as triton
import neso.language as tl
import relu, gelu, deep

ACT = relu.act
A = tl.constexpr(2.0)
NAME = tl.constexpr("_neso1")


@triton.jit
def scaled(v, a=A):
    return v * a


A = tl.constexpr(50.0)


def make(c):
    @triton.jit
    def f(v):
        return v * c
    return f


F = make(tl.constexpr(3.0))
G = make(tl.constexpr(4.0))
LATE = tl.constexpr(5.0)
FLAG = tl.constexpr(False)


class Mode(enum.Enum):
    ONE = 6.0
    TWO = 7.0


class Sizes(NamedTuple):
    a: float
    b: float = 8.0


SIZES = Sizes(9.0)
MODE = Mode.ONE


@triton.constexpr_function
def digit(s):
    return float(s[-1]) + SIZES.a + SIZES.b


@triton.jit
def kernel(p, B: tl.constexpr, H: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(p + i)
    v = ACT(v) + relu.act(v) * gelu.act(v) + scaled(v) + F(v) * G(v) * LATE
    LATE = 1.0
    if FLAG:
        MODE = 3.0
    v += digit(NAME) + MODE.value + deep.chain(v)
    tl.store(p + i, H(v))


def main():
    return 1


made = kernel.warmup(neso_pointer, 64, gelu.act, grid=(1, ), neso_target="sm_80")
print(json.dumps([made.cache, made.asm["ptx"]]))
'''
FILES = {
    "program.py": PROGRAM.replace("neso_pointer", "triton.compiler.compiler._Pointer('fp32', True)"),
    "relu.py": "import neso as triton\n@triton.jit\ndef act(v):\n    return v * 11.0\n",
    "gelu.py": "import neso as triton\n@triton.jit\ndef act(v):\n    return v * 12.0\n",
    "deep.py": "from deeper import *\n",
    "deeper.py": "import neso as triton\nfrom deepest import K\ndef plus(x):\n    return x + K\n@triton.jit\ndef chain(v):\n    return v * plus(1.0)\n",
    "deepest.py": "K = 13.0\n",
}
CHANGES = [
    ("program.py", "ACT = relu", "ACT = gelu"), ("program.py", "64, gelu.act", "64, relu.act"),
    ("program.py", "A = tl.constexpr(2.0)", "A = tl.constexpr(22.0)"), ("program.py", "F = make(tl.constexpr(3.0))", "F = make(tl.constexpr(33.0))"),
    ("program.py", "G = make(tl.constexpr(4.0))", "G = make(tl.constexpr(3.0))"), ("program.py", "LATE = tl.constexpr(5.0)", "LATE = tl.constexpr(55.0)"),
    ("program.py", "_neso1", "_neso2"), ("program.py", "MODE = Mode.ONE", "MODE = Mode.TWO"), ("program.py", "ONE = 6.0", "ONE = 66.0"),
    ("program.py", "b: float = 8.0", "b: float = 88.0"), ("program.py", "Sizes(9.0)", "Sizes(99.0)"), ("relu.py", "11.0", "111.0"),
    ("gelu.py", "12.0", "112.0"), ("deepest.py", "13.0", "113.0"), ("deeper.py", "x + K", "x - K"),
]
SAME = [
    ("program.py", "return 1\n", "return 2\n"), ("program.py", "import enum", "# a comment\n\nimport enum"), ("relu.py", "@triton", "# other\n@triton"),
    ("deepest.py", "K = 13.0", "UNUSED = 1\nK = 13.0"), ("program.py", "tl.constexpr(50.0)", "tl.constexpr(51.0)"),
]


function_of_tl = tl.exp


@triton.jit
def by_its_name(p):
    tl.store(p, function_of_tl(tl.load(p)))


class WithoutACompilation(unittest.TestCase):
    """A name of the language means something else before anything was compiled: a hook did not want it, or it was an error."""

    def change(self, function):
        global function_of_tl
        function_of_tl = function
        by_its_name.hash = None

    def value(self, x):
        p = np.array([x])
        by_its_name[(1, )](p, neso_target="interp")
        return p[0]

    def test_declined(self):
        global function_of_tl
        self.change(tl.exp)
        triton.knobs.runtime.jit_cache_hook = lambda **kwargs: True
        try:
            self.assertEqual(self.value(np.float32(3)), 3)
        finally:
            triton.knobs.runtime.jit_cache_hook = None
        function_of_tl = tl.exp2
        self.assertEqual(self.value(np.float32(3)), 8)
        function_of_tl = tl.sqrt
        self.assertEqual(self.value(np.float32(9)), 3)

    def test_refused(self):
        global function_of_tl
        self.change(tl.exp)
        with self.assertRaises(triton.CompilationError):
            self.value(np.int32(-3))
        function_of_tl = tl.abs
        self.assertEqual(self.value(np.int32(-3)), 3)
        self.assertEqual(self.value(np.float32(-3)), 3)


def has_gpu_compiler():
    return not (triton._native.info("codegen") or "none").startswith("none") and \
        not (triton._native.info("ptxas") or "none").startswith("none")


@unittest.skipUnless(has_gpu_compiler(), "built without LLVM, or no ptxas")
class InTwoProcesses(unittest.TestCase):

    def run_files(self, files, **environment):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            environment = {**os.environ, "TRITON_CACHE_DIR": self.cache.name, "NESO_CACHE_STRICT": "1", **environment}
            done = subprocess.run([sys.executable, os.path.join(folder, "program.py")], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        how, ptx = json.loads(done.stdout)
        return how, "\n".join(line for line in ptx.split("\n") if ".file" not in line and ".loc" not in line)

    def test_each_change(self):
        self.cache = tempfile.TemporaryDirectory()
        self.addCleanup(self.cache.cleanup)
        run = functools.lru_cache(None)(lambda **e: self.run_files(FILES, **e))
        self.assertEqual(run()[0], "miss")
        for name, old, new in SAME:
            self.assertIn(old, FILES[name])
            with self.subTest(name, new=new):
                self.assertEqual(self.run_files({**FILES, name: FILES[name].replace(old, new)}), ("hit", run()[1]))
        for name, old, new in CHANGES:
            self.assertIn(old, FILES[name])
            changed = {**FILES, name: FILES[name].replace(old, new)}
            with self.subTest(name, new=new):
                how, ptx = self.run_files(changed)
                self.assertEqual(how, "miss")
                self.assertEqual(ptx, self.run_files(changed, TRITON_DISABLE_CACHE="1")[1])
                self.assertNotEqual(ptx, run()[1])


if __name__ == "__main__":
    unittest.main()
