"""Names of upstream's code generator that libraries import. Code is generated in the library."""

from ..language.core import str_to_ty  # noqa: F401
from ..runtime.jit import (JITCallable, JITFunction, get_full_name, get_jit_fn_file_line,  # noqa: F401
                           is_namedtuple)
from .errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct  # noqa: F401


class CodeGenerator:

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("neso generates code in its library: there is no CodeGenerator to subclass or call")


def ast_to_ttir(fn, src, context, options, codegen_fns=None, module_map=None, module=None):
    """The TTIR of an ASTSource as the front end writes it: an _C.libtriton.ir.module."""
    if module is not None:
        raise NotImplementedError("neso writes a kernel's TTIR into a module of its own, and not into one that is given")
    return src.make_ir(None, options, codegen_fns, module_map, context)
