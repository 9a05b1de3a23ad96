"""Modules of C that programs compile through triton.runtime.build."""

import os
import shutil
import tempfile
import unittest
import warnings
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import neso as triton  # noqa: E402
from neso import knobs  # noqa: E402
from neso.runtime import build, cache  # noqa: E402

SOURCE = """
#include <Python.h>

#ifndef STEP
#define STEP 1
#endif

static PyObject *next_of(PyObject *self, PyObject *args)
{
	long n;
	return PyArg_ParseTuple(args, "l", &n) ? PyLong_FromLong(n + STEP) : NULL;
}

static PyMethodDef methods[] = {{"next_of", next_of, METH_VARARGS, "n + STEP"}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "counter", NULL, -1, methods};

PyMODINIT_FUNC PyInit_counter(void)
{
	return PyModule_Create(&definition);
}
"""


@unittest.skipUnless(any(map(shutil.which, ("gcc", "clang", "cc"))) and os.path.exists(build._headers_of_python() + "/Python.h"),
                     "no C compiler, or no headers of Python")
class Modules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self._enter(mock.patch.dict(os.environ, TRITON_CACHE_DIR=folder.name))

    def _enter(self, patch):
        patch.start()
        self.addCleanup(patch.stop)

    def test_compiled_once(self):
        first = triton.runtime.build.compile_module_from_src(SOURCE, "counter")
        self.assertEqual(first.next_of(41), 42)
        with self.assertRaises(TypeError):
            first.next_of()
        with mock.patch.object(build, "_build", side_effect=AssertionError):
            self.assertEqual(build.compile_module_from_src(SOURCE, "counter").__file__, first.__file__)

    def test_options_decide(self):
        one = build.compile_module_from_src(SOURCE, "counter")
        ten = build.compile_module_from_src(SOURCE, "counter", ccflags=["-DSTEP=10"])
        self.assertEqual((one.next_of(1), ten.next_of(1)), (2, 11))

    def test_what_cannot_be_loaded_is_compiled_again(self):
        asked = []

        class Spoiled(cache.FileCacheManager):
            def get_file(inner, filename):
                asked.append(filename)
                path = os.path.join(self.folder, filename)
                with open(path, "w") as file:
                    file.write("no module")
                return path

        self._enter(mock.patch.object(knobs.cache, "manager_class", Spoiled))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.assertEqual(build.compile_module_from_src(SOURCE, "counter").next_of(1), 2)
        self.assertEqual(len(asked), 1)
        self.assertIn("compiled again", str(told[0].message))

    def test_compilers(self):
        with mock.patch.dict(os.environ, CC="no-such-compiler -O1"):
            with self.assertRaises(FileNotFoundError):
                build.compile_module_from_src(SOURCE + "/* other */", "counter")
        calls = []

        def mine(*args):
            calls.append(args)
            with mock.patch.object(knobs.build, "impl", None):
                return build._build(*args)

        self._enter(mock.patch.object(knobs.build, "impl", mine))
        self.assertEqual(build.compile_module_from_src(SOURCE, "counter", libraries=["m"]).next_of(1), 2)
        self.assertEqual(calls[0][0], "counter")
        self.assertEqual(calls[0][5], ["m"])


if __name__ == "__main__":
    unittest.main()
