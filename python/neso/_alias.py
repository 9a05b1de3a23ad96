"""Puts this package under the name `triton`: every `triton.x.y` is the module `neso.x.y` itself."""

import importlib
import importlib.machinery
import os
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


class _Finder:

    def __init__(self, children):
        self._children = children

    def find_spec(self, name, path=None, target=None):
        if name != "triton" and not name.startswith("triton."):
            return None
        package, origin = True, None
        if name != "triton":
            from importlib.util import find_spec  # here: `import neso` does without it
            ours = "neso" + name[len("triton"):]
            try:
                found = sys.modules.get(ours) or find_spec(ours)
            except ModuleNotFoundError:
                found = None
            if found is None:
                return None
            # `python -m` runs no package.
            spec = getattr(found, "__spec__", None) or found
            package = getattr(spec, "submodule_search_locations", None) is not None
            origin = getattr(spec, "origin", None)
        return importlib.machinery.ModuleSpec(name, self, origin=origin, is_package=package)

    def get_code(self, name):
        """For `python -m triton.tools.compile`."""
        from importlib.util import find_spec
        ours = "neso" + name[len("triton"):]
        return find_spec(ours).loader.get_code(ours)

    def create_module(self, spec):
        if spec.name == "triton":
            if self._children:
                _tell_torch()
            neso = importlib.import_module("neso")
            module = _Triton("triton", neso.__doc__)
            module.__version__ = TRITON_VERSION
            module.__neso__ = neso.__version__
            module.__file__ = neso.__file__
            module.__all__ = list(neso.__all__)
            for public in neso.__all__:
                if public in neso.__dict__:
                    module.__dict__[public] = neso.__dict__[public]
            # What is loaded already is not loaded again: that would make attributes of packages the modules that they are named
            # like (runtime.driver).
            for name, loaded in list(sys.modules.items()):
                if name.startswith("neso."):
                    sys.modules["triton" + name[len("neso"):]] = loaded
            return module
        module = importlib.import_module("neso" + spec.name[len("triton"):])
        self._kept = getattr(self, "_kept", {})
        self._kept[spec.name] = module.__spec__
        return module

    def exec_module(self, module):
        kept = getattr(self, "_kept", {}).pop(module.__spec__.name, None)
        if kept is not None:
            module.__spec__ = kept


def _folder():
    """What PYTHONPATH names for processes that are to find a `triton` that becomes this package."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "_named")


def environment(before=None):
    """The variables of the environment under which a Python has the name from its start on, as a dict."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = [path for path in (before or "").split(os.pathsep) if path and path != _folder()]
    # A Python finds neso where this one did: it may not be installed, or sys.path may have been changed.
    if not any(os.path.realpath(path) == os.path.realpath(package) for path in (*paths, *_site_folders())):
        paths.append(package)
    return {"PYTHONPATH": os.pathsep.join([_folder(), *paths])}


def _tell_torch():
    """From 2.15 on torch puts the folder that it lies in before PYTHONPATH when it starts its compile workers, and with it the upstream `triton`
    that lies there too. It takes another list from this variable."""
    name = "TORCH_CUSTOM_PYTHONPATH"
    ours = _folder()
    if os.environ.get(name, ours).split(os.pathsep)[0] == ours:
        os.environ[name] = os.pathsep.join([ours, *(path for path in sys.path if path != ours)])


def _site_folders():
    import sysconfig
    paths = sysconfig.get_paths()
    return paths["purelib"], paths["platlib"]


def install(children=True):
    """From now on `import triton` gives this package, here and, unless `children` is False, in all Pythons that this process starts:
    by subprocess, multiprocessing (spawn, forkserver), pytest-xdist, torchrun. Does nothing the second time.

    In a notebook: `%load_ext neso`.

    >>> import neso
    >>> neso.install()
    >>> import triton
    """
    if children:
        os.environ.update(environment(os.environ.get("PYTHONPATH")))
        # Children by spawn and forkserver take this list and not PYTHONPATH's. The program's own folder stays the first.
        if _folder() not in sys.path:
            sys.path.insert(0 if getattr(sys.flags, "safe_path", False) else 1, _folder())
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        for name in [n for n in sys.modules if n == "triton" or n.startswith("triton.")]:
            del sys.modules[name]
        sys.meta_path.insert(0, _Finder(children))
