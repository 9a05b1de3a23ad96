"""Python values as the compiler knows them.

A kernel is handed to the compiler as the text of its function alone; every other name in it is asked for, by
value: globals, closure variables, attributes of modules and objects. `expression` writes a value as an expression,
`resolve` answers the compiler's questions. Names that begin with `_neso` are this module's own."""

import enum
import inspect
import textwrap
import threading
import types
import weakref

from ..language import core

#: What the compiler's texts call this package.
PACKAGE = "_neso"

_objects = {}
_names = {}


def name_of(value):
    """A name under which the compiler may ask for the value; the value is kept."""
    name = _names.get(id(value))
    if name is None:
        name = _names[id(value)] = f"_neso{len(_objects)}"
        _objects[name] = value
    return name


def tile_path(value):
    """'.language.load' for what is part of the tile language, else None."""
    if isinstance(value, types.ModuleType):
        name = value.__name__
        for root in ("neso", "triton"):
            if name == root or name.startswith(root + "."):
                return name[len(root):]
        return None
    if isinstance(value, type):
        module = value.__module__
        if module == "neso.language.core" and getattr(core, value.__name__, None) is value:
            return ".language." + value.__name__
        return None
    path = getattr(value, "__neso_path__", None)
    return "." + path if isinstance(path, str) else None


def _sequence(items, depth):
    return "".join(expression(i, depth + 1) + ", " for i in items)


def expression(value, depth=0):
    """The value as a Python expression for the compiler."""
    if value is None or value is True or value is False or value is Ellipsis:
        return repr(value) if value is not Ellipsis else "..."
    kind = type(value)
    if kind is int or kind is str:
        return repr(value)
    if kind is float:
        return f"float('{value!r}')" if value != value or value in (float("inf"), float("-inf")) else repr(value)
    if kind is core.dtype:
        return f"{PACKAGE}.language.{value.codegen_name()}"
    if kind is core.constexpr:
        return f"{PACKAGE}.language.constexpr({expression(value.value, depth)})"
    if kind is core.pointer_type:
        return f"{PACKAGE}.language.pointer_type({expression(value.element_ty)})"
    if kind is core.block_type:
        return f"{PACKAGE}.language.block_type({expression(value.element_ty)}, {list(value.shape)})"
    if depth < 16:
        if kind is tuple:
            return f"({_sequence(value, depth)})"
        if kind is core.tuple:
            return f"({_sequence(value.values, depth)})"
        if kind is list:
            return f"[{_sequence(value, depth)}]"
        if kind is dict:
            return "{" + "".join(f"{expression(k, depth + 1)}: {expression(v, depth + 1)}, "
                                 for k, v in value.items()) + "}"
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{name_of(kind)}({_sequence(value, depth)})"
    path = tile_path(value)
    if path is not None:
        return PACKAGE + path
    if isinstance(value, enum.Enum):
        return f"{name_of(kind)}.{value.name}"
    if isinstance(value, bool):
        return repr(bool(value))
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return expression(float(value))
    if isinstance(value, str):
        return repr(str(value))
    if hasattr(kind, "__index__") and not hasattr(kind, "__iter__"):
        return repr(value.__index__())
    torch_dtype = _foreign_dtype(value)
    if torch_dtype is not None:
        return expression(torch_dtype)
    return name_of(value)


def _foreign_dtype(value):
    """The tile language's dtype for one of torch's; None for anything else."""
    if type(value).__name__ != "dtype" or type(value).__module__ != "torch":
        return None
    from .._utils import type_canonicalisation_dict
    short = type_canonicalisation_dict.get(str(value).split(".")[-1])
    if short is None:
        return None
    long = {"u1": "int1"}.get(short, short)
    if long[0] in "iu" and not long.startswith("int"):
        long = ("uint" if long[0] == "u" else "int") + long[1:]
    return core.dtype(long)


# ---- texts of functions and classes ----


class Source:
    """The text of one function or class, with its place in its file, and the scope that it sees."""

    _by_path = weakref.WeakValueDictionary()
    _count = 0

    def __init__(self, path, text, name, line, indent, scope, decorator):
        Source._count += 1
        self.name = name
        self.path = f"{path}\x1f{Source._count}"
        self.scope = scope
        self.text = _place(text, line, indent, decorator, _imports(scope))
        Source._by_path[self.path] = self

    def answer(self):
        return (self.path, self.text, self.name)


def _imports(scope):
    """Imports that give the function's names of the tile language, on one line."""
    lines = [f"import triton as {PACKAGE}"]
    for name, value in scope.tile_names():
        path = tile_path(value)
        if isinstance(value, types.ModuleType):
            lines.append(f"import triton{path} as {name}")
        elif "." in path[1:]:
            module, last = path.rsplit(".", 1)
            lines.append(f"from triton{module} import {last} as {name}")
        else:
            lines.append(f"from triton import {path[1:]} as {name}")
    return "; ".join(lines)


def _place(text, line, indent, decorator, imports):
    """The text at its line and column of its file; what the compiler needs besides goes before and behind it."""
    head = [""] * max(line - 1, 0)
    body = text
    if indent and line >= 3 and decorator:
        body = textwrap.indent(text, " " * indent)
        head[line - 3] = "if True:"
        head[line - 2] = " " * indent + decorator
    elif decorator:
        if line < 2:
            head = [""]
        head[-1] = decorator
    return "\n".join(head + [body.rstrip("\n"), imports, ""])


class Scope:
    """Names that a function sees outside of itself."""

    def __init__(self, names, global_names, closure):
        self.names = names
        self.globals = global_names
        self.closure = closure

    def get(self, name, missing=None):
        if name in self.closure:
            return self.closure[name]
        return self.globals.get(name, missing)

    def tile_names(self):
        """Names of parts of the tile language; dtypes are values, which the compiler asks for."""
        for name in sorted(self.names):
            value = self.get(name)
            if value is not None and tile_path(value) is not None:
                yield name, value


_plain_functions = {}

#: Held while a Source is made: the compiler asks by its path, so threads that compile at once must agree on one.
source_lock = threading.RLock()


def _once(make):
    """One Source for each function or class."""
    def source(value):
        with source_lock:
            made = _plain_functions.get(value)
            if made is None:
                made = make(value)
                if made is not None:
                    _plain_functions[value] = made
            return made
    source.__doc__ = make.__doc__
    return source


@_once
def class_source(cls):
    """Text of a class that kernels use: named tuples, enums, aggregates."""
    import ast
    import sys
    try:
        lines, line = inspect.getsourcelines(cls)
        text = textwrap.dedent("".join(lines))
        if not text.lstrip().startswith(("class", "@")):
            raise OSError
    except (OSError, TypeError):
        fields = getattr(cls, "_fields", None)
        if fields is None:
            return None
        text, line = f"from typing import NamedTuple\nclass {cls.__name__}(NamedTuple):\n" + "".join(
            f"    {f}: object\n" for f in fields), 1
    module = sys.modules.get(cls.__module__)
    closure = {}
    for member in vars(cls).values():
        function = getattr(member, "fn", member)
        function = getattr(function, "__func__", function)
        if isinstance(function, types.FunctionType):
            closure.update(closure_of(function))
    names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    scope = Scope(names, vars(module) if module else {}, closure)
    return Source(getattr(module, "__file__", None) or "<class>", text, cls.__name__, line, 0, scope, None)


@_once
def function_source(function):
    """Text of an ordinary function that a kernel calls while it is compiled."""
    import ast
    from .sources import read_source
    text, line, indent = read_source(function)
    names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    scope = Scope(names, function.__globals__, closure_of(function))
    return Source(function.__code__.co_filename, text, function.__name__, line, 0, scope, f"@{PACKAGE}.constexpr_function")


def closure_of(function):
    """Closure variables that have a value."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            pass
    return found


# ---- the compiler's questions ----

_MISSING = object()


def _free_globals():
    from .. import knobs
    return knobs.runtime.interpret or knobs.compilation.allow_non_constexpr_globals


def _is_data(value):
    if isinstance(value, (list, tuple)):
        return all(_is_data(v) for v in value)
    return value is None or isinstance(value, (bool, int, float, str))


def answer_for(value):
    """What the compiler is told of a value: text, or (path, source, name)."""
    from .jit import ConstexprFunction, JITCallable
    if isinstance(value, JITCallable):
        return value._source().answer()
    if getattr(value, "fn", None) is not None and hasattr(value, "arg_names"):
        inner = value
        while not isinstance(inner, JITCallable) and hasattr(inner, "fn"):
            inner = inner.fn
        if isinstance(inner, JITCallable):
            return inner._source().answer()
    path = tile_path(value)
    if path is not None:
        return PACKAGE + path
    if isinstance(value, type):
        if value in (int, float, bool, str, tuple, list, dict):
            return None
        source = None
        if issubclass(value, (enum.Enum, tuple)) or hasattr(value, "__triton_aggregate__") or \
                hasattr(value, "__dataclass_fields__"):
            source = class_source(value)
        return source.answer() if source else ("space", name_of(value))
    if isinstance(value, types.ModuleType):
        _objects.setdefault(value.__name__, value)
        return ("space", value.__name__)
    if isinstance(value, types.FunctionType):
        return function_source(value).answer()
    if isinstance(value, (types.BuiltinFunctionType, types.MethodType)):
        return None
    text = expression(value)
    if text in _objects and _objects[text] is value:
        return ("space", text)
    if _is_data(value) and value is not None and _free_globals():
        return f"{PACKAGE}.language.constexpr({text})"
    return text


def resolve(path, function, name):
    """The compiler's question: what is `name` in the text `path`?"""
    if "." in name:
        owner, _, attribute = name.rpartition(".")
        holder = _objects.get(owner, _MISSING)
        if holder is _MISSING:
            return None
        value = getattr(holder, attribute, _MISSING)
        return None if value is _MISSING else answer_for(value)
    if name in _objects and name.startswith("_neso"):
        return answer_for(_objects[name])
    source = Source._by_path.get(path)
    if source is None:
        return None
    value = source.scope.get(name, _MISSING)
    return None if value is _MISSING else answer_for(value)
