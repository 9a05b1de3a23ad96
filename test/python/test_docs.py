"""Every public name has a docstring of its own; the examples in them run; the type stubs name what is there."""

import ast
import contextlib
import contextvars
import doctest
import importlib
import importlib.util
import inspect
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.backends.compiler import GPUTarget  # noqa: E402
from neso.compiler import ASTSource  # noqa: E402
from neso.language import docs  # noqa: E402

MODULES = ["neso", "neso.language", "neso.testing", "neso.runtime", "neso.runtime.errors", "neso.runtime.cache", "neso.compiler", "neso.compiler.errors",
           "neso.errors", "neso.backends.compiler", "neso.tools.tensor_descriptor", "neso.tools.mxfp", "neso.tools.ragged_tma", "neso.tools.disasm",
           "neso.language.extra.libdevice", "neso.language.extra.cuda"]


def public(name):
    """(name, value) of the functions and classes that a module has for its users."""
    module = importlib.import_module(name)
    for n in getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]:
        value = getattr(module, n)
        if inspect.ismodule(value) or not callable(value) or isinstance(value, tl.dtype):
            continue
        if getattr(value, "__module__", "").startswith(("neso", "triton")):
            yield n, value


def own_doc(value):
    """The docstring of a class itself, not its base's, and of a function."""
    return vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__


class Docstrings(unittest.TestCase):

    def test_every_public_name_has_one(self):
        for module in MODULES:
            missing = [n for n, value in public(module) if not (own_doc(value) or "").strip()]
            self.assertEqual(missing, [], module)

    def test_it_is_not_the_type_s(self):
        self.assertIn("shape", tl.dot.__doc__ + tl.load.__doc__)
        self.assertNotEqual(tl.extra.libdevice.rint.__doc__, tl.extra.libdevice.round.__doc__)

    def test_each_function_has_its_parameters(self):
        for module in ("neso.language", "neso.language.extra.libdevice", "neso.language.extra.cuda"):
            for n, value in public(module):
                if isinstance(value, tl.core.builtin_function):
                    self.assertNotEqual(str(inspect.signature(value)), "(*args, **kwargs)", f"{module}.{n}")

    def test_each_function_of_the_language_has_an_example(self):
        without = [n for n, value in public("neso.language") if isinstance(value, tl.core.builtin_function) and ">>> " not in value.__doc__]
        self.assertEqual(without, [])


# Names that examples use, by what they are. An example's own prelude goes behind the common one.
COMMON = """
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.load(n_ptr)
    mask = at < n
    x = tl.load(x_ptr + at)
    y = tl.load(x_ptr + BLOCK - 1 - at)
    a, b = x, y
    index = tl.arange(0, BLOCK)
    seed = 7
"""
SQUARE = """
    r, s = tl.arange(0, 16), tl.arange(0, 16)
    x = tl.load(x_ptr + r[:, None] * 16 + s[None, :])
    y = x + 1
    row, column = s.to(tl.float32), r.to(tl.float32)
    acc = tl.zeros((16, 16), tl.float32)
"""
BITS = """
    x = tl.load(i_ptr + at)
    a, b = x.to(tl.uint32), (x + 1).to(tl.uint32)
    c0, c1, c2, c3, k0, k1 = a, b, a, b, a, b
    bits = a
    bit = 4
    bin = x
    bins = x
    flags = i_ptr + at
    counts = i_ptr
    best = i_ptr + at
    least = i_ptr + at
    lock = i_ptr + 64
"""
MATRIX = """
    M: tl.constexpr = 16
    N: tl.constexpr = 16
    K: tl.constexpr = 16
    BM: tl.constexpr = 16
    BK: tl.constexpr = 16
    row = 0
"""
POINTERS = MATRIX + """
    a = x_ptr
    p = tl.make_block_ptr(a, (M, K), (K, 1), (row, 0), (BM, BK), (1, 0))
"""
DESCRIPTOR = MATRIX + """
    a = x_ptr
    d = tl.make_tensor_descriptor(a, (M, K), (K, 1), (16, 16))
"""
FLAG = """
    flag = x_ptr.to(tl.pointer_type(tl.int32))
    tl.store(flag, 1)
"""
STATE = """
    state = State(x, 1)
"""
PRELUDES = {
    "aggregate_replace": STATE, "atomic_load": FLAG, "atomic_store": FLAG, "atomic_poll": FLAG, "expect_zero": "    index = at\n",
    "program_id": "", "num_programs": "    rows = 4\n", "full": "", "zeros": MATRIX,
    "broadcast": SQUARE, "broadcast_to": SQUARE + "    M: tl.constexpr = 16\n    N: tl.constexpr = 16\n", "trans": SQUARE + "    k = x\n",
    "permute": "    x = tl.reshape(tl.load(x_ptr + at), (2, 4, BLOCK // 8))\n", "join": "    even, odd = a, b\n", "split": "    pairs = tl.join(a, b)\n",
    "interleave": "    even, odd = a, b\n", "view": "    x = tl.load(x_ptr + tl.arange(0, 128))\n", "reshape": "    x = tl.load(x_ptr + tl.arange(0, 128))\n",
    "item": "    x = tl.load(x_ptr + tl.arange(0, 1))\n", "squeeze": "    x = x[None, :]\n", "cast": SQUARE,
    "dot": SQUARE + "    a = x_ptr + r[:, None] * 16 + s[None, :]\n    b = a\n",
    "dot_scaled": """
    m, k, g = tl.arange(0, 32), tl.arange(0, 64), tl.arange(0, 2)
    a = tl.zeros((32, 64), tl.float8e4nv)
    b = tl.zeros((64, 32), tl.float8e4nv)
    sa = tl.full((32, 2), 127, tl.uint8)
    sb = tl.full((32, 2), 127, tl.uint8)
    acc = tl.zeros((32, 32), tl.float32)
""",
    "make_block_ptr": POINTERS, "advance": POINTERS, "make_tensor_descriptor": DESCRIPTOR.replace("(16, 16)", "(16, 16)") + "    M2: tl.constexpr = 64\n",
    "load_tensor_descriptor": DESCRIPTOR, "store_tensor_descriptor": DESCRIPTOR + "    x = tl.zeros((16, 16), tl.float32)\n",
    "sum": SQUARE, "max": SQUARE, "min": SQUARE, "gather": "    table = x\n", "histogram": BITS, "umulhi": BITS, "philox": BITS, "philox_impl": BITS,
    "uint_to_uniform_float": BITS, "pair_uniform_to_normal": "    u, v = tl.rand(seed, at), tl.rand(seed + 1, at)\n", "rand": "    p = 0.5\n",
    "xor_sum": BITS, "reduce_or": BITS, "atomic_add": BITS, "atomic_max": BITS, "atomic_min": BITS, "atomic_and": BITS, "atomic_or": BITS,
    "atomic_xor": BITS, "atomic_xchg": BITS, "atomic_cas": BITS, "inline_asm_elementwise": BITS, "rsqrt": "    variance, eps = x * x, 1e-5\n",
    "fdiv": "    total = tl.sum(x)\n", "div_rn": "    total = y + 1\n", "swizzle2d": "    pid_m, pid_n, num_m, num_n = 1, 2, 4, 4\n",
    "max_constancy": "    row = at // 32\n", "assume": "    stride = n\n", "map_elementwise": BITS, "convert_custom_float8_sm80": "    bits = at.to(tl.int8)\n",
    "convert_custom_float8_sm70": "    bits = at.to(tl.int8)\n", "bitonic_merge": "",
}
HEAD = '''
import triton
import triton.language as tl

@tl.core._aggregate
class State:
    x: tl.tensor
    at: tl.tensor

@triton.jit
def multiply(a, b):
    return a * b

@triton.jit
def collatz(x):
    steps = 0
    while x > 1 and steps < 10:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps
'''
# What no engine of the CPU has: these are compiled to PTX.
COMPILED_ONLY = {"globaltimer", "smid", "gdc_wait", "gdc_launch_dependents", "inline_asm_elementwise"}
CODEGEN = (pathlib.Path(triton.__file__).parents[2] / "libneso-codegen.so").exists()
SIGNATURE = {"x_ptr": "*fp32", "i_ptr": "*i32", "out_ptr": "*fp32", "counts": "*i32", "n_ptr": "*i32", "BLOCK": "constexpr"}


class Examples(unittest.TestCase):

    def test_examples_of_the_language_run(self):
        """Each example is a line of a kernel, which is launched in the interpreter."""
        source, names = HEAD, []
        for name in sorted(docs.names() - {"dispatch"}):
            example = docs.doc_of(name).partition(">>> ")[2].strip()
            self.assertTrue(example, name)
            names.append(name)
            source += f"\n@triton.jit\ndef example_{name}(x_ptr, i_ptr, out_ptr, counts, n_ptr, BLOCK: tl.constexpr):\n{COMMON}{PRELUDES.get(name, '')}    {example}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "examples_of_docs.py"
            path.write_text(source.replace("import triton\nimport triton.language", "import neso as triton\nimport neso.language"))
            spec = importlib.util.spec_from_file_location("examples_of_docs", path)
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module  # where the source of classes is looked up
            self.addCleanup(sys.modules.pop, spec.name)
            spec.loader.exec_module(module)
            for name in names:
                with self.subTest(name):
                    kernel = getattr(module, f"example_{name}")
                    arrays = (np.linspace(-2, 2, 4096, dtype=np.float32), np.arange(4096, dtype=np.int32) % 97, np.zeros(4096, np.float32),
                              np.zeros(4096, np.int32), np.array([200], np.int32))
                    arrays[1][64] = 0
                    if name in COMPILED_ONLY and not CODEGEN:
                        continue
                    if name in COMPILED_ONLY:
                        source = ASTSource(kernel, SIGNATURE, {"BLOCK": 128})
                        self.assertIn(".entry", triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"])
                        continue
                    with contextlib.redirect_stdout(io.StringIO()):
                        kernel[(1, )](*arrays, BLOCK=128)

    def test_examples_of_the_host_run(self):
        import examples_kernel
        finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False)
        tried = set()
        names = {"triton": triton, "neso": triton, "tl": tl, "np": np, "kernel": examples_kernel.kernel,
                 "other": triton.jit(examples_kernel.kernel.fn)}
        for module in ("neso", "neso.language", "neso.testing"):
            for name, value in public(module):
                if isinstance(value, tl.core.builtin_function):
                    continue  # its example is a line of a kernel
                for test in finder.find(value, name, module=False, globs=dict(names)):
                    if module == "neso.language" and test.name != name:
                        continue  # functions of tl as methods
                    if test.examples and name not in ("install", "aggregate"):  # a class's source is read from a file
                        tried.add(name)
                        contextvars.copy_context().run(runner.run, test)
        self.assertEqual(runner.failures, 0)
        # What users never make: errors, and what launches give.
        left = {"JITFunction", "KernelInterface", "FutureKernel", "install", "aggregate"}
        without = [n for module in ("neso", "neso.language") for n, value in public(module)
                   if not (isinstance(value, tl.core.builtin_function) or n in tried or n in left or
                           inspect.isclass(value) and issubclass(value, BaseException))]
        self.assertEqual(without, [])
        wanted = {n for n in ("jit", "autotune", "heuristics", "Config", "cdiv", "next_power_of_2", "reinterpret", "compile", "constexpr_function",
                              "set_allocator", "must_use_result", "assert_close", "perf_report")}
        self.assertEqual(wanted - tried, set())


class Stubs(unittest.TestCase):

    def stub(self, module):
        return pathlib.Path(importlib.import_module(module).__file__).with_suffix(".pyi")

    def test_they_name_what_the_modules_have(self):
        for module in ("core", "math", "random", "standard", "extra.libdevice", "extra.cuda.utils", "extra.cuda.gdc"):
            loaded = importlib.import_module(f"neso.language.{module}")
            tree = ast.parse(self.stub(f"neso.language.{module}").read_text())
            named = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
            named |= {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
            named |= {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets}
            missing = {n for n, v in vars(loaded).items() if isinstance(v, tl.core.builtin_function) and not n.startswith("_")} - named
            self.assertEqual(missing, set(), module)
            self.assertEqual({n for n in named if not n.startswith("_") and not hasattr(loaded, n)}, set(), module)

    def test_a_type_checker_reads_them(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("no mypy")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "typed.py"
            path.write_text("import neso.language as tl\n\ndef f(p: tl.tensor) -> tl.tensor:\n    x = tl.load(p + tl.arange(0, 16), mask=None)\n"
                            "    reveal_type(tl.dot(x, x))\n    return tl.sum(tl.exp(x), axis=0)\n\ntl.arange('0', 1)\n")
            env = dict(os.environ, MYPYPATH=str(pathlib.Path(triton.__file__).parents[1]))
            done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", folder, "--follow-imports=silent", str(path)], env=env,
                                  capture_output=True, text=True)
            self.assertIn('Revealed type is "neso.language.core.tensor"', done.stdout)
            self.assertRegex(done.stdout, r'typed.py:8: error: .*arange.*incompatible type "str"')
            self.assertEqual(len(re.findall("error:", done.stdout)), 1, done.stdout)


if __name__ == "__main__":
    unittest.main()
