"""Puts this package under the name `triton`: every `triton.x.y` is the module `neso.x.y` itself."""

import importlib
import importlib.abc
import importlib.machinery
import sys
import types

#: Libraries branch on it; it names the release whose language and host API are met.
TRITON_VERSION = "3.7.1"


class _Triton(types.ModuleType):
    """`triton`: what `neso` has, but for the version."""

    def __getattr__(self, name):
        return getattr(importlib.import_module("neso"), name)

    def __dir__(self):
        return sorted(set(self.__dict__) | set(dir(importlib.import_module("neso"))))


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):

    def find_spec(self, name, path=None, target=None):
        if name != "triton" and not name.startswith("triton."):
            return None
        if name != "triton":
            ours = "neso" + name[len("triton"):]
            try:
                found = sys.modules.get(ours) or importlib.util.find_spec(ours)
            except ModuleNotFoundError:
                found = None
            if found is None:
                return None
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        return spec

    def create_module(self, spec):
        if spec.name == "triton":
            neso = importlib.import_module("neso")
            module = _Triton("triton", neso.__doc__)
            module.__version__ = TRITON_VERSION
            module.__neso__ = neso.__version__
            module.__file__ = neso.__file__
            module.__all__ = list(neso.__all__)
            for public in neso.__all__:
                if public in neso.__dict__:
                    module.__dict__[public] = neso.__dict__[public]
            return module
        module = importlib.import_module("neso" + spec.name[len("triton"):])
        self._kept = getattr(self, "_kept", {})
        self._kept[spec.name] = module.__spec__
        return module

    def exec_module(self, module):
        kept = getattr(self, "_kept", {}).pop(module.__spec__.name, None)
        if kept is not None:
            module.__spec__ = kept


def install():
    """From now on `import triton` gives this package. Does nothing the second time."""
    import importlib.util
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        for name in [n for n in sys.modules if n == "triton" or n.startswith("triton.")]:
            del sys.modules[name]
        sys.meta_path.insert(0, _Finder())
