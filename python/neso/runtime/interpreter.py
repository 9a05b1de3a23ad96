"""Names of upstream's interpreter that programs look for. Kernels are interpreted by the library, not here."""

from .errors import InterpreterError  # noqa: F401
from .jit import JITFunction

_MISSING = object()


class InterpretedFunction(JITFunction):
    """Another name for a kernel: every one can be interpreted."""
