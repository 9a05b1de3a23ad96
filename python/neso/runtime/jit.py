"""@jit: a Python function as a kernel.

A JITFunction is a native Kernel, which binds and launches; here is what it is made of: its source, its parameters, the
globals it reads, and its key."""

import ast
import copy
import hashlib
import importlib
import inspect
import itertools
import keyword
import os
import pickle
import re
import sys
import threading
import types
import weakref
from dataclasses import dataclass

from .. import _native, knobs
from .._utils import find_paths_if, get_iterable_path, is_namedtuple, type_canonicalisation_dict  # noqa: F401
from ..language import core
from . import _async_compile, describe, host, kept, sources, specialize
from .specialize import native_specialize_impl, specialize_impl  # noqa: F401
from .tensors import MockTensor, TensorWrapper, reinterpret  # noqa: F401

TRITON_MODULE = "triton.language"

# hashlib takes its time over the first, which is not to be the first launch's.
_EMPTY_DIGEST = hashlib.sha256()
_SIMPLE = (bool, int, float, str, bytes, type(None), core.dtype)


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
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception:
        return a is b


# ---- parameters ----


def _normalize_ty(ty):
    if isinstance(ty, str):
        ty = ty.strip()
        if ty.startswith("const "):
            inner = _normalize_ty(ty.removeprefix("const "))
            return "*k" + inner[1:]
        if ty.endswith("*"):
            return "*" + _normalize_ty(ty[:-1])
        if ty.startswith("*"):
            return "*" + _normalize_ty(ty[1:])
        if ty.startswith("tl."):
            return _normalize_ty(ty.removeprefix("tl."))
    elif isinstance(ty, core.pointer_type):
        return f"*{_normalize_ty(ty.element_ty)}"
    elif isinstance(ty, core.dtype):
        ty = ty.name
    elif isinstance(ty, type):
        ty = ty.__name__
    else:
        ty = str(ty)
    return type_canonicalisation_dict.get(ty.replace("_t", ""), ty)


_CONTROLS = frozenset(("never_one", "always_one", "div8", "unaligned"))


class KernelParam:
    """A parameter of a kernel."""

    def __init__(self, num, param, do_not_specialize, do_not_specialize_on_alignment, control=""):
        self.num = num
        self._param = param
        self.name = param.name
        self.do_not_specialize = do_not_specialize
        empty = param.annotation is inspect.Parameter.empty or not param.annotation
        annotation = "" if empty else param.annotation
        words = [word.strip() for word in control.split(",") if word.strip()]
        if isinstance(annotation, str) and not _CONTROLS.isdisjoint(w.strip() for w in annotation.split(",")):
            said = [word.strip() for word in annotation.split(",")]
            annotation = next((word for word in said if word not in _CONTROLS), "")
            words += [word for word in said if word in _CONTROLS]
        #: what jit(specialize=...) and the annotation say of its values
        self.controls = tuple(words)
        self.never_one, self.always_one, self.div8 = (w in words for w in ("never_one", "always_one", "div8"))
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or "unaligned" in words
        types = [word for word in words if word not in _CONTROLS]
        self.annotation = _normalize_ty(types[-1] if types else annotation) if types or annotation else ""
        self.is_constexpr = "constexpr" in self.annotation
        self.is_const = not self.is_constexpr and ("const" in self.annotation or self.annotation.startswith("*k"))

    @property
    def annotation_type(self):
        base = self.annotation.removeprefix("*k").removeprefix("*")
        return self.annotation if base in type_canonicalisation_dict.values() else ""

    @property
    def default(self):
        return self._param.default

    @property
    def has_default(self):
        return self._param.default is not inspect.Parameter.empty

    def __repr__(self):
        return f"KernelParam({self.num}, {self.name})"


# ---- kernels ----


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


@dataclass
class JitFunctionInfo:
    module: object
    name: str
    jit_function: object


def _take_apart(value, name, flat, shape):
    """The expression that puts a value together again from parameters, which are added to `shape`."""
    if isinstance(value, core.tuple):
        value = tuple(value.values)
    if isinstance(value, (tuple, list)):
        items = [_take_apart(item, f"{name}_{i}", flat, shape) for i, item in enumerate(value)]
        text = "".join(item + ", " for item in items)
        return f"{describe.name_of(type(value))}({text})" if hasattr(value, "_fields") else f"({text})"
    constant = value is None or isinstance(value, (str, core.constexpr, core.dtype, JITCallable))
    flat.append(value)
    shape.append((name, constant))
    return name


def _tree_of(value, places):
    """Where a value's items are among those that it is taken apart to: a number, or (class, trees)."""
    if isinstance(value, core.tuple):
        value = tuple(value.values)
    if not isinstance(value, (tuple, list)):
        return next(places)
    return type(value) if hasattr(value, "_fields") else tuple, [_tree_of(item, places) for item in value]


def _nothing():
    pass


def _stand_in(name, params, path, scope):
    """A function of this name and these parameters that does nothing, for a kernel whose source is no Python function of the program. It is
    put together without running text, as names may come from files."""
    for word in (name, *params):
        if not word.isidentifier() or keyword.iskeyword(word):
            raise ValueError(f"{path}: {word!r} is no name of a function or a parameter")
    code = _nothing.__code__.replace(co_name=name, co_filename=path, co_firstlineno=1, co_varnames=tuple(params), co_argcount=len(params),
                                     co_nlocals=len(params))
    function = types.FunctionType(code, scope, name)
    function.__qualname__ = name
    return function


# As neso_constexpr_policy has them; None: knobs.runtime.constexpr_policy.
_POLICIES = (None, "eager", "generic")


#: What is of one process, in a kernel's __dict__.
_OWN = ("device_caches", "_tuple_kernels", "_made_source", "_reader", "_users", "_watched", "_called", "signature")


def _unpickled():
    return JITFunction.__new__(JITFunction)


def _by_name(module, name):
    """The kernel of that name, behind what decorates it."""
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    while not isinstance(found, JITFunction):
        found = found.fn
    return found


def _register(kernel):
    specialize.functions[kernel._fn_name] = kernel


class JITFunction(_native.Kernel, JITCallable, KernelInterface):
    """A kernel, or a function that kernels call."""

    _told = False

    def __init__(self, fn, version=None, do_not_specialize=None, do_not_specialize_on_alignment=None, debug=None,
                 noinline=None, repr=None, launch_metadata=None, constexpr_policy=None, specialize=None, strict=None):
        JITCallable.__init__(self, fn)
        if constexpr_policy not in _POLICIES:
            raise ValueError(f"constexpr_policy is 'eager' or 'generic', not {constexpr_policy!r}")
        self.module = fn.__module__
        self.version = version
        self.do_not_specialize = do_not_specialize or []
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        #: what is concluded from arguments beside that, by name: see jit
        self.specialize = {list(self.signature.parameters)[name] if isinstance(name, int) else name: words
                           for name, words in (specialize or {}).items()}
        for name in self.specialize:
            if name not in self.signature.parameters:
                raise ValueError(f"specialize names '{name}', which is no parameter of {fn.__name__}")
        self._strict = strict
        self._repr = repr
        self.launch_metadata = launch_metadata
        self._make_params()
        self.arg_names = [p.name for p in self.params]
        self.constexprs = [p.num for p in self.params if p.is_constexpr]
        self.ir = None
        #: the kernel that it takes a tuple apart for, or None; where that one's parameters are in its own
        self.made_for = None
        self.made_of = None
        _register(self)
        self.kernel = None
        self.debug = debug
        self.noinline = noinline
        self.pre_run_hooks = []
        self._policy = constexpr_policy
        # Of _make_own: _watched, _called: what launches look at, and callables among it.
        self._make_own()

    def _make_params(self):
        self.params = [
            KernelParam(i, param, i in self.do_not_specialize or param.name in self.do_not_specialize,
                        i in self.do_not_specialize_on_alignment or param.name in self.do_not_specialize_on_alignment,
                        self.specialize.get(param.name, ""))
            for i, param in enumerate(self.signature.parameters.values())
        ]

    def _set_up(self):
        """Tells the extension of the parameters."""
        self._setup(tuple((p.name, p.has_default, p.default if p.has_default else None, p.is_constexpr, p.is_const,
                           bool(p.annotation), p.div8) for p in self.params), self.pre_run_hooks, bool(self.debug),
                    knobs.runtime.interpret, _POLICIES.index(self._policy), (None, True, False).index(self._strict))

    __hash__ = JITCallable.__hash__

    def __eq__(self, other):
        return self is other

    # ---- pickling ----

    def __reduce_ex__(self, protocol):
        """By its name, as functions are. Of one whose function was taken away (torch does it with kernels that come from workers), what tells of
        its parameters and its source."""
        if self.fn is None:
            return _unpickled, (), {name: value for name, value in self.__dict__.items() if name not in _OWN}
        found = sys.modules.get(self.fn.__module__)
        for part in self.fn.__qualname__.split("."):
            found = getattr(found, part, None)
        while found is not None and found is not self and isinstance(found, KernelInterface):
            found = getattr(found, "fn", None)
        if found is not self:
            raise pickle.PicklingError(f"Can't pickle {self!r}: it's not found as {self.fn.__module__}.{self.fn.__qualname__}")
        return _by_name, (self.fn.__module__, self.fn.__qualname__)

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make_own()

    def __deepcopy__(self, memo):
        if self.fn is not None:
            return self
        made = memo[id(self)] = _unpickled()
        made.__setstate__(copy.deepcopy({name: value for name, value in self.__dict__.items() if name not in _OWN}, memo))
        return made

    def _make_own(self):
        """What belongs to this process."""
        self.device_caches = specialize.DeviceCaches(self)
        self._tuple_kernels = {}
        self._made_source = self._reader = None
        self._users = weakref.WeakSet()
        self._watched, self._called = set(), []
        self._set_up()

    def _made_of(self):
        """A hash of the kernel and of what it reads, without lines and paths: what tuning results are kept for."""
        self._prepare()
        return self._content()

    # ---- called by the extension ----

    def _prepare(self):
        """The source goes to the compiler; the globals it reads will be looked at before each launch."""
        if not JITFunction._told:
            JITFunction._told = True
            host.first_launch()
        if self.fn is None:
            raise RuntimeError(f"{self.__name__} was pickled without its function: it can be looked at, and not compiled")
        self.cache_key
        if not knobs.runtime.interpret:
            self._check_functions()
        source = self._source()
        self._load(source.path, source.text, source.name)
        self._watched = set()
        self._watch([(scope, name, value, isinstance(value, _SIMPLE))
                     for (name, _), (value, scope) in self.used_global_vals.items()])

    def _check_functions(self):
        """Ordinary functions are no part of a kernel."""

    def _changed(self, name, old, new):
        """Something that was read before a compilation is another now. Constants are not to change; functions and what they read may."""
        fixed = any(key == name and value is old for (key, _), (value, _) in self.used_global_vals.items())
        if fixed and not knobs.runtime.interpret:
            raise RuntimeError(f"Global variable {name} has changed since we compiled this kernel, from {old} to {new}")
        for callable in self._called:
            callable._hash = None
            callable.used_global_vals = {}
        self._called = []
        self.hash = None
        self._forget()

    def _making(self, options, values, warmup):
        """Before a compilation: what _made is to be given. None: a hook does it, or does not want it."""
        kept.connect()
        return self._begin(specialize.Making(self, options, values, warmup), values, True)

    def _making_source(self, options, what, warmup):
        """The same of an ASTSource, or IRSource, in the place of a call; what: it, and whether hooks are told."""
        kept.connect()
        src, hooks = what
        making = specialize.Making(self, options, None, warmup, src)
        return self._begin(making, making.constants.values(), hooks)

    def _begin(self, making, values, hooks):
        making.is_new = not any(making.key in made._keys for made in self._entries())
        for value in values:
            if isinstance(value, JITCallable) and hasattr(value, "_users"):
                value._users.add(self)
        hook = knobs.runtime.jit_cache_hook
        if hooks and hook is not None and making.is_new and making.call(hook):
            return None
        making.tells = hooks
        describe.begin_reads()
        if self.ir is None:
            self._source().answer()
        return making

    def _made(self, compiled, making, known, done):
        """After it, before others can find the kernel (done: and after that). known: no new one was needed."""
        if done:
            if making.tells and knobs.runtime.jit_post_compile_hook is not None and not known:
                making.call(knobs.runtime.jit_post_compile_hook, compiled.reason)
            return
        self._look_at(describe.end_reads())
        if not known:
            compiled._finish(self, making)
            if knobs.compilation.listener is not None:
                compiled._tell(knobs.compilation.listener, making)
        if making.is_new:
            compiled._keys.append(making.key)

    def _look_at(self, reads):
        """What the compiler was told is looked at before each launch, as far as _prepare did not see to it."""
        watched = {(name, id(scope)) for (name, _), (_, scope) in self.used_global_vals.items()}.union(self._watched)
        new = [read for read in reads if (read[1], id(read[0])) not in watched]
        self._watched.update((name, id(owner)) for owner, name, _, _ in new)
        self._called += [value for _, _, value, _ in new if isinstance(value, JITCallable) and value is not self]
        self._watch(new)

    def _all_entries(self):
        return self._entries() + [made for kernel in self._tuple_kernels.values() for made in kernel._entries()]

    def preload(self, specialization_data):
        """Compiles what a hook was told as "specialization_data", here or in another process, ahead of its first launch."""
        return specialize.preload(self, specialization_data)

    # ---- launching ----

    def _launch_tuples(self, values, options, grid, warmup):
        """Tuples of run-time values: a kernel made for their structure takes the items one by one."""
        parts, flat, shape = [], [], []
        for param, value in zip(self.params, values):
            if param.is_constexpr:
                parts.append(param.name)
                flat.append(value)
                shape.append((param.name, True))
            else:
                parts.append(_take_apart(value, param.name, flat, shape))
        key = (tuple(parts), tuple(shape))
        made = self._tuple_kernels
        kernel = made.get(key)
        if kernel is None or kernel.made_from != self.cache_key:
            names = ", ".join(f"{name}: {describe.PACKAGE}.language.constexpr" if constant else name
                              for name, constant in shape)
            inner = f"{describe.PACKAGE}_kernel"
            text = f"def {self.__name__}({names}):\n    {inner}({', '.join(parts)})\n"
            scope = {inner: self, describe.PACKAGE: sys.modules["neso"], "__name__": self.__module__}
            scope.update((n, v) for n, v in describe._objects.items() if n in text)
            function = _stand_in(self.__name__, [name for name, _ in shape], self.fn.__code__.co_filename, scope)
            function.__annotations__ = {name: core.constexpr for name, constant in shape if constant}
            function.__neso_source__ = text
            kernel = made[key] = JITFunction(function, debug=self.debug)
            kernel.made_from, kernel.made_for = self.cache_key, self
            places = itertools.count()
            kernel.made_of = [next(places) if p.is_constexpr else _tree_of(v, places)
                              for p, v in zip(self.params, values)]
            specialize.functions[self._fn_name] = self
        if callable(grid):
            grid = grid(dict(zip(self.arg_names, values), **options))
        return kernel._run(*flat, grid=grid, warmup=warmup, **options)

    def run(self, *args, grid=None, warmup=False, **kwargs):
        return self._run(*args, grid=grid, warmup=warmup, **kwargs)

    def warmup(self, *args, grid=None, **kwargs):
        args = tuple(map(MockTensor.wrap_dtype, args))
        kwargs = {name: MockTensor.wrap_dtype(value) for name, value in kwargs.items()}

        def compile():
            return self._run(*args, grid=grid, warmup=True, **kwargs)

        mode = _async_compile.active_mode.get()
        return mode.submit(specialize.key_of_call(self, args, kwargs), compile, lambda kernel: None) if mode else compile()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "run" in cls.__dict__ and "__getitem__" not in cls.__dict__:
            cls.__getitem__ = KernelInterface.__getitem__

    def add_pre_run_hook(self, hook):
        """hook(*args, **kwargs) is called before each launch."""
        self.pre_run_hooks.append(hook)

    @property
    def hash(self):
        return self._hash

    @hash.setter
    def hash(self, value):
        JITCallable.hash.fset(self, value)
        if value is None:
            self._forget()

    @property
    def cache(self):
        return [specialize._Compiled(self)]

    def _decorator_text(self):
        words = []
        for keyword in ("do_not_specialize", "do_not_specialize_on_alignment"):
            listed = [p.name for p in self.params if getattr(p, keyword)]
            if listed:
                words.append(f"{keyword}={listed!r}")
        if self.specialize:
            words.append(f"specialize={self.specialize!r}")
        if self.noinline:
            words.append("noinline=True")
        if self.debug:
            words.append("debug=True")
        return f"@{describe.PACKAGE}.jit({', '.join(words)})" if words else f"@{describe.PACKAGE}.jit"

    def repr(self, _):
        return self._fn_name if self._repr is None else self._repr(_)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel: "
                           f"{self.__name__}[grid](...) launches it, as in {self.__name__}[(1, )](...)")

    def __repr__(self):
        return f"JITFunction({self.module}:{self.fn.__qualname__})"


class IRFunction(JITFunction):
    """A kernel that is there as TTIR (compiler.IRSource) and in no Python source."""

    def __init__(self, source):
        names = []
        for name, _ in source.params:
            name = "_" + re.sub(r"\W", "_", name) if not name.isidentifier() or keyword.iskeyword(name) else name
            names.append(f"{name}_{len(names)}" if name in names else name)
        function = _stand_in(source.name, names, source.path, {"__name__": source.path})
        function.__neso_source__ = f"def {source.name}({', '.join(names)}): pass"
        super().__init__(function, do_not_specialize=names, do_not_specialize_on_alignment=names)
        self.ir = source

    @property
    def cache_key(self):
        return self.ir.hash()

    def _prepare(self):
        if not JITFunction._told:
            JITFunction._told = True
            host.first_launch()
        self._load_ir(self.ir.path, self.ir.src, self.ir.name)


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
        do_not_specialize_on_alignment=None, debug=None, noinline=None, constexpr_policy=None, specialize=None,
        strict=None):
    """Makes a kernel of a function. What it may use: its arguments, Python's literals and operators, the tile
    language, constexpr globals, other jit functions.

    do_not_specialize: names or numbers of integer arguments whose values are not looked at (else 1 is a constant, and
    divisible by 16 is known); do_not_specialize_on_alignment: of which alignment is not. noinline=True keeps a function
    that kernels call apart. specialize={"n": "never_one, div8"} says more of single arguments: never_one (1 is a number as others
    are), always_one (it is 1, and else an error), div8 (divisible by 8 is told apart too), unaligned (divisible by 16 is
    not), a type ("i64") that it has whatever its value is. strict=True: a launch that would compile is an error. debug=True compiles device_assert in. constexpr_policy: "eager" or "generic". repr(specialization)
    gives its name, launch_metadata(grid, kernel, args) what launch hooks are told.

    >>> @triton.jit
    ... def double(x_ptr, n, BLOCK: tl.constexpr):
    ...     at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ...     tl.store(x_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)
    >>> x = np.ones(100, np.float32)
    >>> _ = double[(1,)](x, x.size, BLOCK=128)
    >>> float(x.sum())
    200.0
    """

    def decorate(function):
        if isinstance(function, JITFunction):
            function = function.fn
        assert callable(function)
        return JITFunction(function, version=version, do_not_specialize=do_not_specialize,
                           do_not_specialize_on_alignment=do_not_specialize_on_alignment, debug=debug,
                           noinline=noinline, repr=repr, launch_metadata=launch_metadata,
                           constexpr_policy=constexpr_policy, specialize=specialize, strict=strict)

    return decorate if fn is None else decorate(fn)


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


# ---- what programs look for here ----


def convert_to_tuple_if_list(value):
    return tuple(value) if isinstance(value, list) else value


def get_full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"


def mangle_type(arg, specialize=False):
    """The name that a signature gives to an argument's type."""
    if not isinstance(arg, (int, float, bool)) and hasattr(arg, "dtype"):
        return f"*{_normalize_ty(str(arg.dtype).rsplit('.', 1)[-1])}"
    if isinstance(arg, bool):
        return "u1"
    if isinstance(arg, int):
        kind, _, constant = _native.rules(arg)
        return "constexpr" if specialize and constant else kind
    return "fp32" if isinstance(arg, float) else "constexpr" if arg is None else type(arg).__name__


def get_jit_fn_file_line(fn):
    while not isinstance(fn, JITCallable):
        fn = fn.fn
    return fn.fn.__code__.co_filename, fn._line


os.register_at_fork(after_in_child=_native.forked)
