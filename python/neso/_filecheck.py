"""Tests of a kernel's TTIR by FileCheck, with upstream's names: the TTIR is what the front end writes, before any pass, without locations
and with values numbered as MLIR numbers them. FileCheck is LLVM's, where it is installed; `filecheck_path` is the program, None: none.
What Triton refuses is refused, unless NESO_STRICT_TRITON=0 is set."""

import contextlib
import functools
import glob
import inspect
import os
import re
import shutil
import subprocess
import tempfile

from . import knobs
from ._C.libtriton import ir
from .backends.compiler import GPUTarget
from .runtime.jit import JITFunction

#: what kernels are parsed for; their TTIR does not depend on it
stub_target = GPUTarget("cuda", 100, 32)


def _find_filecheck():
    found = shutil.which("FileCheck")
    if found:
        return found
    installed = glob.glob("/usr/lib/llvm-*/bin/FileCheck") + glob.glob("/usr/bin/FileCheck-*")
    version = lambda path: int(re.search(r"-([0-9]+)", path)[1])
    return max(filter(lambda path: os.access(path, os.X_OK), installed), key=version, default=None)


filecheck_path = _find_filecheck()


class MatchError(ValueError):

    def __init__(self, message, module_str):
        super().__init__(message)
        self.module_str = module_str

    def __str__(self):
        return f"{super().__str__()}\n{self.module_str}"


def run_filecheck(name, module_str, check_template):
    """Raises ValueError with FileCheck's own words where the text does not match; `name` is of no consequence."""
    if filecheck_path is None:
        raise FileNotFoundError("there is no FileCheck: it comes with LLVM (Debian: llvm-19-tools), and is looked for in PATH and in "
                                "/usr/lib/llvm-*/bin")
    with tempfile.TemporaryDirectory() as folder:
        text, expected = os.path.join(folder, "module"), os.path.join(folder, "expected")
        for path, content in ((text, module_str), (expected, check_template)):
            with open(path, "w") as file:
                file.write(content)
        done = subprocess.run([filecheck_path, expected, "--input-file", text, "--dump-input-context=50"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        raise ValueError(done.stdout)


@contextlib.contextmanager
def _triton_alone():
    with knobs.language.scope():
        if "NESO_STRICT_TRITON" not in os.environ:
            knobs.language.strict_triton = True
        yield


def run_parser(kernel_fn, args=(), kwargs=None, target=stub_target):
    """The kernel's TTIR, an `ir.module`, for arguments like those of a launch. Raises CompilationError as a launch does."""
    options = {name: value for name, value in (kwargs or {}).items() if name != "sanitize_overflow"}
    with _triton_alone():
        compiled = kernel_fn.warmup(*args, grid=(1, ), neso_target="interp", **options)
    return ir.parse_text(compiled.asm["ttir-raw"], ir.context())


def run_filecheck_test(kernel_fn, args=(), kwargs=None):
    """Matches a kernel's TTIR with the CHECK lines in its source."""
    if not isinstance(kernel_fn, JITFunction):
        raise TypeError(f"a kernel (@triton.jit) is needed, not {type(kernel_fn).__name__}")
    run_filecheck("placeholder", run_parser(kernel_fn, args, kwargs).str_nodebug(), inspect.getsource(kernel_fn.fn))


def filecheck_test(fn):
    """A test, by decorating a kernel that has CHECK lines."""

    @functools.wraps(fn)
    def test_fn():
        run_filecheck_test(fn)

    return test_fn
