"""What programs ask of upstream's extension: the IR (ir), specialisation of arguments, cuBLAS (nvidia.cublas), layouts.

The rest of it steers upstream's compiler in C++; asking for it says so."""

from importlib import import_module

from ...runtime.cache import get_cache_invalidating_env_vars  # noqa: F401
from ...runtime.specialize import native_specialize_impl  # noqa: F401

_ABSENT = ("passes", "llvm", "amd", "interpreter", "gluon_ir", "proton")


def getenv(name, default=None):
    import os
    return os.environ.get(name, default)


def getenv_bool(name, default=False):
    import os
    text = os.environ.get(name)
    return default if text is None else text.lower() in ("1", "true", "on", "yes", "y")


def __getattr__(name):
    if name in ("ir", "linear_layout", "nvidia"):
        return import_module("." + name, __name__)
    if name in _ABSENT:
        raise AttributeError(f"neso has no libtriton.{name}: kernels are compiled by its library, libneso, and not from Python")
    raise AttributeError(f"module 'neso._C.libtriton' has no attribute '{name}'")
