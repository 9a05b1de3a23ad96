"""Compiling kernels."""

from .compiler import ASTSource, CompiledKernel, IRSource, LazyDict, compile, make_backend
from .errors import CompilationError

__all__ = ["compile", "make_backend", "ASTSource", "IRSource", "CompiledKernel", "CompilationError", "LazyDict"]
