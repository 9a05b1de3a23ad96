"""The name `triton` in processes that a program starts, however it starts them; and `python -m neso` beside `python`."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

os.environ.setdefault("NESO_QUIET", "1")

CHILD = "import triton; print(triton.__neso__ and 'neso')"


def python(*arguments, given=None, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, *arguments], env=environment, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Children(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "program.py")

    def program(self, text):
        with open(self.path, "w") as file:
            file.write(textwrap.dedent(text))
        return self.path

    def check(self, text, wanted, *before):
        done = python(*before, self.program(text))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, wanted, ""))

    def test_subprocess(self):
        self.check(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}])", "neso\n", "-m", "neso")

    def test_install(self):
        self.check(f"import neso; neso.install(); neso.install(); import triton, subprocess, sys\n"
                   f"print(triton.__neso__ and 'here', flush=True); subprocess.run([sys.executable, '-c', {CHILD!r}])", "here\nneso\n")

    def test_workers_of_torch(self):
        """torch takes the path of its workers from a variable, and else puts the folder before it that an upstream triton may lie in."""
        self.check(f"""
            import os, sys, subprocess
            import neso
            neso.install()
            sys.path.append("/added")
            import triton
            path = os.environ["TORCH_CUSTOM_PYTHONPATH"]
            print("/added" in path.split(os.pathsep), flush=True)
            subprocess.run([sys.executable, "-c", {CHILD!r}], env={{**os.environ, "PYTHONPATH": path}})
        """, "True\nneso\n")
        given = {"TORCH_CUSTOM_PYTHONPATH": "/mine"}
        done = python("-m", "neso", "-c", "import os, triton; print(os.environ['TORCH_CUSTOM_PYTHONPATH'])", **given)
        self.assertEqual((done.stdout, done.stderr), ("/mine\n", ""))

    def test_install_with_workers(self):
        """A child by spawn or forkserver takes its parent's sys.path, whatever PYTHONPATH says; another triton lies in it."""
        other = os.path.join(os.path.dirname(self.path), "other")
        os.makedirs(os.path.join(other, "triton"))
        with open(os.path.join(other, "triton", "__init__.py"), "w") as file:
            file.write("__neso__ = 'another'\n")
        for way in ("spawn", "forkserver"):
            self.check(f"""
                import multiprocessing
                import os
                import sys

                def child(i):
                    import triton
                    return triton.__neso__ != "another" and i

                if __name__ == "__main__":
                    sys.path.append({other!r})
                    import neso
                    neso.install()
                    print(sys.path[0] == os.path.dirname(os.path.abspath(__file__)))
                    with multiprocessing.get_context("{way}").Pool(1) as pool:
                        print(pool.map(child, [1, 2]))
                """, "True\n[1, 2]\n")

    def test_install_here_alone(self):
        self.check("import neso, os; before = os.environ.get('PYTHONPATH'); neso.install(children=False); import triton\n"
                   "print(triton.__neso__ and 'here', os.environ.get('PYTHONPATH') == before)", "here True\n")

    def test_notebooks(self):
        self.check("import neso; neso.load_ipython_extension(None); import triton.language as tl; print(tl.__name__)", "neso.language\n")

    def test_workers(self):
        for way in ("spawn", "forkserver", "fork"):
            self.check(f"""
                import multiprocessing
                from concurrent.futures import ProcessPoolExecutor

                def child(i):
                    import triton
                    return triton.__neso__ and i

                if __name__ == "__main__":
                    context = multiprocessing.get_context("{way}")
                    with ProcessPoolExecutor(2, mp_context=context) as pool:
                        print(list(pool.map(child, range(3))))
                    with context.Pool(1) as pool:
                        print(pool.map(child, [7]))
                """, "[0, 1, 2]\n[7]\n", "-m", "neso")

    @unittest.skipUnless(importlib.util.find_spec("xdist"), "pytest-xdist is not installed")
    def test_workers_of_pytest(self):
        path = self.program("""
            import os

            import pytest
            import triton

            @pytest.mark.parametrize("i", range(4))
            def test_name(i):
                assert triton.__neso__ and os.environ["PYTEST_XDIST_WORKER"] in ("gw0", "gw1")
            """)
        done = python("-m", "neso", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", path)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("4 passed", done.stdout)

    def test_a_kernel_in_a_worker(self):
        self.check("""
            import multiprocessing
            import numpy as np
            import triton
            import triton.language as tl

            @triton.jit
            def double(x):
                at = x + tl.arange(0, 4)
                tl.store(at, tl.load(at) * 2)

            def child(kernel, values):
                x = np.array(values, np.float32)
                kernel[(1, )](x)
                return x.tolist()

            if __name__ == "__main__":
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    print(pool.apply(child, (double, [1, 2, 3, 4])))
            """, "[2.0, 4.0, 6.0, 8.0]\n", "-m", "neso")

    def test_a_child_without_neso_has_what_it_had(self):
        """The name's folder alone on the path, and no neso: another triton, or none."""
        import neso
        named = os.path.join(os.path.dirname(neso.__file__), "_named")
        other = os.path.join(os.path.dirname(self.path), "other")
        os.makedirs(os.path.join(other, "triton"))
        with open(os.path.join(other, "triton", "__init__.py"), "w") as file:
            file.write("here = 'another'\n")
        for path, wanted in (([named, other], "another\n"), ([named], "triton\n")):
            program = "try:\n    import triton; print(triton.here)\nexcept ImportError as error:\n    print(error.name)"
            done = python("-S", "-c", program, PYTHONPATH=os.pathsep.join(path))
            self.assertEqual((done.stdout, done.stderr), (wanted, ""))


class Import(unittest.TestCase):

    def test_what_only_some_need_is_not_loaded(self):
        program = "import sys; import neso; print([m for m in sys.argv[1:] if m in sys.modules])"
        modules = ("concurrent.futures", "logging", "importlib.util", "importlib.abc", "tempfile", "json", "subprocess", "ctypes", "numpy",
                   "_hashlib", "shutil", "statistics", "pickle", "select", "base64", "neso.backends", "neso.compiler.ahead", "neso.runtime.autotuner",
                   "neso.testing")
        done = python("-S", "-c", program, *modules)  # what a site's own files load is not neso's
        self.assertEqual((done.stdout, done.stderr), ("[]\n", ""))


    def test_what_is_loaded_when_it_is_asked_for(self):
        """A kernel that is no autotuned one is compiled and run without what the import left out; each name of it is there."""
        program = """
import sys, neso as triton, neso.language as tl
@triton.jit
def kernel(x):
    tl.store(x, 3.0)
left = sorted(set(dir(triton)) - set(vars(triton)))
import numpy as np
x, before = np.zeros(1, np.float32), set(sys.modules)
kernel[(1, )](x)
print(x[0], sorted(m for m in set(sys.modules) - before if m.startswith("neso.")))
for module, names in ((triton, [*left, *triton.__all__]), (triton.compiler, triton.compiler.__all__), (triton.runtime, triton.runtime.__all__)):
    for name in names:
        assert name in dir(module)
        assert getattr(module, name) is getattr(module, name)
print(triton.compiler.compiler.ASTSource is triton.compiler.ASTSource, triton.runtime.autotuner.Config is triton.Config,
      triton.runtime.driver.active is triton.runtime.driver.active)
try:
    triton.nothing
except AttributeError as error:
    print(error)
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w") as file:
                file.write(program)
            done = python(path, NESO_TARGET="interp")
        self.assertEqual((done.stdout, done.stderr), ("3.0 []\nTrue True True\nmodule 'neso' has no attribute 'nothing'\n", ""))


class CommandLine(unittest.TestCase):
    """`python -m neso X` does what `python X` does."""

    def same(self, *arguments, given=None, before=()):
        ours, its = python(*before, "-m", "neso", *arguments, given=given), python(*before, *arguments, given=given)
        self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (its.returncode, its.stdout, its.stderr))
        return its

    def test_as_python(self):
        self.assertEqual(self.same("nofile.py").returncode, 2)
        self.assertIn("Python 3", self.same("--version").stdout)
        self.assertIn("usage:", self.same("-h").stdout)
        self.same("-m", "no.such.module")
        self.same("-c", "import sys; print(sys.argv, sys.path[0], sys.flags.optimize); sys.exit(5)", "a", "-b", before=("-O", ))
        self.same("-c", "1 / 0")
        self.same(given="print('typed')\nraise SystemExit(3)\n")
        self.same("-", "x", given="import sys; print(sys.argv)\n")

    def test_by_something_else_that_runs_modules(self):
        done = python("-c", "import runpy, sys; sys.argv = ['neso', '-c', 'import triton; print(triton.__neso__ and 1)']\n"
                      "runpy.run_module('neso', run_name='__main__')")
        self.assertEqual((done.stdout, done.stderr), ("1\n", ""))

    def test_where_the_environment_is_not_to_be_used(self):
        import neso
        package = os.path.dirname(os.path.dirname(neso.__file__))
        done = python("-E", "-c", f"import sys; sys.path.insert(0, {package!r}); sys.argv = ['neso', 'nofile.py']; import neso.__main__ as m; "
                      "sys.exit(m.main(['nofile.py']))")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("can't open file", done.stderr)


if __name__ == "__main__":
    unittest.main()
