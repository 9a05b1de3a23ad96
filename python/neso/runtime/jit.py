"""@jit: a Python function as a kernel.

A JITFunction is a native Kernel, which binds and launches; here is what it is made of: its source and its key
(callables.py), its parameters (parameters.py), and what compilations are told and tell."""

import copy
import importlib
import itertools
import keyword
import os
import re
import sys
import types
import warnings
import weakref
from dataclasses import dataclass

from .. import _native, knobs
from .._utils import find_paths_if, get_iterable_path, is_namedtuple, type_canonicalisation_dict  # noqa: F401
from ..language import core
from . import _async_compile, describe, host, kept, sources, specialize
from .callables import (_SIMPLE, BoundConstexprFunction, ConstexprFunction, JITCallable, KernelInterface,  # noqa: F401
                        constexpr_function, get_full_name, get_jit_fn_file_line)
from .parameters import KernelParam, _normalize_ty, mangle_type  # noqa: F401
from .specialize import native_specialize_impl, specialize_impl  # noqa: F401
from .tensors import MockTensor, TensorWrapper, reinterpret  # noqa: F401

TRITON_MODULE = "triton.language"


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
_POLICIES = (None, "eager", "generic", "tiered")


#: What is of one process, in a kernel's __dict__.
_OWN = ("device_caches", "_tuple_kernels", "_made_source", "_reader", "_loaded", "_is_prepared", "_users", "_watched", "_called", "signature")


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
            raise ValueError(f"constexpr_policy is 'eager', 'generic' or 'tiered', not {constexpr_policy!r}")
        self.module = fn.__module__
        self.version = version
        self.do_not_specialize = do_not_specialize or []
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        self._look_at_names("do_not_specialize", self.do_not_specialize)
        self._look_at_names("do_not_specialize_on_alignment", self.do_not_specialize_on_alignment)
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

    def _look_at_names(self, option, given):
        names = list(self.signature.parameters)
        for name in given:
            if name not in names and not (isinstance(name, int) and 0 <= name < len(names)):
                warnings.warn(f"{option} of {self.fn.__name__} has {name!r}, which is no parameter and decides nothing"
                              f"{host.nearest(name, names) if isinstance(name, str) else ''}", UserWarning, stacklevel=4)

    def _make_params(self):
        self.params = [
            KernelParam(i, param, i in self.do_not_specialize or param.name in self.do_not_specialize,
                        i in self.do_not_specialize_on_alignment or param.name in self.do_not_specialize_on_alignment,
                        self.specialize.get(param.name, ""))
            for i, param in enumerate(self.signature.parameters.values())
        ]

    def _set_up(self):
        """Tells the extension of the parameters."""
        self._setup(tuple((p.shown_name, p.has_default, p.default if p.has_default else None, p.is_constexpr, p.is_const,
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
            import pickle
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
        self._made_source = self._reader = self._loaded = None
        self._users = weakref.WeakSet()
        self._watched, self._called = set(), []
        self._is_prepared = False
        self._set_up()

    def _made_of(self):
        """A hash of the kernel and of what it reads, without lines and paths: what tuning results are kept for."""
        self._prepare()
        self._is_prepared = False
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
        source = self._loaded = self._source()
        self._is_prepared = True
        self._load(source.path, source.text, source.name)
        for param, counts in zip(self.params, self._div8_ints()):
            param.div8_int = counts
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

    def _making(self, options, values, warmup, lasting):
        """Before a compilation: what _made is to be given. None: a hook does it, or does not want it. values, lasting: as
        Making has them."""
        kept.connect()
        return self._begin(specialize.Making(self, options, values, warmup, lasting=lasting), () if lasting else values, True)

    def _making_source(self, options, what, warmup):
        """The same of an ASTSource, or IRSource, in the place of a call; what: it, and whether hooks are told."""
        kept.connect()
        src, hooks = what
        making = specialize.Making(self, options, None, warmup, src)
        return self._begin(making, making.constants.values(), hooks)

    def _begin(self, making, values, hooks):
        entries = self._entries()
        making.is_new = not entries or not any(making.key in made._keys for made in entries)
        for value in values:
            if isinstance(value, JITCallable) and hasattr(value, "_users"):
                value._users.add(self)
        prepared, self._is_prepared = self._is_prepared, False
        hook = knobs.runtime.jit_cache_hook
        if hooks and hook is not None and making.is_new and making.call(hook):
            return None
        making.tells = hooks
        describe.begin_reads()
        if self.ir is None:
            source = self._made_source if prepared else self._source()  # else it was looked at for this call
            if source is not self._loaded:  # names that are written into the text mean something else, and nobody compiled since
                self.hash = None
                self._prepare()
                self._is_prepared, source = False, self._loaded
            source.answer()
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
        elif making.is_new:
            compiled._keys.append(making.key)

    def _specialise(self, what, module, values, options):
        """Under the policy tiered a value stays in use."""
        from . import background
        value, device, context, target = what
        options = {**options, "neso_target": target, "constexpr_policy": "eager"}
        background.specialise(self, value, device, context, module, values, options)

    def tiers(self):
        """What the policy `tiered` knows of this kernel's values: a dict of numbers. `launches` asked; of the `values`
        that are remembered some are `compiling`, `tried` beside the variant for all, served by a variant of their own
        (`special`), by the variant for all (`generic`) as that was not slower, or as none could be made (`failed`);
        `compiled` counts the variants made for values."""
        return self._tiers()

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

    def compile_async(self, *args, grid=None, **kwargs):
        """As warmup, on another thread: a concurrent.futures.Future whose result() is the compiled kernel, or raises
        what warmup would. cancel() stops a compilation that has begun, too."""
        from . import background
        args = tuple(map(MockTensor.wrap_dtype, args))
        kwargs = {name: MockTensor.wrap_dtype(value) for name, value in kwargs.items()}
        return background.submit(lambda: self._run(*args, grid=grid, warmup=True, **kwargs))

    def warmup(self, *args, grid=None, **kwargs):
        if "wait" in kwargs and "wait" not in self.arg_names and not kwargs.pop("wait"):
            return self.compile_async(*args, grid=grid, **kwargs)
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
        kinds = {p.name: p.annotation_type for p in self.params if p.annotation_type and p.name not in self.specialize}
        if kinds:
            # A decorator below jit may have given the function annotations that its source does not have.
            written = sources.annotated(self._src, kinds)
            kinds = {name: kind for name, kind in kinds.items() if name not in written}
        if self.specialize or kinds:
            words.append(f"specialize={kinds | self.specialize!r}")
        if self.noinline:
            words.append("noinline=True")
        if self.debug:
            words.append("debug=True")
        must_use = getattr(self, "_must_use_result", None) or getattr(self.fn, "_must_use_result", None)
        if must_use:
            words.append(f"_must_use={must_use!r}")
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
    not), a type ("i64") that it has whatever its value is. strict=True: a launch that would compile is an error. debug=True compiles device_assert in. constexpr_policy: "eager", "generic" or "tiered". repr(specialization)
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
        assert callable(function), f"only functions made by `def` can be kernels, not {function!r}"
        return JITFunction(function, version=version, do_not_specialize=do_not_specialize,
                           do_not_specialize_on_alignment=do_not_specialize_on_alignment, debug=debug,
                           noinline=noinline, repr=repr, launch_metadata=launch_metadata,
                           constexpr_policy=constexpr_policy, specialize=specialize, strict=strict)

    return decorate if fn is None else decorate(fn)


# ---- what programs look for here ----


def convert_to_tuple_if_list(value):
    return tuple(value) if isinstance(value, list) else value


os.register_at_fork(after_in_child=_native.forked)
