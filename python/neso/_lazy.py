"""Names of modules that are imported when they are first asked for: `import neso` is to be quick."""

import importlib
import sys


def lazy(package, names, modules=()):
    """(__getattr__, __dir__) of a module. names: by module, relative to the package that `package` is in or is, what is
    taken from it; modules: those that are attributes themselves."""
    where = {name: module for module, listed in names.items() for name in listed}
    modules = {module.rpartition(".")[2]: module for module in modules}

    def get(name):
        if name not in where and name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        own = sys.modules[package]
        found = importlib.import_module(where.get(name) or modules[name], own.__package__)
        return own.__dict__.setdefault(name, getattr(found, name) if name in where else found)

    def names_of():
        return sorted({*sys.modules[package].__dict__, *where, *modules})

    return get, names_of


def sha256(data=b""):
    """hashlib's, without OpenSSL, which takes milliseconds to load."""
    try:
        from _sha2 import sha256 as made  # Python 3.12
    except ImportError:
        try:
            from _sha256 import sha256 as made
        except ImportError:
            from hashlib import sha256 as made
    return made(data)
