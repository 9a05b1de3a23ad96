"""Loads files of public libraries by path, once with `triton` being Triton and once with it being Neso.

A World holds what is imported under the names of the libraries and of `triton` for one implementation; these names are in
sys.modules only within `with world:`. A file that packages.txt names is loaded from the folder of unpacked packages. Whatever else of
a library is asked for is a stub: what stubs.py says, or else an object that takes part in nothing (false, empty, a decorator
that changes nothing). A world also notes each launch of a kernel, which is how kernels are timed alone."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = "own"  # the folder beside this file with kernels that are no library's


class Package:
    """A line of packages.txt: package==version, the folder of its modules within what it unpacks to, and files or folders."""

    def __init__(self, line):
        words = line.split()
        self.requirement, self.files = words[0], words[1:]
        self.name = self.requirement.split("==")[0]


def packages():
    with open(os.path.join(HERE, "packages.txt")) as file:
        lines = [line.split("#")[0].strip() for line in file]
    found = {}
    for line in filter(None, lines):
        package = Package(line)
        if package.name in found:
            found[package.name].files += package.files
        else:
            found[package.name] = package
    return list(found.values())


def roots():
    return {OWN} | {file.split("/")[0] for package in packages() for file in package.files}


class Nothing:
    """What stands for all that kernels do not need: false and empty; called with a function alone, it is that function."""

    def __init__(self, name):
        self.__dict__["_name"] = name

    def __repr__(self):
        return f"<{self._name}>"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing(f"{self._name}.{name}")

    def __call__(self, *args, **keywords):
        if len(args) == 1 and not keywords and (isinstance(args[0], (types.FunctionType, type)) or hasattr(args[0], "run")):
            return args[0]
        return self

    def __mro_entries__(self, bases):
        return (object,)

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())

    def __getitem__(self, key):
        return self

    def _same(self, other=None):
        return self

    __or__ = __ror__ = _same

    def _no(self, other):
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _no

    def __len__(self):
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


class _Stub(types.ModuleType):

    def __init__(self, name, given, world):
        super().__init__(name)
        self.__path__ = []
        self.__dict__["_world"] = world
        self.__dict__.update(given)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        inside = f"{self.__name__}.{name}"
        return importlib.import_module(inside) if self._world.file_of(inside) else Nothing(inside)


class _Finder:
    """Finds modules of the libraries: files that packages.txt names, and stubs."""

    def __init__(self, world):
        self.world = world

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in self.world.roots:
            return None
        file = self.world.file_of(name)
        if file:
            places = [os.path.dirname(file)] if file.endswith("__init__.py") else None
            return importlib.util.spec_from_file_location(name, file, submodule_search_locations=places)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return _Stub(spec.name, self.world.given(spec.name), self.world)

    def exec_module(self, module):
        pass


def memories(args):
    """(address, its bytes) of the memory of each tensor among arguments of a launch."""
    import torch
    for arg in args:
        arg = arg if isinstance(arg, (tuple, list, torch.Tensor)) else getattr(arg, "base", None)  # a descriptor's tensor
        if isinstance(arg, (tuple, list)):
            yield from memories(arg)
        elif isinstance(arg, torch.Tensor) and arg.untyped_storage().nbytes():
            whole = arg.untyped_storage()
            yield whole.data_ptr(), torch.empty(0, dtype=torch.uint8, device=arg.device).set_(whole)


class World:
    """The libraries as one implementation, "triton" or "neso", compiles them."""

    def __init__(self, implementation, folder, device):
        self.implementation, self.folder, self.device = implementation, os.path.abspath(folder), device
        self.roots = roots()
        self.files = {file for package in packages() for file in self._listed(package)}
        self.finders = [_Finder(self)]
        self.depth = 0
        self.modules = {}
        if implementation == "neso":
            import neso._alias
            self.finders.append(neso._alias._Finder(children=False))
        else:
            import triton  # noqa: F401
            import triton.tools.tensor_descriptor  # noqa: F401  (known by its class, which is not to be there twice)
            self.modules = {name: module for name, module in sys.modules.items() if self._is_mine(name)}
        with self:
            self.triton = importlib.import_module("triton")
            importlib.import_module("triton.language")
            self.launches = None
            self.kept = None
            self.choose, self.prunes = None, False
            _watch(self)

    def _listed(self, package):
        for file in package.files:
            path = os.path.join(self.folder, file)
            if file.endswith("/"):
                for place, _, names in os.walk(path):
                    yield from (os.path.relpath(os.path.join(place, name), self.folder) for name in names if name.endswith(".py"))
            elif os.path.exists(path):
                yield file

    def _is_mine(self, name):
        root = name.split(".")[0]
        return root == "triton" or root in self.roots

    def __enter__(self):
        self.depth += 1
        if self.depth == 1:
            self.before = {name: sys.modules.pop(name) for name in list(sys.modules) if self._is_mine(name)}
            sys.modules.update(self.modules)
            sys.meta_path[:0] = self.finders
        return self

    def __exit__(self, *_):
        self.depth -= 1
        if self.depth == 0:
            self.modules = {name: sys.modules.pop(name) for name in list(sys.modules) if self._is_mine(name)}
            sys.modules.update(self.before)
            for finder in self.finders:
                sys.meta_path.remove(finder)

    def file_of(self, name):
        base = name.replace(".", "/")
        for file in (base + ".py", base + "/__init__.py"):
            if file in self.files:
                return os.path.join(self.folder, file)
            if name.startswith(OWN + ".") and os.path.exists(os.path.join(HERE, file)):
                return os.path.join(HERE, file)
        return None

    def given(self, name):
        import stubs
        return stubs.given(name, self)

    def changed(self):
        """By name of a kernel [(memory, what it held in front of the kernel's first launch)] of all memory that holds something
        else by now: by that kernel, or by a later one."""
        return {name: [(memory, before) for memory, before in kept.values() if not memory.equal(before)] for name, kept in self.kept.items()}

    def module(self, name):
        """The module of that name, such as fla.ops.gla.chunk."""
        if not self.file_of(name):
            raise FileNotFoundError(f"{name}: not in packages.txt, or not below {self.folder}")
        with self:
            return importlib.import_module(name)


class Launch:
    """One launch of a kernel that a library made."""

    def __init__(self, kernel, run, args, grid, keywords):
        self.kernel, self._run, self.args, self.grid, self.keywords = kernel, run, args, grid, keywords
        self.name = kernel.__name__
        self.compiled = None

    def run(self, warmup=False):
        return self._run(self.kernel, *self.args, grid=self.grid, warmup=warmup, **self.keywords)


def _watch(world):
    """From now on launches in that world are noted while world.launches is a list, what their tensors hold is kept while world.kept is
    a dictionary, and autotuners have one configuration, which world.choose picks."""
    jit = importlib.import_module("triton.runtime.jit")
    tuner = importlib.import_module("triton.runtime.autotuner").Autotuner
    kernels, run, tune = jit.JITFunction, jit.JITFunction.run, tuner.run

    def noted(self, *args, grid=None, warmup=False, **keywords):
        if world.launches is None or warmup:
            return run(self, *args, grid=grid, warmup=warmup, **keywords)
        launch = Launch(self, run, args, grid, keywords)
        world.launches.append(launch)
        if world.kept is not None:
            kept = world.kept.setdefault(launch.name, {})
            for address, memory in memories([*args, *keywords.values()]):
                if address not in kept:
                    kept[address] = memory, memory.clone()
        launch.compiled = launch.run(warmup=world.device == "cpu")
        return launch.compiled

    def at(self, grid):
        return lambda *args, **keywords: self.run(*args, grid=grid, **keywords)

    def tuned(self, *args, **keywords):
        if len(self.configs) > 1:
            if world.prunes and self.early_config_prune:
                self.nargs = dict(zip(self.arg_names, args))
                self.configs = list(self.early_config_prune(self.configs, self.nargs, **keywords))
            self.configs = [world.choose(self, args, keywords) if world.choose else self.configs[0]]
            self.early_config_prune = None
        return tune(self, *args, **keywords)
    kernels.run, kernels.__getitem__, tuner.run = noted, at, tuned
