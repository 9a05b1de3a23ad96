"""Variables of the environment and kernels: which make another one, which do not, and what is printed of compilations."""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import neso as triton
import neso.language as tl
from neso import _native, knobs
from test_cache import has_gpu_compiler


@triton.jit
def tuned(p, q, n, scale: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i[None, :]
    a = tl.load(p + at)
    tl.device_assert(n > 0)
    tl.store(q + at, tl.dot(a, a) * scale + n)


@triton.jit
def shown(p, n):
    tl.store(p, n + 1)


def with_environment(**variables):
    @contextlib.contextmanager
    def changed():
        before = dict(os.environ)
        os.environ.update(variables)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
    return changed()


class Paths(unittest.TestCase):

    def test_bytes_that_are_no_text(self):
        """A file's path may be any bytes: kernels in it run, and what is wrong with them is said."""
        text = ("import neso as triton, neso.language as tl, numpy as np\n@triton.jit\ndef k(p, n):\n    tl.store(p, n)\n"
                "@triton.jit\ndef wrong(p):\n    tl.stor(p, 1)\n"
                "p = np.zeros(1, np.int32)\nk[(1,)](p, 7)\nprint(p[0])\n"
                "try:\n    wrong[(1,)](p)\nexcept triton.CompilationError as error:\n    print('did you mean' in str(error))\n")
        with tempfile.TemporaryDirectory() as folder:
            inner = os.path.join(os.fsencode(folder), b"d\xff\xe9")
            try:
                os.mkdir(inner)
            except OSError:
                self.skipTest("the file system takes no such names")
            path = os.path.join(inner, b"k.py")
            with open(path, "w") as file:
                file.write(text)
            done = subprocess.run([sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "TRITON_CACHE_DIR": os.fsdecode(os.path.join(inner, b"c\xfe")), "NESO_QUIET": "1"})
        self.assertEqual((done.stdout, done.stderr), ("7\nTrue\n", ""))


    @unittest.skipUnless(os.path.isdir("/sys/kernel"), "there is no /sys")
    def test_a_folder_that_is_refused(self):
        """It says why the first folder could not be made, not that those below it have none above them."""
        text = ("import neso as triton, neso.language as tl\nfrom neso.compiler import ASTSource\nfrom neso.backends.compiler import GPUTarget\n"
                "@triton.jit\ndef k(p):\n    tl.store(p, 1)\n"
                "triton.compile(ASTSource(k, {'p': '*i32'}, {}), target=GPUTarget('cuda', 90, 32))\n")
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([sys.executable, file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "TRITON_CACHE_DIR": "/sys/none/inner", "NESO_QUIET": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "cannot be used: (Operation not permitted|Permission denied|Read-only file system)")


@unittest.skipUnless(has_gpu_compiler(), "built without LLVM, or no ptxas")
class Keys(unittest.TestCase):

    #: Of settings that are in keys: a value that makes another kernel; None: said elsewhere why not.
    OTHER = {
        "TRITON_DEBUG": "1", "TRITON_F32_DEFAULT": "ieee", "TRITON_DEFAULT_FP_FUSION": "0", "TRITON_DISABLE_LINE_INFO": "1",
        "NESO_CONSTEXPR_POLICY": "generic", "DISABLE_PTXAS_OPT": "1", "PTXAS_OPTIONS": "--maxrregcount 64", "NESO_CACHE_POSITION": "1",
        "TRITON_PTXAS_PATH": "script", "NESO_SKIP_PASSES": "licm", "NESO_STRICT_TRITON": "1", "NESO_WIDE_OFFSETS": "1",
        "NESO_WARP_SPECIALIZE": "1", "NESO_PERSIST": "1", "NESO_TURNS": "1", "NESO_PORTABLE_ORDER": "1", "NESO_MULTICAST": "0",
        # They say where it runs, which globals may be read, which file replaces a stage (test_cache.py), the assembler of newer GPUs, and a
        # library that counts for kernels that take something from it (toolchain_test.c).
        "NESO_TARGET": None, "TRITON_INTERPRET": None, "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS": None, "TRITON_KERNEL_OVERRIDE": None,
        "TRITON_PTXAS_BLACKWELL_PATH": None, "TRITON_LIBDEVICE_PATH": None,
    }
    #: Of the others those that a value cannot be made up for.
    SPECIAL = ("TRITON_CACHE_DIR", "TRITON_DISABLE_CACHE", "TRITON_ALWAYS_COMPILE", "TRITON_CACHE_MANAGER", "TRITON_REMOTE_CACHE_BACKEND",
               "NESO_CODEGEN_PATH", "NESO_REMOTE_MODE", "NESO_DUMP", "LLVM_IR_ENABLE_DUMP", "NVPTX_ENABLE_DUMP",
               "NESO_CACHE_KEY_FILE", "CC", "CUDA_HOME", "CUDA_PATH")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        environment = with_environment(TRITON_CACHE_DIR=os.path.join(self.folder, "cache"))
        environment.__enter__()
        self.addCleanup(environment.__exit__, None, None, None)

    def compile(self):
        tuned.device_caches.clear()
        with contextlib.redirect_stderr(io.StringIO()):
            pointer = triton.MockTensor(tl.float32)
            return tuned.warmup(pointer, pointer, 5, 2.0, 16, grid=(1, ), neso_target="sm_80")

    def value_of(self, variable, value):
        path = os.path.join(self.folder, "file")
        if value == "script":
            with open(path, "w") as file:
                file.write(f'#!/bin/sh\n[ "$1" = --version ] && echo "release 13.0, V13.0.1" && exit\nexec {self.ptxas} "$@"\n')
            os.chmod(path, 0o700)
            return path
        return value

    def test_what_makes_another_kernel(self):
        self.ptxas = _native.info("ptxas").partition(" at ")[2]
        rows = {variable for _, _, variable, _, _, in_key in _native.settings() if in_key}
        self.assertEqual(rows, set(self.OTHER))
        first = self.compile()
        self.assertEqual((first.cache, self.compile().cache), ("miss", "hit"))
        keys = {first.cache_key}
        for variable, value in self.OTHER.items():
            if value is None:
                continue
            with with_environment(**{variable: self.value_of(variable, value)}):
                other = self.compile()
                self.assertEqual((other.cache, self.compile().cache), ("miss", "hit"), variable)
            self.assertNotIn(other.cache_key, keys, variable)
            keys.add(other.cache_key)
        self.assertEqual((self.compile().cache, self.compile().cache_key), ("hit", first.cache_key))

    def test_what_does_not(self):
        first = self.compile()
        for _, kind, variable, other, _, in_key in _native.settings():
            if in_key or variable in self.SPECIAL:
                continue
            value = {"bool": "1", "int": "9", "size": "1G", "path": os.path.join(self.folder, "x"), "text": "x"}.get(kind)
            for name in (variable, other) if value else ():
                if name is None:
                    continue
                with with_environment(**{name: value}):
                    again = self.compile()
                self.assertEqual((again.cache, again.cache_key), ("hit", first.cache_key), name)
        with with_environment(TRITON_ALWAYS_COMPILE="1"):
            self.assertEqual((self.compile().cache, self.compile().cache_key), ("miss", first.cache_key))
        with with_environment(TRITON_DISABLE_CACHE="1"):
            self.assertEqual(self.compile().cache, "off")

    def test_words_for_yes_and_no(self):
        first = self.compile().cache_key
        for words, same in ((("1", "on", "TRUE", "Yes", "y"), True), (("0", "off", "FALSE", "no", "n"), False)):
            for word in words:
                with with_environment(TRITON_DEFAULT_FP_FUSION=word):
                    self.assertEqual(self.compile().cache_key == first, same, word)

    def test_settings_in_scopes(self):
        first = self.compile()
        with knobs.language.scope(), knobs.nvidia.scope():
            knobs.language.fp32_default = "ieee"
            one = self.compile()
            knobs.nvidia.disable_ptxas_opt = True
            two = self.compile()
            self.assertEqual(len({first.cache_key, one.cache_key, two.cache_key}), 3)
        self.assertEqual((self.compile().cache, self.compile().cache_key), ("hit", first.cache_key))
        self.assertNotIn("TRITON_F32_DEFAULT", os.environ)
        self.assertNotIn("DISABLE_PTXAS_OPT", os.environ)


class Dump(unittest.TestCase):
    """MLIR_ENABLE_DUMP: the IR before each pass."""

    def shown(self, value, **options):
        shown.device_caches.clear()
        err = io.StringIO()
        with with_environment(MLIR_ENABLE_DUMP=value), contextlib.redirect_stderr(err):
            if options:
                shown.warmup(triton.MockTensor(tl.float32), 3, grid=(1, ), **options)
            else:
                shown[(1, )](np.zeros(1, np.float32), 3)
        return err.getvalue()

    def test_all_and_one(self):
        for value in ("1", "shown"):
            text = self.shown(value)
            self.assertIn("IR Dump Before canonicalize", text)
            self.assertIn("tt.func public @shown", text)
        for value in ("0", "other", "", "false"):
            self.assertNotIn("IR Dump", self.shown(value), value)

    def test_a_name_that_no_kernel_has(self):
        @triton.jit
        def alone(p):
            tl.store(p, 1)
        err = io.StringIO()
        for variable in ("MLIR_ENABLE_DUMP", "NESO_DUMP_KERNEL"):
            with with_environment(**{variable: "other", "NESO_DUMP": os.devnull}), contextlib.redirect_stderr(err):
                triton.jit(alone.fn)[(1, )](np.zeros(1, np.float32))
            self.assertIn(f"{variable} names 'other', and {alone.fn.__code__.co_filename} has no kernel of this name", err.getvalue())

    @unittest.skipUnless(has_gpu_compiler(), "built without LLVM, or no ptxas")
    def test_of_code_for_a_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "dump")
            with with_environment(TRITON_CACHE_DIR=folder, MLIR_DUMP_PATH=path):
                for _ in range(2):  # what the cache has is compiled again, or there would be nothing to see
                    self.assertEqual(self.shown("1", neso_target="sm_80"), "")
                    with open(path) as file:
                        text = file.read()
                    os.remove(path)
                    self.assertIn("IR Dump Before coalesce", text)
                    self.assertIn("ttg.num-warps", text)

    @unittest.skipUnless(has_gpu_compiler(), "built without LLVM, or no ptxas")
    def test_of_later_stages(self):
        for variable, title, word in (("LLVM_IR_ENABLE_DUMP", "LLVM IR Dump After passes", "define"),
                                      ("NVPTX_ENABLE_DUMP", "NVPTX Dump", ".visible .entry")):
            for value, there in (("1", True), ("0", False)):
                with with_environment(**{variable: value}):
                    text = self.shown("0", neso_target="sm_80")
                self.assertEqual((title in text, word in text), (there, there), (variable, value))
                self.assertEqual("NVPTX" in text, there and variable[:2] == "NV")

    def test_runtime_without_them(self):
        with with_environment(LLVM_IR_ENABLE_DUMP="1", NVPTX_ENABLE_DUMP="1"):
            self.assertEqual(self.shown("0"), "")


if __name__ == "__main__":
    unittest.main()
