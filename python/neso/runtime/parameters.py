"""Parameters of kernels: their annotations, and what is concluded from the values that launches give them."""

import inspect

from .. import _native
from .._utils import type_canonicalisation_dict
from ..language import core


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
        #: it strides or bounds tiles, as the library says once it has the source: of integers 8 counts by itself
        self.div8_int = False
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
    def shown_name(self):
        """As its definition writes it: *args, **kwargs."""
        return {self._param.VAR_POSITIONAL: "*", self._param.VAR_KEYWORD: "**"}.get(self._param.kind, "") + self.name

    @property
    def default(self):
        return self._param.default

    @property
    def has_default(self):
        return self._param.default is not inspect.Parameter.empty

    def __repr__(self):
        return f"KernelParam({self.num}, {self.name})"


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
