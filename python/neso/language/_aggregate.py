"""Aggregates outside of kernels: their objects hold constexprs, tuples and other aggregates, and do not change."""

import sys
import typing

from ._types import constexpr, tuple_type
from .core import tuple as tile_tuple


def _is_aggregate(cls):
    return getattr(cls, "__triton_aggregate__", False)


def _fields(cls):
    """Declared type by name, those of the classes it inherits from first."""
    found = {}
    for one in reversed(cls.__mro__):
        names = one.__dict__.get("__annotations__", {})
        try:
            declared = typing.get_type_hints(one)
        except Exception:  # a name that only kernels know
            declared = names
        found.update((name, declared.get(name)) for name in names)
    return found


def _held(kind, value):
    if isinstance(value, (list, tuple)):
        fields = getattr(value, "_fields", None)
        items = [_held(constexpr, item) for item in value]
        return tile_tuple(items, tuple_type([getattr(item, "type", None) for item in items], fields))
    if isinstance(value, (bool, int, float, str)) or kind is constexpr and not isinstance(value, (constexpr, tile_tuple)):
        return constexpr(value)
    return value


def _init(self, *args, **kwargs):
    cls = type(self)
    names = list(_fields(cls))
    given = dict(zip(names, args))
    if len(args) > len(names):
        raise TypeError(f"{cls.__name__} takes {len(names)} values, for {', '.join(names)}; {len(args)} were given")
    for name, value in kwargs.items():
        if name not in names or name in given:
            raise TypeError(f"{cls.__name__} has no field '{name}'" if name not in names else f"{cls.__name__}: '{name}' is given twice")
        given[name] = value
    for name in names:
        if name not in given and not hasattr(cls, name):
            raise TypeError(f"{cls.__name__}: a value is missing for '{name}'")
        setattr(self, name, given[name] if name in given else getattr(cls, name))


def _set(self, name, value):
    cls = type(self)
    if name in self.__dict__ and sys._getframe(1).f_code.co_name != "__init__":
        raise AttributeError(f"cannot assign to field '{name}' on immutable aggregate '{cls.__name__}'")
    fields = _fields(cls)
    if name not in fields:
        raise AttributeError(f"'{cls.__name__}' has no field '{name}': {', '.join(fields)}")
    self.__dict__[name] = _held(fields[name], value)


def _delete(self, name):
    raise AttributeError(f"cannot delete field '{name}' of aggregate '{type(self).__name__}'")


def made(cls):
    """The class, with objects outside of kernels. Kernels read its source, and see nothing of this."""
    if cls.__init__ is object.__init__:
        cls.__init__ = _init
    cls.__setattr__, cls.__delattr__ = _set, _delete
    return cls


def replace(instance, changes):
    if not _is_aggregate(type(instance)):
        raise TypeError(f"aggregate_replace expects an aggregate instance, got {type(instance).__name__}")
    fields = _fields(type(instance))
    for name in changes:
        if name not in fields:
            raise TypeError(f"{type(instance).__name__} has no field '{name}'")
    other = object.__new__(type(instance))
    for name in fields:
        other.__dict__[name] = _held(fields[name], changes[name]) if name in changes else instance.__dict__[name]
    return other
