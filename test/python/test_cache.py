"""The compile cache from Python: what a second process finds, what the listener is told, files under keys."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import neso
from neso import knobs
from neso.runtime.cache import FileCacheManager, RemoteCacheBackend, RemoteCacheManager, get_cache_manager

PROGRAM = '''
import json, sys
import neso
import neso.language as tl
from neso import knobs

SCALE = tl.constexpr({scale})
told = []


def scaled(x):
    return 2


@neso.jit
def helper(x):
    return x * SCALE


@neso.jit
def kernel(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, helper(tl.load(p + i, mask=i < n)), mask=i < n)


def listener(*, src, metadata, metadata_group, times, cache_hit):
    told.append([src.name, metadata["name"], len(metadata["hash"]), cache_hit, times.ir_initialization, times.total_lowering,
                 times.store_results, times.total])


knobs.compilation.listener = listener
made = kernel.warmup(neso.compiler.compiler._Pointer("fp32", True), 3, 64, grid=(1, ), neso_target="sm_80")
print(json.dumps([made.cache, made.cache_key, told, made.asm["ptx"]]))
'''


def has_gpu_compiler():
    return not (neso._native.info("codegen") or "none").startswith("none") and \
        not (neso._native.info("ptxas") or "none").startswith("none")


@unittest.skipUnless(has_gpu_compiler(), "built without LLVM, or no ptxas")
class CompileCache(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = {**os.environ, "TRITON_CACHE_DIR": os.path.join(self.folder.name, "cache")}

    def run_program(self, scale=2, comment="", **environment):
        path = os.path.join(self.folder.name, "program.py")
        with open(path, "w") as file:
            file.write(comment + PROGRAM.format(scale=scale))
        done = subprocess.run([sys.executable, path], env={**self.environment, **environment}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_second_process(self):
        how, key, told, ptx = self.run_program()
        self.assertEqual(how, "miss")
        self.assertEqual(len(key), 64)
        name, kernel, length, hit, front, lowering, store, total = told[0]
        self.assertEqual((len(told), name, kernel, hit), (1, "kernel", "kernel", False))
        self.assertTrue(length > 0 and front > 0 and lowering > 0 and store > 0)
        self.assertEqual(total, front + lowering + store)
        again, same, told, text = self.run_program(comment="# a comment\n\n\n")
        self.assertEqual((again, same, text), ("hit", key, ptx))
        self.assertEqual(told[0][3:], [True, told[0][4], 0, 0, told[0][4]])
        self.assertGreater(told[0][4], 0)

    def test_changes(self):
        self.run_program()
        self.assertEqual(self.run_program(scale=3)[0], "miss")
        self.assertEqual(self.run_program()[0], "hit")
        self.assertEqual(self.run_program(TRITON_ALWAYS_COMPILE="1")[0], "miss")
        self.assertEqual(self.run_program(TRITON_DISABLE_CACHE="1")[0], "off")

    def test_folder_that_cannot_be_used(self):
        blocked = os.path.join(self.folder.name, "file")
        with open(blocked, "w"):
            pass
        self.assertEqual(self.run_program(TRITON_CACHE_DIR=blocked)[0], "miss")


HANDED_ON = '''
import json
import neso
import neso.language as tl


class Config:
    width = tl.constexpr({width})


config = Config()


@neso.jit
def twice(x, cfg: tl.constexpr):
    return x * cfg.width


def first(x):
    return x + 1


@neso.jit
def one(x):
    return x + 1


@neso.jit
def two(x):
    return x + 2


{order}


@neso.jit
def kernel(p, B: tl.constexpr, F: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, {body})


made = kernel.warmup(neso.compiler.compiler._Pointer("fp32", True), 64, {function}, {handed}, grid=(1, ), neso_target="sm_80")
print(json.dumps([made.cache, made.cache_key, [], made.asm["ptx"]]))
'''


@unittest.skipUnless(has_gpu_compiler(), "built without LLVM, or no ptxas")
class Objects(CompileCache):
    """Functions and objects that the host hands to kernels."""

    test_second_process = test_changes = test_folder_that_cannot_be_used = None

    def run_with(self, width=2, function="one", body="F(1.0)", order="", handed="None"):
        global PROGRAM
        program, PROGRAM = PROGRAM, HANDED_ON.format(width=width, function=function, body=body, order=order, handed=handed)
        try:
            PROGRAM = PROGRAM.replace("{", "{{").replace("}", "}}")
            return self.run_program()
        finally:
            PROGRAM = program

    def test_functions_as_constants(self):
        how, _, _, ptx = self.run_with()
        other = self.run_with(function="two")
        self.assertEqual(other[0], "miss")
        self.assertNotEqual(other[3], ptx)
        again = self.run_with(order="from neso.runtime import describe\ndescribe.name_of([])\ndescribe.name_of([1])")
        self.assertEqual(again[3], ptx)

    def test_attributes_of_objects(self):
        texts = [self.run_with(width=w, body="twice(3.0, C)", handed="config")[3] for w in (2, 3, 2)]
        self.assertNotEqual(texts[0], texts[1])
        self.assertEqual(texts[0], texts[2])


class Memory(RemoteCacheBackend):
    stored = {}

    def __init__(self, key):
        self.key = key

    def get(self, filenames):
        return {f: self.stored[self.key, f] for f in filenames if (self.key, f) in self.stored}

    def put(self, filename, data):
        self.stored[self.key, filename] = data


class Managers(unittest.TestCase):

    def test_files_and_groups(self):
        with tempfile.TemporaryDirectory() as folder, knobs.cache.scope():
            knobs.cache.dir = folder
            manager = get_cache_manager("ab12")
            self.assertIsInstance(manager, FileCacheManager)
            self.assertIsNone(manager.get_file("x"))
            path = manager.put(b"\0\1", "x")
            self.assertEqual(manager.get_file("x"), path)
            manager.put_group("g", {"x": path})
            self.assertEqual(manager.get_group("g"), {"x": path})
            self.assertEqual(sorted(os.listdir(folder)), [os.path.basename(os.path.dirname(path))])

    def test_remote_back_end(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other, knobs.cache.scope():
            knobs.cache.dir = folder
            knobs.cache.remote_manager_class = Memory
            knobs.cache.manager_class = RemoteCacheManager
            manager = get_cache_manager("ab12")
            path = manager.put(b"code", "x")
            manager.put_group("g", {"x": path})
            knobs.cache.dir = other
            found = get_cache_manager("ab12").get_group("g")
            with open(found["x"], "rb") as file:
                self.assertEqual(file.read(), b"code")
            self.assertTrue(found["x"].startswith(other))


if __name__ == "__main__":
    unittest.main()
