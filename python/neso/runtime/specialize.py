"""What of a call's values decides a compiled kernel, in upstream's words: signature, constants, attributes, and a key of them; and the same as JSON,
so that another process can compile it ahead of its first launch (JITFunction.preload)."""

import collections
import numbers
import time
import weakref

from .. import _native
from ..language import core
from .tensors import Memory

#: Kernels by module and name, for constants that are kernels.
functions = weakref.WeakValueDictionary()

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "debug", "enable_fp_fusion", "launch_cooperative_grid", "launch_pdl",
            "ptx_version", "sanitize_overflow", "target", "constexpr_policy", "ir_override",
            "enable_reflect_ftz")
_PRESETS = {"num_warps": 4, "num_stages": 3, "num_ctas": 1}
_GENERIC = 2


def _address(value):
    """0 where an array does not say: the library looks for itself, and for hooks this is a guess as good as any."""
    try:
        if hasattr(value, "data_ptr"):
            return value.data_ptr()
        interface = getattr(value, "__cuda_array_interface__", None) or getattr(value, "__array_interface__", None)
        return interface["data"][0] if interface is not None else 0
    except Exception:
        return 0


def _pointer(value, is_const, align):
    from .jit import _normalize_ty
    dtype = value.dtype
    name = _normalize_ty(dtype if isinstance(dtype, core.dtype) else str(dtype).rsplit(".", 1)[-1])
    return f"*{'k' if is_const else ''}{name}", "D" if align and _native.rules(_address(value))[1] else ""


def specialize(value, is_const, specialized, align):
    """(type, what is known of the value) of an argument."""
    from .jit import JITCallable
    if value is None:
        return "constexpr", None
    if isinstance(value, bool):
        return "u1", None
    if isinstance(value, int):
        kind, divisible, constant = _native.rules(value)
        if specialized and constant:
            return "constexpr", 1
        return kind, ("D" if align and divisible else "") if specialized else None
    if hasattr(value, "data_ptr") and hasattr(value, "dtype"):  # before the questions of abstract classes, which take long
        kind, known = _pointer(value, is_const, align)
        return kind, known if specialized else None
    if type(value).__name__ in ("bool", "bool_") and hasattr(value, "__array_interface__"):  # NumPy's, no number of its own
        return "u1", None
    if isinstance(value, numbers.Integral):
        return specialize(int(value), is_const, specialized, align)
    if isinstance(value, numbers.Real):
        return "fp32", None
    if isinstance(value, JITCallable):
        return "constexpr", value.cache_key
    if isinstance(value, (core.constexpr, core.dtype, str)):
        return "constexpr", value
    if hasattr(value, "block_shape"):
        base = _pointer(value.base, False, False)[0][1:]
        layout = f",{value.layout!r}" if hasattr(value, "layout") else ""  # Gluon's
        return f"tensordesc<{base}{list(value.block_shape)}{layout}>", None
    if isinstance(value, (tuple, list)):
        inner = [specialize(item, is_const, specialized, align) for item in value]
        return tuple(i[0] for i in inner), tuple(i[1] for i in inner)
    if hasattr(value, "dtype") and (hasattr(value, "shape") or hasattr(value, "data_ptr")):
        kind, known = _pointer(value, is_const, align)
        return kind, known if specialized else None
    if hasattr(type(value), "__index__"):
        return specialize(value.__index__(), is_const, specialized, align)
    return type(value).__name__, None


def native_specialize_impl(backend, arg, is_const=False, specialize_value=True, align=True):
    """What upstream's extension tells of an argument: (type, what is known of its value). What is none raises as there."""
    if isinstance(arg, int) and not -2**63 <= arg < 2**64:
        raise OverflowError("integer to be specialized too large to represent")
    if isinstance(arg, tuple):  # items are specialised whatever is said of the tuple
        found = [native_specialize_impl(backend, item) for item in arg]
        alike = (lambda items: type(arg)(*items)) if hasattr(arg, "_fields") else tuple
        return alike([kind for kind, _ in found]), alike([known for _, known in found])
    if hasattr(arg, "data_ptr") and specialize_value and not getattr(backend, "supports_native_tensor_specialization", True):
        return _pointer(arg, is_const, align)[0], backend.get_tensor_specialization(arg, align=align)
    found = specialize(arg, is_const, specialize_value, align)
    if found == (type(arg).__name__, None):
        raise TypeError(f"failed to specialize argument of type: {type(arg).__name__}")
    return found


def specialize_impl(arg, specialize_extra=None, is_const=False, specialize_value=True, align=True):
    """The same by the name that torch 2.9 falls back to. specialize_extra is the back end's get_arg_specialization, which adds nothing."""
    return specialize(arg, is_const, specialize_value, align)


def _of_parameter(param, value):
    if param.is_constexpr:
        return "constexpr", getattr(value, "cache_key", value)
    specialized, align = not param.do_not_specialize, not param.do_not_specialize_on_alignment
    if param.always_one:
        return "constexpr", 1
    if param.never_one and specialized and value.__class__ is int and value == 1:
        return param.annotation_type or "i32", ""
    if (param.div8 or param.div8_int and value.__class__ is int) and specialized and align:
        kind, known = _of_parameter_without_8(param, value)
        address = value if isinstance(value, int) else _address(value) if kind.__class__ is str and kind[:1] == "*" else 1
        return kind, "8" if known == "" and address % 8 == 0 else known
    return _of_parameter_without_8(param, value)


def _of_parameter_without_8(param, value):
    specialized, align = not param.do_not_specialize, not param.do_not_specialize_on_alignment
    if not param.annotation_type:
        return specialize(value, param.is_const, specialized, align)
    if param.annotation_type == "u1" or param.annotation_type[:2] in ("fp", "bf"):
        specialized = False
    known = specialize(value, param.is_const, specialized, align)[1] if specialized else None
    return param.annotation_type, known


def _pairs_of(kernel, src):
    """The same of an ASTSource, or an IRSource."""
    constants, attrs, pairs = getattr(src, "constants", {}), getattr(src, "attrs", {}), []
    for i, param in enumerate(kernel.params):
        kind = src.signature.get(param.name, src.signature.get(i, "constexpr"))
        if (i, ) in constants or kind == "constexpr":
            value = constants.get((i, ), param.default if param.has_default else None)
            pairs.append(("constexpr", getattr(value, "cache_key", value)))
            continue
        said = attrs.get((i, ), ())
        known = "8" if ["tt.divisibility", 8] in said else "D" if any("divisib" in str(attr) for attr in said) else ""
        is_known = isinstance(kind, str) and (kind[0] == "*" or kind[0] in "iu" and kind != "u1") and not param.do_not_specialize
        pairs.append((kind, known if is_known else None))
    return pairs


def key_of_call(kernel, args, kwargs):
    """Equal for calls that one compiled kernel serves."""
    options = {name: value for name, value in kwargs.items() if name not in kernel.arg_names}
    bound = kernel.signature.bind(*args, **{name: value for name, value in kwargs.items() if name in kernel.arg_names})
    bound.apply_defaults()
    pairs = [_of_parameter(param, bound.arguments[param.name]) for param in kernel.params]
    # Where 8 counts is known once the source was read.
    eights = [p.name for p in kernel.params if bound.arguments[p.name].__class__ is int and bound.arguments[p.name] % 8 == 0]
    return f"{kernel.cache_key}{pairs}{eights}{sorted(options.items())}"


#: what jit(repr=...) is given: constants by parameter, types by parameter
Specialization = collections.namedtuple("SpecializationProxy", ["constants", "signature"])


def _attrs(pairs):
    """What is known of values by path, of those that are looked at; pairs: (type, what is known) by path."""
    divisors = {"D": [["tt.divisibility", 16]], "8": [["tt.divisibility", 8]], "": []}
    return {path: divisors[known] for path, (kind, known) in pairs.items() if kind != "constexpr" and known in divisors}


def _leaves(tree, path):
    if isinstance(tree, int):
        yield path, tree
        return
    for i, inner in enumerate(tree[1]):
        yield from _leaves(inner, path + (i, ))


def _built(tree, items):
    if isinstance(tree, int):
        return items[tree]
    inner = [_built(t, items) for t in tree[1]]
    return tuple(inner) if tree[0] is tuple else tree[0](*inner)


def _put_together(kernel, pairs, values):
    """Of a kernel that tuples are taken apart for: what hooks are told of the kernel that was launched."""
    params = kernel.made_for.params
    kinds = [kind for kind, _ in pairs]
    signature = {p.name: _built(tree, kinds) for p, tree in zip(params, kernel.made_of)}
    paths = {path: at for i, tree in enumerate(kernel.made_of) for path, at in _leaves(tree, (i, ))}
    constants = {path: values[at] for path, at in paths.items() if kinds[at] == "constexpr"}
    return params, signature, constants, _attrs({path: pairs[at] for path, at in paths.items()})


_POLICY = _OPTIONS.index("constexpr_policy")


class Making:
    """A compilation that is about to begin. Memory that arguments are is not kept.

    What hooks and metadata are told of it (_TOLD) is worked out when somebody asks, as the first launch of a process
    waits for this object; at once where values could be others by then."""

    _TOLD = frozenset(("signature", "constants", "attrs", "options", "key", "_told"))

    def __init__(self, kernel, options, values, warmup, src=None, lasting=False):
        """values: of the call's arguments; None where it is `src` that is compiled. lasting: they are numbers, strings,
        None, and (element type, address modulo 16) in the place of arrays."""
        self.began = time.perf_counter()
        self.kernel = kernel
        self.given = options
        self.warmup = warmup
        self._src = src
        #: one compiled kernel is there for many keys: programs that look see it once
        self.is_generic = options[_POLICY] == _GENERIC
        self._values = values
        if not lasting:
            self._describe()

    def __getattr__(self, name):
        if name not in Making._TOLD:
            raise AttributeError(name)
        self._describe()
        return self.__dict__[name]

    def _describe(self):
        kernel, src, values = self.kernel, self._src, self._values
        if src is not None:
            signature, constants = src.signature, getattr(src, "constants", {})
            attrs = getattr(src, "attrs", {})
            pairs = _pairs_of(kernel, src)
        elif values is not None:
            values = [Memory(*v) if v.__class__ is tuple and not p.is_constexpr else v for p, v in zip(kernel.params, values)]
            pairs = [_of_parameter(p, v) for p, v in zip(kernel.params, values)]
            signature = {p.name: kind for p, (kind, _) in zip(kernel.params, pairs)}
            constants = {(i, ): values[i] for i, (kind, _) in enumerate(pairs) if kind == "constexpr"}
            attrs = _attrs({(i, ): pair for i, pair in enumerate(pairs)})
        else:
            return  # another thread did it
        options = {name: value or _PRESETS.get(name, value) for name, value in zip(_OPTIONS, self.given)}
        del options["constexpr_policy"]
        #: what hooks are told: parameters, signature, constants, attributes
        told = kernel.params, signature, constants, attrs
        if kernel.made_for is not None and src is None:
            told = _put_together(kernel, pairs, values)
        self.__dict__.update(signature=signature, constants=constants, attrs=attrs, options=options, key=f"{pairs}{options}",
                             _told=told)
        self._values = None

    @property
    def symbol(self):
        """What the code calls the kernel where jit(repr=...) says it; else None."""
        kernel = self.kernel.made_for or self.kernel
        if kernel._repr is None:
            return None
        constants = {self.kernel.arg_names[place[0]]: value for place, value in self.constants.items() if len(place) == 1}
        return str(kernel.repr(Specialization(constants, self.signature)))

    def microseconds(self):
        return max(1, round((time.perf_counter() - self.began) * 1e6))

    def source(self):
        if self._src is not None:
            return self._src
        if self.kernel.ir is not None:
            return self.kernel.ir
        from ..compiler.compiler import ASTSource
        return ASTSource(self.kernel, self.signature, self.constants, self.attrs)

    def call(self, hook, reason=None):
        """knobs.runtime.jit_cache_hook and jit_post_compile_hook, as upstream calls them; reason: why it was compiled."""
        from .jit import JitFunctionInfo
        kernel = self.kernel.made_for or self.kernel
        options = self.options
        params, signature, constants, attrs = self._told
        types = ", ".join(f"{p.name}: {signature[p.name]}" for p in params)
        text = (f"{kernel.fn.__qualname__}[num_warps={options['num_warps']}, num_ctas={options['num_ctas']}, "
                f"num_stages={options['num_stages']}, enable_fp_fusion={options['enable_fp_fusion']}, "
                f"launch_cooperative_grid={options['launch_cooperative_grid']}]({types})")
        from .driver import driver
        details = {"key": self.key, "signature": signature, "device": driver.active.get_current_device(),
                   "constants": constants, "num_warps": options["num_warps"], "num_ctas": options["num_ctas"],
                   "num_stages": options["num_stages"], "enable_fp_fusion": options["enable_fp_fusion"],
                   "launch_cooperative_grid": options["launch_cooperative_grid"], "extern_libs": (),
                   "configs": [attrs],
                   "specialization_data": self.serialize(), "is_warmup": self.warmup, "reason": reason}
        return hook(key=self.key, repr=text, fn=JitFunctionInfo(kernel.module, kernel.fn.__qualname__, kernel), compile=details,
                    is_manual_warmup=self.warmup, already_compiled=False)

    def serialize(self):
        import json
        _, signature, constants, attrs = self._told
        return json.dumps({
            "name": (self.kernel.made_for or self.kernel)._fn_name, "signature": signature,
            "constant_keys": [list(k) for k in constants],
            "constant_vals": [_as_json(v) for v in constants.values()],
            "attrs_keys": [list(k) for k in attrs], "attrs_vals": list(attrs.values()),
            "options": self.options, "key": self.key}, default=str)


def _as_json(value):
    from .jit import JITCallable
    if isinstance(value, core.constexpr):
        return {"constexpr": _as_json(value.value)}
    if isinstance(value, core.dtype):
        return {"dtype": value.name}
    if isinstance(value, JITCallable):
        return {"jit_function": value._fn_name}
    if isinstance(value, (tuple, list)):
        return {"tuple": [_as_json(item) for item in value]}
    return value


def _of_json(value):
    if isinstance(value, list):
        return tuple(_of_json(item) for item in value)
    if not isinstance(value, dict):
        return value
    (kind, inner), = value.items()
    if kind == "constexpr":
        return core.constexpr(_of_json(inner))
    if kind == "dtype":
        return core.dtype(inner)
    if kind == "tuple":
        return tuple(_of_json(item) for item in inner)
    found = functions.get(inner)
    if found is None:
        raise RuntimeError(f"Specialization data names the jit function {inner}, which this program does not have (yet)")
    return found


def preload(kernel, text):
    """Compiles what the text, of some process's hook, says; it is not launched."""
    import json
    from ..compiler.compiler import ASTSource, compile_whole
    data = json.loads(text)
    if data["name"] != kernel._fn_name:
        raise RuntimeError(f"Specialization data is for {data['name']} but trying to preload for {kernel._fn_name}")
    constants = {tuple(k): _of_json(v) for k, v in zip(data["constant_keys"], data["constant_vals"])}
    attrs = {tuple(k): v for k, v in zip(data["attrs_keys"], data["attrs_vals"])}
    signature = {name: _of_json(kind) for name, kind in data["signature"].items()}
    options = dict(data["options"])
    target = options.pop("target", None)
    if target and target != "cuda":
        options["neso_target"] = target
    return compile_whole(ASTSource(kernel, signature, constants, attrs), options)


class _Compiled(dict):
    """What a kernel has compiled, by the keys that hooks are told."""

    def __init__(self, kernel):
        super().__init__((key, made) for made in kernel._all_entries() for key in made._keys[:1 if made._is_generic else None])
        self._kernel = kernel

    def clear(self):
        super().clear()
        self._kernel.device_caches.clear()


class DeviceCaches(dict):
    """device -> (compiled kernels by key, keys by specialization, target, backend, binder), as programs look at it. There is one set, for the
    device that is current."""

    def __init__(self, kernel):
        super().__init__()
        self._kernel = kernel

    def __missing__(self, device):
        from .driver import driver
        from ..compiler.compiler import make_backend
        target = driver.active.get_current_target()
        return _Compiled(self._kernel), {}, target, make_backend(target), None

    def _devices(self):
        from .driver import driver
        return [driver.active.get_current_device()] if self._kernel._all_entries() else []

    def keys(self):
        return self._devices()

    def __iter__(self):
        return iter(self._devices())

    def __len__(self):
        return len(self._devices())

    def __contains__(self, device):
        return device in self._devices()

    def values(self):
        return [self[device] for device in self._devices()]

    def items(self):
        return [(device, self[device]) for device in self._devices()]

    def get(self, device, default=None):
        return self[device]

    def clear(self):
        for made in self._kernel._tuple_kernels.values():
            made._forget()
        self._kernel._tuple_kernels.clear()
        self._kernel._forget()
