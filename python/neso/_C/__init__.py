"""Names of upstream's extension that programs import."""

from importlib import import_module


def __getattr__(name):
    if name == "libtriton":
        return import_module("." + name, __name__)
    raise AttributeError(f"module 'neso._C' has no attribute '{name}'")
