"""Compiling kernels."""

from .._lazy import lazy
from .compiler import CompiledKernel, LazyDict, make_backend
from .errors import CompilationError

TYPE_CHECKING = False
if TYPE_CHECKING:  # for editors: what is imported when it is asked for
    from .ahead import ASTSource, IRSource, compile

__all__ = ["compile", "make_backend", "ASTSource", "IRSource", "CompiledKernel", "CompilationError", "LazyDict"]

__getattr__, __dir__ = lazy(__name__, {".ahead": ("ASTSource", "IRSource", "compile")}, (".ahead", ".steps"))
