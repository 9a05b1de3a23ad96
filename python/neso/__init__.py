"""Neso: kernels in the Triton tile language, compiled and run without Triton.

`import neso as triton` runs an existing program; `python -m neso program.py` runs it unchanged."""

__version__ = "0.1.0"

from . import language, runtime
from ._lazy import lazy as _lazily
from .compiler import CompilationError
from .errors import CompileMissError, TritonError
from .runtime import InterpreterError, JITFunction, KernelInterface, MockTensor, OutOfResources, TensorWrapper, reinterpret
from .runtime._allocation import set_allocator
from .runtime._async_compile import AsyncCompileMode, FutureKernel
from .runtime.jit import constexpr_function, jit
from .language.core import aggregate, cdiv_host as cdiv, next_power_of_2_host as next_power_of_2
from .runtime.breakpoints import breakpoint
from .runtime import host as _host
from ._alias import install

TYPE_CHECKING = False
if TYPE_CHECKING:  # for editors: what is imported when it is asked for
    from .compiler.ahead import compile
    from .runtime.autotuner import Config, autotune, heuristics
    from .tools import LinearLayout
    from .runtime.declare import compile_declared, control, declare, explain, record, warm

_host.connect()

__all__ = [
    "AsyncCompileMode", "CompilationError", "CompileMissError", "Config", "FutureKernel", "InterpreterError", "JITFunction",
    "KernelInterface", "LinearLayout", "MockTensor",
    "OutOfResources", "TensorWrapper", "TritonError", "aggregate", "autotune", "breakpoint", "cdiv", "compile",
    "compile_declared", "constexpr_function", "control", "declare", "explain", "heuristics", "install", "jit", "knobs", "language", "must_use_result", "next_power_of_2",
    "record", "reinterpret", "runtime", "set_allocator", "testing", "tools", "warm",
]


def must_use_result(fn=None, _=None):
    """Marks a function whose result a kernel must use: a call that drops it is an error, which ends in a text that is given.

    >>> @triton.must_use_result
    ... def one():
    ...     return 1
    """
    if not callable(fn):
        return lambda function: _marked(function, fn or True)
    return _marked(fn, True)


def _marked(function, text):
    function._must_use_result = text
    return function


def load_ipython_extension(shell):
    """%load_ext neso: `import triton` gives this package from now on."""
    install()


__getattr__, __dir__ = _lazily(__name__, {
    ".compiler": ("compile", ), ".tools": ("LinearLayout", ), ".runtime": ("Config", "autotune", "heuristics"),
    ".runtime.declare": ("compile_declared", "control", "declare", "explain", "record", "warm"),
}, (".testing", ".tools", ".knobs", ".backends", ".compiler", ".errors", ".experimental", "._internal_testing", ".profiler", "._C"))
