"""Names and values of host and kernel: globals, closures, methods, classes, sources without a file."""

import importlib
import os
import sys
import tempfile
import unittest
import zipfile
from enum import Enum, IntEnum
from typing import NamedTuple

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.tools.tensor_descriptor import TensorDescriptor  # noqa: E402
from neso.language import constexpr as CE, math as tmath  # noqa: E402
from neso.language.extra import libdevice  # noqa: E402

FACTOR = tl.constexpr(3)
PLAIN = 5
DTYPE = tl.float16


class Mode(Enum):
    ONE = 1
    TWO = 2


class Level(IntEnum):
    LOW = 4
    HIGH = 9


class Pair(NamedTuple):
    a: object
    b: object


class Holder:
    SIZE = tl.constexpr(7)

    @staticmethod
    @triton.jit
    def twice(x):
        return x * 2


@triton.jit
def put(o_ptr, value):
    tl.store(o_ptr, value)


@triton.jit
def reads_global(o_ptr):
    tl.store(o_ptr, FACTOR)


@triton.jit
def reads_plain(o_ptr):
    tl.store(o_ptr, PLAIN)


@triton.jit
def calls(o_ptr, f: tl.constexpr, x):
    put(o_ptr, f(x))


@triton.jit
def add_one(x):
    return x + 1


@triton.jit
def uses_holder(o_ptr, x):
    put(o_ptr, Holder.twice(x) + Holder.SIZE)


@triton.jit
def uses_enum(o_ptr, mode: tl.constexpr, level: CE):
    if mode == Mode.ONE:
        put(o_ptr, 10 + level)
    else:
        put(o_ptr, 20 + level)


@triton.jit
def uses_pair(o_ptr, pair: tl.constexpr):
    put(o_ptr, pair.a * 10 + pair.b)


@triton.jit
def uses_math(o_ptr, x):
    tl.store(o_ptr, tmath.exp(x) + libdevice.tanh(x))


@triton.constexpr_function
def half_of(n):
    return n // 2


@triton.jit
def uses_constexpr_function(o_ptr, N: tl.constexpr):
    M: tl.constexpr = half_of(N)
    tl.store(o_ptr + tl.arange(0, M), tl.full((M, ), M, tl.float32))


int_dtype = triton.constexpr_function(tl.core.get_int_dtype)


@triton.jit
def uses_int_dtype(x_ptr, o_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    bits = x.to(int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=False), bitcast=True)
    tl.store(o_ptr + tl.arange(0, 16), bits >> 12)


@triton.jit
def typed(o_ptr, n: tl.int64, f: "fp64"):  # noqa: F821
    tl.store(o_ptr, n.to(tl.float64) + f)


def make_adder(amount):
    amount = tl.constexpr(amount)

    @triton.jit
    def adder(x):
        return x + amount

    return adder


@triton.jit
def extents_of(desc):
    return desc.shape[0], desc.strides[0]


@triton.jit
def described(p, n):
    return tl.make_tensor_descriptor(p, [n, 16], [16, 1], [16, 16])


@triton.jit
def handed_on_kernel(given, p, o, n, stride):
    desc = described(p, n)
    a, b = extents_of(desc)
    tl.store(o, a)
    tl.store(o + 1, b)
    if n > 5:
        desc = tl.make_tensor_descriptor(p, [n + 1, 32], [stride, 1], [16, 16])
    tl.store(o + 2, desc.strides[0])
    for i in range(n):
        tl.store(o + 3, desc.shape[0])
        desc = tl.make_tensor_descriptor(p, [i, n], [stride, 1], [16, 16])
    tl.store(o + 4, desc.shape[0])
    a, b = extents_of(given)
    tl.store(o + 5, a)
    tl.store(o + 6, b)


@triton.jit
def last_counter_kernel(o_ptr, n):
    last = n
    for i in range(n):
        tl.store(o_ptr + i, last)
        last = i
    tl.store(o_ptr + n, last)


def one():
    return np.zeros(1, np.float32)


class Names(unittest.TestCase):

    def check(self, expected, kernel, *args, **kwargs):
        o = one()
        kernel[(1, )](o, *args, **kwargs)
        self.assertAlmostEqual(float(o[0]), expected, places=5)

    def test_globals(self):
        self.check(3, reads_global)
        with self.assertRaises(triton.CompilationError) as raised:
            reads_plain[(1, )](one())
        self.assertIn("PLAIN", str(raised.exception))
        self.assertEqual(raised.exception.line, reads_plain.fn.__code__.co_firstlineno + 2)

    def test_changed_global(self):
        global FACTOR
        self.check(3, reads_global)
        FACTOR = tl.constexpr(4)
        try:
            with self.assertRaisesRegex(RuntimeError, "FACTOR has changed"):
                reads_global[(1, )](one())
        finally:
            FACTOR = tl.constexpr(3)
        self.check(3, reads_global)

    def test_functions(self):
        self.check(8, calls, add_one, 7)
        self.check(9, calls, make_adder(2), 7)
        self.check(12, calls, make_adder(5), 7)
        self.check(8, calls, add_one, 7)
        self.check(19, uses_holder, 6)

    def test_classes(self):
        self.check(14, uses_enum, Mode.ONE, Level.LOW)
        self.check(29, uses_enum, Mode.TWO, Level.HIGH)
        self.check(34, uses_pair, Pair(3, 4))

    def test_math(self):
        self.check(np.exp(0.5) + np.tanh(0.5), uses_math, 0.5)

    def test_constexpr_function(self):
        self.assertEqual(half_of(9), 4)
        o = np.zeros(8, np.float32)
        uses_constexpr_function[(1, )](o, 16)
        np.testing.assert_array_equal(o, 8)

    def test_constexpr_function_of_the_language(self):
        """What tl.core has for the host, wrapped: serving engines call get_int_dtype so."""
        for kind in (np.float16, np.float32):
            x, o = np.linspace(-1, 1, 16).astype(kind), np.zeros(16, np.uint32)
            uses_int_dtype[(1, )](x, o)
            np.testing.assert_array_equal(o, x.view(f"u{x.itemsize}") >> 12)
        self.assertEqual(tl.core.get_int_dtype(64, False), tl.uint64)
        with self.assertRaisesRegex(ValueError, "no integer type of 24 bits"):
            tl.core.get_int_dtype(24, True)

    def test_annotations(self):
        o = np.zeros(1, np.float64)
        typed[(1, )](o, 1, 0.1)
        self.assertEqual(o[0], 1.1)

    def test_update_src(self):
        @triton.jit
        def kernel(o_ptr):
            tl.store(o_ptr, 1)

        key = kernel.cache_key
        self.check(1, kernel)
        kernel._unsafe_update_src(kernel.src.replace("1)", "2)"))
        self.assertNotEqual(kernel.cache_key, key)
        self.check(2, kernel)

    def test_names(self):
        """What the library says of a text's names is what Python's own syntax tree says."""
        texts = ["def f(): pass\n",
                 "async def f(a, /, b=B, *c, d: D = tl.E.e, **g) -> R.r:\n    'words'\n    return a.b.c(d, k=K)[X.y:Z]\n",
                 "def f(x):\n    y = x.shape[0].bit + G.h(1).i\n    (u, [v, *w]), o.p, q[i] = y = tl.sum(x, axis=A)\n"
                 "    del gone\n    with C() as s, D.d(): s += 1\n    t: T = (lambda l, m=M: l + m + N)(1)\n"
                 "    return f'{F.f!r:{W}}', [e for e in E if e not in P], {k: v for k, v in (z := Z).items()}\n",
                 "def f(x):\n    def g(y: I) -> J:\n        global H\n        return y + H\n    assert x, S\n"
                 "    E = [e for e in (E, F)] + [F for F in E]\n    (V, x[V]), x[W], W = V\n"
                 "    while not g(-x) if Q else x < R <= U: break\n    import os.path as O\n    return g\n",
                 "def f(a):\n    match a + Q:\n        case 1 | B.b: return C\n        case y if y > D: pass\n",
                 "def f(a):\n    match a, Q:\n        case 1, [x, *r, _] if x > r[0] + D: return C\n"
                 "        case {'k': y}: return y\n        case M.B(u=v, w=(z, None)) as o: return o + v + z\n",
                 "def f(a):\n    match a:\n        case M.B(1, v, (z, _) as t) if v > D: return v + z + t[0]\n"
                 "        case [C(x) as o, 2 | 3 as y]: return o.p + x + y\n"]
        texts += [value._src for value in globals().values() if hasattr(value, "_src")]
        reader = importlib.import_module("neso.runtime.sources")
        self.assertGreater(len(texts), 15)
        for text in texts:
            bound, early, *used = triton._native.names(text)
            by_ast, early_by_ast, *used_by_ast = reader.names_by_ast(text)
            self.assertEqual((set(bound), set(early)), (by_ast, early_by_ast), text)
            for mine, others in zip(used, used_by_ast):
                self.assertEqual(*({".".join(path.split(".")[:n + 1]) for path in paths for n in range(path.count(".") + 1)}
                                   for paths in (mine, others)), text)
        odd = "def f(a):\n    match a:\n        case {'k': 1, **x}: return B.b\n"
        self.assertIsNone(triton._native.names(odd))
        self.assertEqual(set(reader.names_by_ast(odd)[2]), {"a", "B.b", "B"})

    def test_exec(self):
        text = "import neso as triton\nimport neso.language as tl\n@triton.jit\ndef made(o_ptr):\n    tl.store(o_ptr, 11)\n"
        names = {}
        exec(text, names)
        self.check(11, names["made"])

    def test_zip(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernels.zip")
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("zipped_kernels.py", "import neso as triton, neso.language as tl\n\n\n@triton.jit\n"
                                 "def zipped(o_ptr):\n    tl.store(o_ptr, 12)\n")
            sys.path.insert(0, path)
            try:
                import zipped_kernels
            finally:
                sys.path.remove(path)
            self.check(12, zipped_kernels.zipped)

    def test_errors(self):
        @triton.jit
        def wrong(o_ptr):
            x = tl.laod(o_ptr)
            tl.store(o_ptr, x)

        with self.assertRaises(triton.CompilationError) as raised:
            wrong[(1, )](one())
        error = raised.exception
        self.assertIn("laod", error.error_message)
        self.assertEqual(os.path.basename(error.file), "test_language.py")
        self.assertEqual(error.line, wrong.fn.__code__.co_firstlineno + 2)
        self.assertEqual(error.source_line.strip(), "x = tl.laod(o_ptr)")

        @triton.jit
        def static(o_ptr, N: tl.constexpr):
            tl.static_assert(N > 4, "N is small")

        static[(1, )](one(), 5)
        from neso.compiler.errors import CompileTimeAssertionFailure
        with self.assertRaises(CompileTimeAssertionFailure):
            static[(1, )](one(), 3)

    def test_host_values(self):
        self.assertEqual(tl.float32.primitive_bitwidth, 32)
        self.assertEqual(str(tl.bfloat16), "bf16")
        self.assertTrue(tl.int8.is_int_signed() and not tl.uint8.is_int_signed() and tl.float16.is_floating())
        self.assertEqual(tl.dtype("fp32"), tl.float32)
        self.assertEqual(tl.pointer_type(tl.float32), tl.pointer_type(tl.float32))
        self.assertEqual((tl.constexpr(3) + 4).value, 7)
        self.assertEqual(triton.cdiv(7, 4), 2)
        self.assertEqual([triton.next_power_of_2(n) for n in (1, 2, 3, 1000)], [1, 2, 4, 1024])
        with self.assertRaisesRegex(ValueError, "Did you forget to add @triton.jit"):
            tl.load(None)


class Loops(unittest.TestCase):

    def test_a_descriptor_takes_its_extents_along(self):
        p, o = np.zeros((40, 32), np.float16), np.zeros(7, np.int64)
        given = TensorDescriptor.from_tensor(p, [8, 32])
        for n, want in ((4, [4, 16, 16, 2, 3, 40, 32]), (9, [9, 16, 48, 7, 8, 40, 32])):
            handed_on_kernel[(1, )](given, p, o, n, 48)
            self.assertEqual(o.tolist(), want)

    def test_descriptors_that_round(self):
        """Triton 3.7's keyword: not to round is what is done; to round is refused, not forgotten."""
        x = np.zeros((8, 32), np.float32)
        given = TensorDescriptor.from_tensor(x, [8, 32], "zero", False)  # repr: from 3.13 on == compares arrays
        self.assertEqual(repr(given), repr(TensorDescriptor.from_tensor(x, [8, 32])))
        with self.assertRaisesRegex(NotImplementedError, "round_f32_to_tf32"):
            TensorDescriptor.from_tensor(x, [8, 32], round_f32_to_tf32=True)

    def test_a_counter_is_carried_on(self):
        o = np.zeros(6, np.int64)
        last_counter_kernel[(1, )](o, 5)
        self.assertEqual(o.tolist(), [5, 0, 1, 2, 3, 4])


class Function(unittest.TestCase):

    def test_attributes(self):
        @triton.jit(do_not_specialize=["n"])
        def kernel(x_ptr, n, scale=2.0, BLOCK: tl.constexpr = 64):
            """What it does."""

        self.assertIsInstance(kernel, triton.JITFunction)
        self.assertIsInstance(kernel, triton.KernelInterface)
        self.assertEqual(kernel.arg_names, ["x_ptr", "n", "scale", "BLOCK"])
        self.assertEqual([p.is_constexpr for p in kernel.params], [False, False, False, True])
        self.assertTrue(kernel.params[1].do_not_specialize)
        self.assertEqual((kernel.params[2].default, kernel.params[3].default), (2.0, 64))
        self.assertEqual(list(kernel.signature.parameters), kernel.arg_names)
        self.assertTrue(kernel.src.startswith("def kernel("))
        self.assertEqual(kernel.__doc__, "What it does.")
        x = np.zeros(4, np.float32)
        first = kernel[(1, )](x, 1)
        self.assertIs(kernel[(1, )](x, 16), kernel[(1, )](x, 16))
        self.assertIn("n: i32", first._key())

    def test_subclass(self):
        calls = []

        class Entry(triton.KernelInterface):

            def __init__(self, fn):
                self.fn = fn

            def run(self, *args, **kwargs):
                calls.append(kwargs["grid"])
                return self.fn.run(*args, **kwargs)

        o = one()
        Entry(reads_global)[(1, )](o)
        self.assertEqual((calls, o[0]), [(1, )] and ([(1, )], 3))


if __name__ == "__main__":
    unittest.main()
