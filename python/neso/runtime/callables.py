"""Functions whose source the compiler reads: the source, the globals that it reads, and the key of both. Kernels are such
functions (jit.py); here are those of constants, too, and what all that can be launched has in common."""

import ast
import copy
import inspect
import threading
import types
import weakref

from .._lazy import sha256
from ..language import core
from . import describe, sources
from .tensors import MockTensor

_EMPTY_DIGEST = sha256()
_SIMPLE = (bool, int, float, str, bytes, type(None), core.dtype)


class KernelInterface:
    """What can be launched as kernel[grid](...)."""

    def warmup(self, *args, grid, **kwargs):
        return self.run(*map(MockTensor.wrap_dtype, args), grid=grid, warmup=True, **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError("a KernelInterface has a run()")

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def __class_getitem__(cls, item):
        return cls


class JITCallable:
    """A function whose source the compiler reads."""

    _decorator = f"@{describe.PACKAGE}.constexpr_function"

    def __init__(self, fn):
        if isinstance(fn, (type, types.BuiltinFunctionType)):
            raise TypeError(f"only functions made by `def` can be kernels, not {fn!r}")
        self.fn = fn
        self.signature = inspect.signature(fn)
        self.raw_src, self.starting_line_number = sources.read_lines(fn)
        self._src, self._line, self._indent = sources.cut(self.raw_src, max(self.starting_line_number, 1))
        self._fn_name = f"{fn.__module__}.{fn.__qualname__}"
        self._hash_lock = threading.RLock()
        self._hash = None
        self._made_source = None
        self._reader = None
        self.used_global_vals = {}
        #: kernels that were given it as a constant
        self._users = weakref.WeakSet()
        self.__doc__ = fn.__doc__
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__globals__ = fn.__globals__
        self.__module__ = fn.__module__

    # ---- source ----

    @property
    def src(self):
        return self._src

    @src.setter
    def src(self, text):
        raise AttributeError("the source changes by _unsafe_update_src(), which wants .hash = None of all callers too")

    def _unsafe_update_src(self, new_src):
        self._src = new_src
        self._indent = 0
        self.hash = None

    @property
    def hash(self):
        return self._hash

    @hash.setter
    def hash(self, value):
        self._hash = value
        if value is None:
            self._made_source = None
            self._reader = None
            self.used_global_vals = {}
            users, self._users = list(self._users), weakref.WeakSet()
            for kernel in users:
                kernel._forget()

    def parse(self):
        return ast.parse(self._src)

    def get_capture_scope(self):
        return self.__globals__ | describe.closure_of(self.fn)

    def _read(self):
        reader = self._reader
        if reader is None:
            reader = self._reader = sources.Reader(self._src)
        return reader

    def _scope(self):
        return describe.Scope(self._read().all_names, self.__globals__, describe.cells_of(self.fn))

    def _source(self):
        # One for all threads: the compiler asks by its path, and what nobody holds is gone.
        with describe.source_lock:
            if self._made_source is None or not self._made_source.is_fresh():
                path = self.fn.__code__.co_filename
                self._made_source = describe.Source(path, self._src, self._def_name(), self._line, self._indent,
                                                    self._scope(), self._decorator_text(), self.fn)
            return self._made_source

    def _def_name(self):
        return sources.DEF.match(self._src).group(1)

    def _decorator_text(self):
        return self._decorator

    # ---- key ----

    @property
    def cache_key(self):
        with self._hash_lock:
            if self._hash is None:
                self._hash = f"recursion:{self._fn_name}"
                try:
                    self._hash = self._compute_key()
                except BaseException:
                    self._hash = None
                    raise
            return self._hash

    def _compute_key(self):
        reader = self._read()
        closure = describe.closure_of(self.fn)
        digest = _EMPTY_DIGEST.copy()
        digest.update(self._src.encode())
        self.used_global_vals = {}
        constants = []
        for name in sorted(reader.globals):
            value = self.__globals__.get(name)
            scope = self.__globals__
            if value is None:
                value, scope = closure.get(name), closure
            self._note(digest, name, value, scope, name in reader.defaults and name not in reader.body_names, constants)
        for name, path in reader.paths:
            value = closure.get(name, self.__globals__.get(name))
            for part in path:
                if value is None or describe.tile_path(value) is not None:
                    value = None
                    break
                value = getattr(value, part, None)
            self._note(digest, ".".join((name, ) + path), value, None, False, constants)
        digest.update(repr((self.starting_line_number, constants)).encode())
        return digest.hexdigest()

    def _note(self, digest, name, value, scope, in_default, constants):
        inner = value
        while not isinstance(inner, JITCallable) and getattr(inner, "fn", None) is not None and \
                isinstance(inner, KernelInterface):
            inner = inner.fn
        if isinstance(inner, JITCallable):
            digest.update((inner.cache_key + str(getattr(inner, "noinline", False))).encode())
            for key, entry in inner.used_global_vals.items():
                mine = self.used_global_vals.get(key)
                if mine is not None and not _same(mine[0], entry[0]):
                    raise RuntimeError(f"Global variable {key[0]} has value {mine[0]} when compiling {self._fn_name}, but "
                                       f"inner kernel {inner.__name__} has conflicting value {entry[0]} from when it was "
                                       "first compiled.  This is not allowed.")
                self.used_global_vals[key] = entry
            return
        if value is None or isinstance(value, types.ModuleType) or describe.tile_path(value) is not None:
            return
        if isinstance(value, type) or (callable(value) and not isinstance(value, core.constexpr)):
            self._note_function(name, value)
            return
        if scope is None or in_default:
            return
        if isinstance(value, core.constexpr):
            constants.append((name, repr(value)))
        try:
            kept = value if isinstance(value, _SIMPLE) else copy.deepcopy(value)
        except Exception:
            kept = describe.snapshot(value)
        self.used_global_vals[(name, id(scope))] = (kept, scope)

    def _note_function(self, name, value):
        """A function of the host that kernels call runs while they are compiled: it is part of what is compiled (front/content)."""

    def __hash__(self):
        return hash(self.cache_key)

    @property
    def type(self):
        return core.constexpr_type(self)


def _same(a, b):
    """As a kernel sees them: 1, True and 1.0 are three values, 0.0 and -0.0 two, and NaN is one."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return repr(a) == repr(b)
    if type(a) is core.constexpr:
        return _same(a.value, b.value)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    if type(a) is dict:
        return a.keys() == b.keys() and all(_same(value, b[key]) for key, value in a.items())
    try:
        return a is b or bool(a == b)
    except Exception:
        return False


# ---- functions that run while compiling ----


class BoundConstexprFunction(JITCallable):

    def __init__(self, instance, fn):
        self.__self__ = instance
        self.__func__ = fn

    @property
    def cache_key(self):
        return self.__func__.cache_key

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)


class ConstexprFunction(JITCallable):
    """A function of constants, for host and kernels."""

    def _note_function(self, name, value):
        """What it gives must follow from its text: upstream's words."""
        module = getattr(value, "__module__", None) or ""
        if isinstance(value, types.FunctionType) and module.partition(".")[0] not in ("neso", "triton", "math", "copy"):
            raise RuntimeError(f"Unsupported function referenced: {value}")

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *args, _semantic=None, **kwargs):
        unwrap = core._unwrap_if_constexpr
        return self.fn(*[unwrap(a) for a in args], **{k: unwrap(v) for k, v in kwargs.items()})


def constexpr_function(fn):
    """Makes a function of constants callable from kernels, which run it while they are compiled.

    >>> @triton.constexpr_function
    ... def half(n):
    ...     return n // 2
    >>> half(128)
    64
    """
    return ConstexprFunction(fn)


def get_full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"


def get_jit_fn_file_line(fn):
    while not isinstance(fn, JITCallable):
        fn = fn.fn
    return fn.fn.__code__.co_filename, fn._line
