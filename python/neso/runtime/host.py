"""What the extension calls back: questions of the compiler, failures, output, arrays of other libraries."""

import enum
import os
import re
import sys
import threading
import types

from .. import _native
from ..compiler.errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct
from ..errors import CompileMissError, CompileTimeoutError, TritonError
from . import breakpoints, describe
from .errors import (ArgumentError, DeadlockError, DeviceAssertError, LaunchError, MixedArraysError,
                     OptionError, OutOfBoundsError, OutOfResources, PTXASError)

SOURCE, ARGUMENT, RUN = 2, 3, 4


class Finding:
    """One thing that was found, and where."""

    __slots__ = ("severity", "code", "text", "path", "line", "column", "end_line", "end_column", "source_line", "notes")

    def __init__(self, severity, code, text, path, line, column, end_line, end_column, source_line, notes):
        self.severity = ("error", "warning", "note")[severity]
        self.code, self.text, self.path = code, text, path
        self.line, self.column, self.end_line, self.end_column = line, column, end_line, end_column
        self.source_line = source_line
        self.notes = [Finding(*n) for n in notes]

    def __repr__(self):
        return f"{self.path}:{self.line}:{self.column}: {self.severity}: {self.text}"

    def __getstate__(self):
        return {n: getattr(self, n) for n in self.__slots__}

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)


_RUN_ERRORS = {
    "RUN_OUT_OF_BOUNDS": OutOfBoundsError, "RUN_READ_ONLY": OutOfBoundsError, "RUN_INDEX": OutOfBoundsError,
    "RUN_ASSERT": DeviceAssertError, "RUN_DEADLOCK": DeadlockError,
}
_COMPILE_ERRORS = {"TILE_STATIC_ASSERT": CompileTimeAssertionFailure, "UNSUPPORTED": UnsupportedLanguageConstruct}


_RESOURCES = {
    "NV_SHARED": ("shared memory", r"needs (?P<need>\d+) bytes of shared memory.* at most (?P<limit>\d+)"),
    "SHARED_MEMORY": ("shared memory", r"needs (?P<need>\d+) bytes of shared memory.* can have (?P<limit>\d+)"),
    "OPTION_THREADS": ("threads", r"has (?P<need>\d+) threads then.* at most (?P<limit>\d+)"),
    "NV_THREADS": ("threads", r"has (?P<need>\d+) threads in a CTA.* at most (?P<limit>\d+)"),
}


def _out_of_resources(text, finding):
    name, pattern = _RESOURCES[finding.code]
    found = re.search(pattern, finding.text)
    return OutOfResources.of(text, int(found["need"]), int(found["limit"]), name)


def fail(status, findings, text, kernel):
    """Raises what a failed call of the library said."""
    found = [Finding(*f) for f in findings]
    first = next((f for f in found if f.severity == "error"), None)
    code = first.code if first else ""
    if first is not None and found[0] is not first:
        found.remove(first)
        found.insert(0, first)
    if code in _RESOURCES:
        raise _out_of_resources(text, first)
    if code in ("PTXAS_FAILED", "PTXAS_ERROR", "PTXAS_TIMEOUT"):
        raise PTXASError(text)
    if code.startswith(("NV_", "PTXAS_")):
        raise LaunchError(text, found)
    if status == RUN:
        raise _RUN_ERRORS.get(code, LaunchError)(text, found)
    if status == ARGUMENT:
        raise (OptionError if code == "OPTION_VALUE" else ArgumentError)(text)
    if status == SOURCE:
        raised = _COMPILE_ERRORS.get(code, CompilationError).of(text, found)
        inside = raised.in_callee()
        if inside is not None:
            inside.__cause__ = _cause(code, first)
        raise raised from (inside or _cause(code, first))
    if code == "STRICT_MISS":
        raise CompileMissError(text, found)
    if code == "COMPILE_TIME":
        raise CompileTimeoutError(text)
    if status == 6:
        raise MemoryError(text)
    raise TritonError(text)


def different(text, findings):
    """Raises that a launch's results are not the interpreter's; the findings tell who wrote them."""
    found = [f for f in map(lambda f: Finding(*f), findings) if f.code == "SIM_WRITER"]
    raise LaunchError("\n".join([text, *map(repr, found)]), found)


# Faults of operators and statements: upstream's errors of these have no cause.
_UNCAUSED = {"TILE_STATIC_ASSERT", "TILE_OPERAND", "TILE_OPERANDS", "OPERAND_TYPE", "OPERAND_TYPES", "UNSUPPORTED", "STRICT",
             "STRICT_WORDS", "RESULT_DROPPED"}
# Sentences that programs compare __cause__ with, where ours says more: what of it is in theirs.
_CAUSES = {
    "TILE_ARANGE_SIZE": (r".*", "arange's range must be a power of 2"),
    "TILE_SHAPE_POW2": (r".*dimension (\d+) of the tile.*", r"Shape element \1 must be a power of 2"),
}


def _cause(code, finding):
    """The kind of Python exception that the finding would be, for programs that look at __cause__."""
    if finding is None or code in _UNCAUSED:
        return None
    if code in _CAUSES:
        return ValueError(re.sub(*_CAUSES[code], finding.text, count=1))
    if code.startswith("NAME_"):
        return NameError(f"{finding.text}")
    if "TYPE" in code or "ARGUMENT" in code:
        return TypeError(finding.text)
    return ValueError(finding.text)


_DUMP, _NOTICE = 2, -1


def show(level, text):
    """Output of kernels goes to stdout, warnings and what MLIR_ENABLE_DUMP shows to stderr."""
    if level == _NOTICE:
        return notice(text, f"neso: {text}")
    if level == 0:
        text = breakpoints.filter_output(text)
    if level == _DUMP and os.environ.get("MLIR_DUMP_PATH"):
        with open(os.environ["MLIR_DUMP_PATH"], "a") as file:
            file.write(text)
        return
    (sys.stdout if level == 0 else sys.stderr).write(text)


def nearest(word, known):
    import difflib
    same = [name for name in known if name.lower() == word.lower()]
    close = same or difflib.get_close_matches(word, known, 1) or (len(word) > 1 and [n for n in known if n[0] == word[0]])
    return f"; did you mean '{close[0]}'?" if close else ""


def mappings():
    """All memory of this process, for kernels that follow addresses which they load."""
    found = []
    with open("/proc/self/maps") as file:
        for line in file:
            span, access = line.split()[:2]
            if access[0] != "r" or line.rstrip().endswith(("[vvar]", "[vsyscall]", "[vvar_vclock]")):
                continue
            begin, end = (int(x, 16) for x in span.split("-"))
            found.append((begin, end - begin, access[1] == "w"))
    return found


def run_hooks(kernel, compiled, grid, stream, args):
    from .. import knobs
    hook = knobs.runtime.launch_enter_hook if args is not None else knobs.runtime.launch_exit_hook
    if hook is None:
        return
    hook(compiled.launch_metadata(grid, stream, *(args or {}).values(), _args=args))


# ---- GPUs ----


def _kind(value):
    place = getattr(value, "device", None)
    return f"a {type(value).__module__}.{type(value).__name__}" + (f" on {place}" if isinstance(place, str) or
                                                                    hasattr(place, "type") else "")


def mixed(name, value, other_name, other):
    """A launch runs in one place."""
    raise MixedArraysError(f"argument '{name}' is {_kind(value)}, which only a GPU can reach, and argument '{other_name}' "
                           f"{_kind(other)}, which only the CPU can: Pointer argument '{other_name}' cannot be accessed "
                           "from Triton (cpu tensor?)")


def stream_of(array, device):
    """The current stream of the array's library; of torch's where there are no arrays and torch uses GPUs. A type means
    that its table of C functions tells it."""
    library = type(array).__module__.partition(".")[0] if array is not None else "torch"
    if library == "neso":
        library = "torch"
    module = sys.modules.get(library)
    if library == "cupy" and module is not None:
        return module.cuda.get_current_stream().ptr
    if library != "torch" or module is None or not module.cuda.is_initialized():
        return 0
    if hasattr(module.Tensor, "__dlpack_c_exchange_api__"):
        return module.Tensor
    return module._C._cuda_getCurrentRawStream(device)


_allocated = threading.local()


def allocate(size, align, stream):
    """Memory for a kernel by set_allocator's allocator, kept until this thread needs the next; None: there is none set."""
    from . import _allocation
    allocator = _allocation._allocator.get()
    if isinstance(allocator, _allocation.NullAllocator):
        return None
    _allocated.buffer = allocator(size, align, stream)
    return _allocated.buffer.data_ptr()


def _environment():
    """The dict behind os.environ, which the extension looks at without a call."""
    data = getattr(os.environ, "_data", None)
    return data if isinstance(data, dict) and all(isinstance(k, bytes) for k in data) else None


# ---- notices ----

_told = set()


def notice(key, text):
    if key not in _told:
        _told.add(key)
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def first_launch():
    """Says once how kernels are run."""
    from .. import knobs
    knobs.check_environment()
    if os.environ.get("NESO_QUIET"):
        return
    if knobs.runtime.target:
        return
    if knobs.runtime.interpret:
        # The figures: bench/NOTES.md, "Interpreter and simulator".
        notice("mode", "neso: TRITON_INTERPRET is set: kernels are interpreted on the CPU. Where they work on whole tiles that "
               "took 0.4 to 7 times as long as NumPy or torch on the same CPU when measured, where they go through single "
               "elements 90 to 360 times, and a GPU is far faster; unset TRITON_INTERPRET to switch this off")
    elif not _native.gpu_count():
        reason = (_native.info("driver") or "").removeprefix("none: ")
        notice("mode", f"neso: kernels are interpreted on the CPU, as there is no GPU here ({reason}; NESO_QUIET=1 hides "
               "this)")


def _resolve(path, function, name):
    return describe.resolve(path, function, name)


def _import_array(array, name):
    from .arrays import import_array
    return import_array(array, name)


def connect():
    """Gives the extension what it calls back."""
    from .. import knobs
    from ..compiler.compiler import CompiledKernel
    from ..tools.tensor_descriptor import TensorDescriptor
    from . import against, kept, warned
    from .jit import JITCallable, TensorWrapper
    from .tensors import Memory
    lasting = (describe.core.dtype, JITCallable, type, types.FunctionType, types.BuiltinFunctionType, enum.Enum)
    _native.setup(resolve=_resolve, fail=fail, expression=describe.expression, import_array=_import_array, print=show,
                  compiled=CompiledKernel, descriptor=TensorDescriptor, constexpr=describe.core.constexpr,
                  slow=knobs._watched, hooks=run_hooks, mappings=mappings, wrapper=TensorWrapper, lasting=lasting,
                  environment=_environment(), settings=knobs.unpropagated, mixed=mixed, stream=stream_of,
                  allocate=allocate, kept=kept.call,
                  warn=warned.show, nearest=nearest, differ=against.differ, different=different, memory=Memory)
