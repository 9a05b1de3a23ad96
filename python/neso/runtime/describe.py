"""Python values as the compiler knows them.

A kernel is handed to the compiler as the text of its function alone; every other name in it is asked for, by
value: globals, closure variables, attributes of modules and objects. `expression` writes a value as an expression,
`resolve` answers the compiler's questions. Names that begin with `_neso` are this module's own."""

import enum
import importlib
import inspect
import sys
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
        root, _, path = value.__name__.partition(".")
        # Those of `tools` have kernels' functions as any package may.
        return ("." + path if path else "") if root in ("neso", "triton") and not path.startswith("tools.") else None
    if isinstance(value, type):
        if value.__module__.startswith("neso.language.") and getattr(core, value.__name__, None) is value:
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
        if isinstance(value, tuple):  # such as torch.Size
            return f"({_sequence(value, depth)})"
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


def _readable(path):
    """The path of a file, whose bytes need not be UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode()


class Source:
    """The text of one function or class, with its place in its file, and the scope that it sees; `made_of`: the function or class."""

    _by_path = weakref.WeakValueDictionary()
    _count = 0

    def __init__(self, path, text, name, line, indent, scope, decorator, made_of):
        Source._count += 1
        self.name = name
        self.path = f"{_readable(path)}\x1f{Source._count}"
        self.scope = scope
        self.made_of = made_of
        self.lines = (line, line + text.rstrip().count("\n"))
        self.tile_names = list(scope.tile_names())
        self.imports = _imports(self.tile_names)
        self.text = _place(text, line, indent, decorator, self.imports)
        Source._by_path[self.path] = self

    def answer(self):
        for name, value in self.tile_names:
            if not isinstance(value, types.ModuleType):
                self.scope.read(name, value)  # it is written into the text
        return (self.path, self.text, self.name)

    def is_fresh(self):
        """Are the names of the tile language that are written into the text still those?"""
        now = list(self.scope.tile_names())
        if len(now) != len(self.tile_names) or any(a is not b or n is not m
                                                   for (n, a), (m, b) in zip(now, self.tile_names)):
            if self.imports != _imports(now):
                return False
            self.tile_names = now
        return True

    def default(self, function, name):
        """What the default of a parameter is worth: Python has it since the `def`."""
        made = self.made_of
        if isinstance(made, type):
            made = _plain_function(vars(made).get(function.rpartition(".")[2]))
        if made is None or function.rpartition(".")[2] not in (made.__name__, self.name):
            return _MISSING
        given, by_name = made.__defaults__ or (), made.__kwdefaults__ or {}
        _read(made, "__defaults__", made.__defaults__)
        _read(made, "__kwdefaults__", made.__kwdefaults__)
        names = made.__code__.co_varnames[:made.__code__.co_argcount]
        at = names.index(name) - len(names) if name in names else 0
        return given[at] if -len(given) <= at < 0 else by_name.get(name, _MISSING)

    def member(self, owner, name):
        """What a member of the class, or of one that it is made of, is by now; missing: what the text says."""
        cls = self.made_of
        for base in getattr(cls, "__mro__", ())[1:]:
            cls = base if base.__name__ == owner and base.__module__ == self.made_of.__module__ else cls
        if not isinstance(cls, type) or name not in vars(cls):
            return _MISSING
        value = vars(cls)[name]
        _read(cls, name, getattr(cls, name, None))
        if issubclass(cls, enum.Enum):
            return value.value if isinstance(value, enum.Enum) else _MISSING
        if name in getattr(cls, "_field_defaults", ()):
            return cls._field_defaults[name]
        function = _plain_function(value)
        if function is not None:
            here = self.lines[0] <= function.__code__.co_firstlineno <= self.lines[1]
            return _MISSING if here and _readable(function.__code__.co_filename) == self.path.partition("\x1f")[0] else value
        if isinstance(value, (staticmethod, classmethod, property)) or not (_is_data(value) or isinstance(value, core.constexpr)):
            return _MISSING
        return value


def _imports(tile_names):
    """Imports that give the function's names of the tile language, on one line."""
    lines = [f"import triton as {PACKAGE}"]
    for name, value in tile_names:
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
        import textwrap
        body = textwrap.indent(text, " " * indent)
        head[line - 3] = "if True:"
        head[line - 2] = " " * indent + decorator
    elif decorator:
        if line < 2:
            head = [""]
        head[-1] = decorator
    return "\n".join(head + [body.rstrip("\n"), imports, ""])


class Scope:
    """Names that a function sees outside of itself, as they are when they are asked for."""

    def __init__(self, names, global_names, cells):
        self.names = names
        self.globals = global_names
        self.cells = cells

    def get(self, name, missing=None):
        try:
            return self.cells[name].cell_contents
        except (KeyError, ValueError):
            return self.globals.get(name, missing)

    def read(self, name, value):
        if name in self.cells:
            _read(self.cells[name], "cell_contents", value)
        else:
            _read(self.globals, name, value)

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
    """One Source for each function or class, as long as it is the same code."""
    def source(value):
        with source_lock:
            made = _plain_functions.get(value)
            code = getattr(value, "__code__", None)
            if made is None or made.code is not code or not made.is_fresh():
                made = make(value)
                if made is not None:
                    made.code = code
                    _plain_functions[value] = made
            if code is not None:
                _read(value, "__code__", code)
            return made
    source.__doc__ = make.__doc__
    return source


def _class_text(cls):
    """The text of a class, and its line; None: it cannot be had."""
    try:
        lines, line = inspect.getsourcelines(cls)
    except (OSError, TypeError):
        return None
    import textwrap
    text = textwrap.dedent("".join(lines))
    return (text, line) if text.lstrip().startswith(("class", "@")) else None


def _bases(cls, line):
    """Classes of the same file that it has fields and methods of, which stand before it, as (class, text, line)."""
    found = [(base, _class_text(base)) for base in cls.__mro__[1:] if base.__module__ == cls.__module__]
    chosen = []
    for base, (text, at) in sorted(((b, given) for b, given in found if given), key=lambda one: -one[1][1]):
        if at + text.rstrip("\n").count("\n") < line:
            chosen.insert(0, (base, text, at))
            line = at
    return chosen


@_once
def class_source(cls):
    """Text of a class that kernels use, and of those before it that it is made of: named tuples, enums, aggregates."""
    import ast
    given = _class_text(cls)
    bases = _bases(cls, given[1]) if given else []
    if given:
        text, line = given
    else:
        fields = getattr(cls, "_fields", None)
        if fields is None:
            return None
        text, line = f"from typing import NamedTuple\nclass {cls.__name__}(NamedTuple):\n" + "".join(
            f"    {f}: object\n" for f in fields), 1
    for _, before, at in bases[::-1]:
        text, line = before + "\n" * (line - at - before.count("\n")) + text, at
    module = sys.modules.get(cls.__module__)
    closure = {}
    for member in [member for one in (*(base for base, _, _ in bases), cls) for member in vars(one).values()]:
        function = getattr(member, "fn", member)
        function = getattr(function, "__func__", function)
        if isinstance(function, types.FunctionType):
            closure.update(cells_of(function))
    names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    scope = Scope(names, vars(module) if module else {}, closure)
    return Source(getattr(module, "__file__", None) or "<class>", text, cls.__name__, line, 0, scope, None, cls)


@_once
def function_source(function):
    """Text of an ordinary function that a kernel calls while it is compiled."""
    import ast
    from .sources import DEF, read_source
    text, line, indent = read_source(function)
    names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    scope = Scope(names, function.__globals__, cells_of(function))
    return Source(function.__code__.co_filename, text, DEF.match(text).group(1), line, 0, scope, f"@{PACKAGE}.constexpr_function(plain=True)",
                  function)


def cells_of(function):
    return dict(zip(function.__code__.co_freevars, function.__closure__ or ()))


def _plain_function(member):
    """The function behind a member of a class, or None."""
    for attribute in ("fn", "__func__"):
        member = getattr(member, attribute, member)
    return member if isinstance(member, types.FunctionType) else None


def closure_of(function):
    """Closure variables that have a value."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            pass
    return found


# ---- what is read while a kernel is compiled ----

_MISSING = object()
_reading = threading.local()


def begin_reads():
    """From here on this thread notes what the compiler is told, and where it was read."""
    _reading.found = {}


def end_reads():
    """What was noted: (dict or object, name, value, is it immutable)."""
    found, _reading.found = getattr(_reading, "found", None), None
    return list(found.values()) if found else []


def snapshot(value, depth=0):
    """The value, as it is compared later: containers as they are now, of the same items."""
    kind = type(value)
    if depth < 16 and kind in (list, tuple, set):
        return kind(snapshot(item, depth + 1) for item in value)
    if depth < 16 and kind is dict:
        return {key: snapshot(item, depth + 1) for key, item in value.items()}
    if depth < 16 and kind is core.constexpr:
        return core.constexpr(snapshot(value.value, depth + 1))
    return value


def _read(owner, name, value):
    found = getattr(_reading, "found", None)
    key = (id(owner), name)
    if found is None or key in found:
        return
    kept = snapshot(value)
    found[key] = (owner, name, kept, kept is value and not isinstance(value, (types.MethodType, tuple)))


# ---- the compiler's questions ----


def _free_globals():
    from .. import knobs
    return knobs.runtime.interpret or knobs.compilation.allow_non_constexpr_globals


def _is_data(value):
    if isinstance(value, (list, tuple)):
        return all(_is_data(v) for v in value)
    return value is None or isinstance(value, (bool, int, float, str))


#: Of a function, around one another. Stand-ins for what could not be imported have every attribute, without end.
_MOST_WRAPPERS = 64

#: What classes are made with: the compiler knows what it does to them.
_PYTHONS_OWN = ("builtins", "enum", "typing", "collections", "dataclasses", "abc")


def answer_for(value):
    """What the compiler is told of a value: text, or (path, source, name)."""
    from .jit import ConstexprFunction, JITCallable
    if isinstance(value, JITCallable):
        return value._source().answer()
    if getattr(value, "fn", None) is not None and hasattr(value, "arg_names"):
        inner = value
        for _ in range(_MOST_WRAPPERS):
            if isinstance(inner, JITCallable) or not hasattr(inner, "fn"):
                break
            inner = inner.fn
        if isinstance(inner, JITCallable):
            return inner._source().answer()
    path = tile_path(value)
    if path is not None:
        return PACKAGE + path
    if isinstance(value, type):
        if value.__module__ in _PYTHONS_OWN:
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
        if value.__module__ in _PYTHONS_OWN:
            return None
        return function_source(value).answer()
    if isinstance(value, (types.BuiltinFunctionType, types.MethodType)):
        return None
    text = expression(value)
    if text in _objects and _objects[text] is value:
        return ("space", text)
    if _is_data(value) and value is not None and _free_globals():
        return f"{PACKAGE}.language.constexpr({text})"
    return text


def _imported(statement, scope):
    """What an import in a function's body binds, or missing: `from .p import x`, `import p.q as`, `import p.q`."""
    words = statement.split(" ")
    try:
        module = importlib.import_module(words[1], scope.globals.get("__package__"))
        if words[0] == "import":
            return module if words[-1] == "as" else sys.modules[words[1].partition(".")[0]]
        if not hasattr(module, words[3]):
            return importlib.import_module(f"{module.__name__}.{words[3]}")
    except Exception:
        return _MISSING  # the compiler says where
    value = getattr(module, words[3])
    _read(vars(module) if words[3] in vars(module) else module, words[3], value)
    return value


def resolve(path, function, name):
    """The compiler's question: what is `name` in the text `path`?"""
    source = Source._by_path.get(path)
    if name.startswith(("from ", "import ")):
        value = _imported(name, source.scope) if source is not None else _MISSING
        return None if value is _MISSING else answer_for(value)
    if name.endswith("="):
        if source is None:
            return None
        owner, _, last = name[:-1].rpartition(".")
        value = source.member(owner, last) if owner else source.default(function, last)
        return None if value is _MISSING else answer_for(value)
    if "." in name:
        owner, _, attribute = name.rpartition(".")
        holder = _objects.get(owner, _MISSING)
        if holder is _MISSING:
            return None
        value = getattr(holder, attribute, _MISSING)
        if value is _MISSING:
            return None
        _read(vars(holder) if isinstance(holder, types.ModuleType) and attribute in vars(holder) else holder, attribute, value)
        return answer_for(value)
    if name in _objects and name.startswith("_neso"):
        return answer_for(_objects[name])
    if source is None:
        return None
    value = source.scope.get(name, _MISSING)
    if value is _MISSING:
        return None
    source.scope.read(name, value)
    return answer_for(value)
