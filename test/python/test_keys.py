"""Keys of kernels, and who is told of compilations: what changes `cache_key`, what a launch finds again, hooks, the listener, preload."""
import importlib.util
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import weakref
from concurrent.futures import Executor, Future

import numpy as np

import neso as triton
import neso.language as tl
from neso import knobs
from engines import TYPES
from test_cache import has_gpu_compiler

FLOAT = triton.MockTensor(tl.float32)


@triton.jit
def leaf(x):
    return x + 3


@triton.jit
def branch(x):
    which: tl.constexpr = True
    if which:
        f: tl.constexpr = leaf
    else:
        f: tl.constexpr = other_leaf
    return f(x)


@triton.jit
def other_leaf(x):
    return x - 3


@triton.jit
def root(p, x, B: tl.constexpr):
    tl.store(p, branch(x))


@triton.jit
def joined(a, b):
    return a + b


@triton.jit
def reduced(p, B: tl.constexpr):
    tl.store(p, tl.reduce(tl.arange(0, B), 0, joined))


@triton.constexpr_function
def width():
    return 4


@triton.jit
def wide(p):
    n: tl.constexpr = width()
    tl.store(p, n)


@triton.constexpr_function
def asks_the_host():
    return subprocess.getoutput("true")


def with_text(target, changed, old, new):
    """The key of `target` while the source of `changed` is another."""
    before = changed.src
    for function in (root, branch, leaf, other_leaf, reduced, joined, wide, width):
        function.hash = None
    changed._unsafe_update_src(before.replace(old, new))
    try:
        return target.cache_key
    finally:
        changed._unsafe_update_src(before)
        target.hash = None


FACTOR = tl.constexpr(5)
KIND = tl.int32
SHARED = tl.constexpr(0)


@triton.jit
def reads_shared(p):
    tl.store(p, SHARED)


def module_of(text, folder, name):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location("made", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Rules(unittest.TestCase):

    def test_integers(self):
        """What the package tells hooks of is what the library concludes."""
        from neso.runtime.specialize import specialize
        told = {1: ("constexpr", 1), 7: ("i32", ""), -48: ("i32", "D"), 2**31 - 1: ("i32", ""), 2**31: ("i64", "D"), -2**31: ("i32", "D"),
                -2**31 - 1: ("i64", ""), 2**63 - 1: ("i64", ""), 2**63: ("u64", "D"), 2**64 - 1: ("u64", ""), -2**63: ("i64", "D")}
        for value, want in told.items():
            self.assertEqual(specialize(value, False, True, True), want, value)
            self.assertEqual(specialize(value, False, False, True)[1], None, value)
        self.assertEqual(specialize(48, False, True, False), ("i32", ""))
        with self.assertRaises(TypeError):
            triton._native.rules("1")


class CacheKeys(unittest.TestCase):

    def test_sources(self):
        key = with_text(root, root, "x", "x")
        self.assertEqual(key, with_text(root, root, "x", "x"))
        others = [with_text(root, function, "3", "4") for function in (leaf, other_leaf)] + \
            [with_text(root, root, "branch(x)", "branch(x) + 1"), with_text(root, branch, "True", "False")]
        self.assertEqual(len({key, *others}), 5)
        self.assertNotEqual(with_text(reduced, joined, "+", "*"), with_text(reduced, joined, "+", "-"))
        self.assertNotEqual(with_text(wide, width, "4", "8"), with_text(wide, width, "4", "4"))
        with self.assertRaises(AttributeError):
            root.src = "def root(p): pass"

    def test_lines(self):
        text = "import neso\n@neso.jit\ndef kernel(i):\n    i = i + 1\n"
        with tempfile.TemporaryDirectory() as folder:
            keys = [module_of(t, folder, f"m{i}.py").kernel.cache_key
                    for i, t in enumerate((text, "# one line more\n" + text, text, text + "\n\n# behind it\n"))]
        self.assertEqual(len(set(keys)), 2)
        self.assertEqual(keys[0], keys[2])

    def test_what_a_function_of_constants_may_ask(self):
        with self.assertRaisesRegex(RuntimeError, "getoutput"):
            asks_the_host.cache_key
        with self.assertRaisesRegex(RuntimeError, "getoutput"):
            asks_the_host.cache_key

    def test_noinline(self):
        before = with_text(root, leaf, "3", "3")
        leaf.noinline = True
        try:
            self.assertNotEqual(before, with_text(root, leaf, "3", "3"))
        finally:
            leaf.noinline = None


class Globals(unittest.TestCase):

    def launch(self, kernel):
        out = np.zeros(1, np.int32)
        kernel[(1, )](out)
        return int(out[0])

    def refuses(self, kernel, name):
        with self.assertRaisesRegex(RuntimeError, f"Global variable {name} has changed since we compiled this kernel"):
            self.launch(kernel)

    def test_change(self):
        global FACTOR, KIND

        @triton.jit
        def kernel(p):
            tl.store(p, FACTOR)

        @triton.jit
        def typed(p):
            tl.store(p, tl.full((), 7, KIND).to(tl.int32))

        self.assertEqual((self.launch(kernel), self.launch(typed)), (5, 7))
        FACTOR, KIND = tl.constexpr(6), tl.int64
        try:
            self.refuses(kernel, "FACTOR")
            self.refuses(typed, "KIND")
        finally:
            FACTOR, KIND = tl.constexpr(5), tl.int32
        self.assertEqual((self.launch(kernel), self.launch(typed)), (5, 7))

    def test_names_of_its_own(self):
        global FACTOR

        @triton.jit
        def after(p):
            FACTOR = 9
            tl.store(p, FACTOR)

        @triton.jit
        def before(p):
            a = FACTOR
            tl.store(p, a)
            _, FACTOR = 0, 0

        self.assertEqual(self.launch(after), 9)
        self.launch(before)
        self.assertFalse(after.used_global_vals)
        FACTOR = tl.constexpr(6)
        try:
            self.assertEqual(self.launch(after), 9)
            self.refuses(before, "FACTOR")
        finally:
            FACTOR = tl.constexpr(5)

    def test_default_is_of_its_definition(self):
        global FACTOR

        @triton.jit
        def kernel(p, n: tl.constexpr = FACTOR):
            tl.store(p, n)

        self.assertEqual(self.launch(kernel), 5)
        FACTOR = tl.constexpr(6)
        try:
            self.assertEqual(self.launch(kernel), 5)
        finally:
            FACTOR = tl.constexpr(5)
        self.assertEqual(len(kernel.device_caches[0][0]), 1)

    def test_inner_function_saw_another_value(self):
        global SHARED

        @triton.jit
        def first(p):
            a = SHARED  # noqa
            reads_shared(p)

        @triton.jit
        def second(p):
            a = SHARED  # noqa
            reads_shared(p)

        self.launch(first)
        SHARED = tl.constexpr(1)
        try:
            with self.assertRaisesRegex(RuntimeError, "Global variable SHARED has value"):
                self.launch(second)
        finally:
            SHARED = tl.constexpr(0)

    def test_what_is_no_variable(self):

        @triton.jit
        def kernel(p):
            tl.store(p, leaf(float(1)).to(tl.int32))

        self.assertEqual(self.launch(kernel), 4)
        self.assertFalse(kernel.used_global_vals)

    def test_function_given_as_a_constant(self):

        @triton.jit
        def given():
            return 1

        @triton.jit
        def kernel(p, f: tl.constexpr):
            tl.store(p, f())

        out = np.zeros(1, np.int32)
        seen = []
        text = given.src
        for number in (1, 2, 1):
            given._unsafe_update_src(text.replace("1", str(number)))
            kernel[(1, )](out, given)
            seen.append(int(out[0]))
        self.assertEqual(seen, [1, 2, 1])


class Hooks(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for group in (knobs.cache, knobs.runtime, knobs.compilation):
            scope = group.scope()
            scope.__enter__()
            self.addCleanup(scope.__exit__, None, None, None)
        knobs.cache.dir = folder.name
        self.told = []

    def hook(self, **words):
        self.told.append(words)

    def test_once_per_specialization(self):

        @triton.jit
        def plain(p, i):
            tl.store(p, i)

        @triton.jit(do_not_specialize=["i"])
        def never(p, i):
            tl.store(p, i)

        @triton.jit(do_not_specialize_on_alignment=["i"])
        def unaligned(p, i):
            tl.store(p, i)

        @triton.jit
        def annotated(p, i: tl.int32):
            tl.store(p, i)

        knobs.runtime.jit_cache_hook = self.hook
        out = np.zeros(4, np.int32)
        for kernel, count in ((plain, 3), (never, 1), (unaligned, 2), (annotated, 3)):
            self.told.clear()
            for i in (1, 2, 4, 8, 16, 32, 2, 1):
                kernel[(1, )](out, i)
                self.assertEqual(int(out[0]), i)
            self.assertEqual((len(self.told), len(kernel.device_caches[0][0])), (count, count), kernel)

    def test_what_they_are_told(self):

        @triton.jit
        def kernel(p, n, m, s, F: tl.constexpr, B: tl.constexpr = 8):
            tl.store(p + tl.arange(0, B), F(n + m))

        post = []
        knobs.runtime.jit_cache_hook = self.hook
        knobs.runtime.jit_post_compile_hook = lambda **words: post.append((words, words["key"] in kernel.device_caches[0][0]))
        made = kernel.warmup(FLOAT, 32, 1, 0.5, leaf, grid=(1, ), num_warps=2)
        self.assertEqual(len(self.told), 1)
        words, details = self.told[0], self.told[0]["compile"]
        self.assertEqual(words["fn"].name, "Hooks.test_what_they_are_told.<locals>.kernel")
        self.assertIs(words["fn"].jit_function, kernel)
        self.assertEqual((words["is_manual_warmup"], details["is_warmup"], words["already_compiled"]), (True, True, False))
        self.assertEqual(details["signature"],
                         {"p": "*fp32", "n": "i32", "m": "constexpr", "s": "fp32", "F": "constexpr", "B": "constexpr"})
        self.assertEqual(details["constants"], {(2, ): 1, (4, ): leaf, (5, ): 8})
        self.assertEqual(details["configs"], [{(0, ): [["tt.divisibility", 16]], (1, ): [["tt.divisibility", 16]]}])
        self.assertEqual((details["num_warps"], details["num_stages"], details["num_ctas"]), (2, 3, 1))
        self.assertEqual(kernel.device_caches[0][0], {words["key"]: made})
        (after, found), = post
        self.assertTrue(found)
        self.assertEqual((after["key"], after["compile"]["specialization_data"]), (words["key"], details["specialization_data"]))
        kernel[(1, )](np.zeros(8, np.float32), 32, 1, 0.5, leaf, num_warps=2)
        self.assertEqual(len(self.told), 1)
        kernel.device_caches[0][0].clear()
        self.assertEqual(len(kernel.device_caches[0][0]), 0)
        kernel[(1, )](np.zeros(8, np.float32), 32, 1, 0.5, leaf, num_warps=2)
        self.assertEqual([w["is_manual_warmup"] for w in self.told], [True, False])

    def test_tuples(self):
        """A kernel that takes a tuple's items one by one is compiled for it: hooks and programs see the kernel that was launched."""

        @triton.jit
        def kernel(p, pair):
            tl.store(p, pair[0] + pair[1])

        knobs.runtime.jit_cache_hook = self.hook
        out = np.zeros(1, np.int32)
        for pair in ((1, 2), (3, 4), (5, 6)):
            kernel[(1, )](out, pair)
            self.assertEqual(out[0], sum(pair))
        self.assertEqual([words["fn"].jit_function for words in self.told], [kernel] * 2)  # 1 is a constant
        self.assertEqual(len(kernel.device_caches[0][0]), 2)
        kernel.device_caches.clear()
        self.assertEqual(len(kernel.device_caches[0][0]), 0)
        kernel[(1, )](out, (3, 4))
        self.assertEqual((out[0], len(self.told)), (7, 3))

    def test_told_late_is_what_is_told_at_once(self):
        """What a kernel was compiled for is worked out when somebody asks: the same as before the compilation, and no
        array lives until then."""

        def values():
            x = np.arange(64)
            yield from (x.astype(name) for name in TYPES)
            yield x.astype(np.float32)[1:]
            yield from (1, 3, 16, -16, 2**31, 2**40, True, 0.5, None, triton.reinterpret(x.astype(np.int8), tl.float8e5))

        def kernel(p, n, s: "i64", B: tl.constexpr = 8):
            pass

        options = {"do_not_specialize": ["n"]}, {"do_not_specialize_on_alignment": ["n"]}, {"specialize": {"n": "never_one, div8"}}, {}
        for value in values():
            for given in options if isinstance(value, (np.ndarray, int)) else ({}, ):
                told = []
                late, early = triton.jit(kernel, **given), triton.jit(kernel, **given)
                knobs.runtime.jit_cache_hook = None
                made = late[(1, )](np.zeros(4, np.float32), value, 16, B="x", num_warps=2)
                knobs.runtime.jit_cache_hook = lambda **words: told.append(words)
                early[(1, )](np.zeros(4, np.float32), value, 16, B="x", num_warps=2)
                told, = told
                self.assertEqual(list(late.device_caches[0][0]), [told["key"]], value)
                details = told["compile"]
                self.assertEqual((made.src.signature, made.src.constants, [made.src.attrs], made.metadata.num_warps),
                                 (details["signature"], details["constants"], details["configs"], 2))
        knobs.runtime.jit_cache_hook = None
        array = np.zeros(4, np.float32)
        alive = weakref.ref(array)
        made = triton.jit(kernel)[(1, )](array, 5, 16)
        del array
        self.assertIsNone(alive())
        self.assertEqual((made.src.signature["p"], made.constants), ("*fp32", {"B": 8}))

    def test_what_8_divides(self):
        """Of an integer that bounds tiles it is told apart; of one that is added to them alone it is not."""

        @triton.jit
        def kernel(p, n, added, B: tl.constexpr):
            at = tl.arange(0, B)
            tl.store(p + at, at + added, mask=at < n)

        told = []
        knobs.runtime.jit_cache_hook = lambda **words: told.append(words["compile"])
        divisors = {1000: 8, 1001: 0, 24: 8, 16: 16, 7: 0, 8: 8}
        for n in (1000, 1001, 1000, 1001, 24, 16, 7, 8, 1000):
            for added in (8, 9, 24):
                out = np.full(1024, -1, np.int32)
                made = kernel[(1, )](out, n, added, B=1024)
                np.testing.assert_array_equal(out, np.where(np.arange(1024) < n, np.arange(1024) + added, -1))
                attrs = dict(made.src.attrs)
                self.assertEqual(attrs.get((1, ), []), [["tt.divisibility", divisors[n]]] if divisors[n] else [], n)
                self.assertEqual(attrs.get((2, ), []), [], added)
        self.assertEqual(len(told), 3)
        again = triton.jit(kernel.fn)
        for details in told:
            again.preload(details["specialization_data"])
        told.clear()
        for n in divisors:
            again[(1, )](out, n, 9, B=1024)
        knobs.runtime.jit_cache_hook = None
        self.assertEqual(told, [])

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_told_behind_a_fork(self):

        @triton.jit
        def kernel(p, B: tl.constexpr):
            tl.store(p, B)

        made = kernel[(1, )](np.zeros(1, np.int32), B=4)
        child = os.fork()
        if not child:
            right = (made.constants, made.src.signature["p"], made.metadata.name, len(made.hash) > 8) == \
                ({"B": 4}, "*i32", "kernel", True)
            os._exit(0 if right else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(pickle.loads(pickle.dumps(made.__dict__["constants"])), {"B": 4})
        made.reason = "another"
        made = kernel[(1, )](np.zeros(1, np.int32), B=8)
        made.shared = 77  # what is assigned first stays
        self.assertEqual((made.metadata.shared, made.shared, made.__dict__["shared"]), (0, 77, 77))

    def test_one_that_wants_no_compilation(self):

        @triton.jit
        def kernel(p):
            tl.store(p, 1.0)

        knobs.runtime.jit_cache_hook = lambda **words: True
        out = np.zeros(1, np.float32)
        self.assertIsNone(kernel.warmup(FLOAT, grid=(1, )))
        self.assertIsNone(kernel[(1, )](out))
        self.assertEqual((out[0], len(kernel.device_caches[0][0])), (0, 0))
        knobs.runtime.jit_cache_hook = None
        kernel[(1, )](out)
        self.assertEqual(out[0], 1)

    def test_one_that_raises(self):

        @triton.jit
        def kernel(p):
            tl.store(p, 1.0)

        def hook(**words):
            raise ZeroDivisionError("of the hook")

        knobs.runtime.jit_cache_hook = hook
        with self.assertRaises(ZeroDivisionError):
            kernel.warmup(FLOAT, grid=(1, ))

    def test_asynchronously(self):

        @triton.jit
        def kernel(p, a: tl.constexpr):
            tl.store(p, a)

        class Later(Executor):
            tasks = []

            def submit(self, function):
                future = Future()
                self.tasks.append(lambda: future.set_result(function()))
                return future

        with triton.AsyncCompileMode(Later()):
            one, two, same = (kernel.warmup(FLOAT, a, grid=(1, )) for a in (1, 2, 1))
            self.assertEqual((len(Later.tasks), len(kernel.device_caches[0][0])), (2, 0))
            self.assertIs(one, same)
            for task in Later.tasks:
                task()
        self.assertIsNot(one.result(), two.result())
        self.assertEqual(len(kernel.device_caches[0][0]), 2)


PRELOADED = '''
import json, sys
import neso as triton
import neso.language as tl
from neso import knobs

@triton.jit
def inner(x):
    return x * 2

@triton.jit
def kernel(p, n, m, F: tl.constexpr, T: tl.constexpr, B: tl.constexpr):
    tl.store(p + tl.arange(0, B), F(n + m).to(T))

@triton.jit
def other(p, n, m, F: tl.constexpr, T: tl.constexpr, B: tl.constexpr):
    tl.store(p + tl.arange(0, B), F(n - m).to(T))

told = []
knobs.runtime.jit_cache_hook = lambda **words: told.append(words["compile"]["specialization_data"])
made = kernel.preload(sys.argv[1]) if len(sys.argv) > 1 else None
count = len(told)
def launch():
    return kernel.warmup(triton.MockTensor(tl.float16), 48, 7, inner, tl.float16, 64, grid=(1, ), num_warps=8, neso_target="sm_90a")
found = launch()
wrong = None
try:
    other.preload(told[0])
except RuntimeError as error:
    wrong = str(error)
print(json.dumps([told, count, found.hash, found.cache, made is found, wrong, len(kernel.device_caches[0][0])]))
'''


@unittest.skipUnless(has_gpu_compiler(), "built without LLVM, or no ptxas")
class Preload(unittest.TestCase):

    def run_program(self, folder, *arguments):
        path = os.path.join(folder, "program.py")
        with open(path, "w") as file:
            file.write(PRELOADED)
        done = subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True,
                              env={**os.environ, "TRITON_CACHE_DIR": os.path.join(folder, "cache")})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_another_process(self):
        with tempfile.TemporaryDirectory() as folder:
            (text, ), _, digest, how, _, wrong, count = self.run_program(folder)
            self.assertEqual((how, count), ("miss", 1))
            self.assertRegex(wrong, r"^Specialization data is for .*kernel but trying to preload for .*other$")
            told, before, again, how, same, _, count = self.run_program(folder, text)
            # What is launched is what was preloaded: nobody was asked again.
            self.assertEqual((told, before, again, how, same, count), ([text], 1, digest, "hit", True, 1))


@unittest.skipUnless(has_gpu_compiler(), "built without LLVM, or no ptxas")
class Compiled(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for group in (knobs.cache, knobs.compilation):
            scope = group.scope()
            scope.__enter__()
            self.addCleanup(scope.__exit__, None, None, None)
        knobs.cache.dir = folder.name

    def test_listener(self):
        told = []

        def listener(*, src, metadata, metadata_group, times, cache_hit):
            told.append((src, metadata, metadata_group, times, cache_hit))

        knobs.compilation.listener = listener
        for _ in range(2):
            root.device_caches.clear()
            made = root.warmup(FLOAT, 3, 64, grid=(1, ), neso_target="sm_90a")
        self.assertEqual([t[4] for t in told], [False, True])
        for src, metadata, group, times, hit in told:
            self.assertEqual((src.fn, src.name, src.signature), (root, "root", {"p": "*fp32", "x": "i32", "B": "constexpr"}))
            self.assertEqual((metadata["hash"], metadata["target"].arch, metadata["num_warps"]), (made.hash, 90, 4))
            self.assertGreater(times.ir_initialization, 0)
            self.assertEqual(times.total, times.ir_initialization + times.total_lowering + times.store_results)
            self.assertIn("root.ttgir", group)
        times = told[0][3]
        self.assertEqual([name for name, _ in times.lowering_stages], ["ttir", "ttgir", "llir", "ptx", "cubin"])
        self.assertTrue(times.total_lowering > 0 and times.store_results > 0)
        self.assertEqual((told[1][3].lowering_stages, told[1][3].store_results), ([], 0))
        # What it took is known of a hit too, from when it was compiled.
        self.assertEqual(told[1][1]["microseconds"]["ptx"], told[0][1]["microseconds"]["ptx"])
        self.assertGreater(made.metadata.microseconds["total"], 0)

    def test_files_of_a_kernel(self):
        made = root.warmup(FLOAT, 3, 64, grid=(1, ), neso_target="sm_80")
        self.assertEqual(sorted(made.metadata_group), [f"root.{s}" for s in ("cubin", "json", "llir", "ptx", "source", "ttgir", "ttir")])
        with open(made.metadata_group["root.cubin"], "rb") as file:
            self.assertEqual(file.read(), made.kernel)
        with open(made.metadata_group["root.json"]) as file:
            self.assertEqual(json.load(file)["target"], {"backend": "cuda", "arch": 80, "warp_size": 32})
        self.assertNotIn("root.sass", made.metadata_group)
        with self.assertRaises(KeyError):
            made.metadata_group["root.exe"]
        self.assertEqual(made.packed_metadata, (4, 1, made.metadata.shared))
        self.assertEqual((made.src.fn, made.hash, made.cache_key), (root, made.metadata.hash, made.hash))


if __name__ == "__main__":
    unittest.main()
