"""Settings, each with the environment variable it is read from when it is used: the library's own table (`neso config`).

Setting one here sets the variable too; `with knobs.runtime.scope():` undoes all changes of its group."""

import importlib
import os
import re
import sys
import warnings
from contextlib import contextmanager

from . import _native

_UNSET = object()
propagate_env = True


class Env:
    """Assigned to a setting, it makes the environment decide again."""


env = Env()


def getenv(key, default=None):
    text = os.environ.get(key)
    return default if text is None else text.strip()


#: Settings made while propagate_env is False: they go before the environment, and child processes do not see them.
unpropagated = {}


def setenv(key, value):
    if not propagate_env:
        unpropagated[os.fsencode(key)] = None if value is None else os.fsencode(value)
        return
    unpropagated.pop(os.fsencode(key), None)
    if value is None:
        os.environ.pop(key, None)
    else:
        os.environ[key] = value


def toenv(value):
    if value is None:
        return (None, )
    if isinstance(value, bool):
        return ("1" if value else "0", )
    return (str(value), ) if isinstance(value, (str, int)) else None


class env_base:
    """A descriptor: the value assigned to it, else what the environment says."""

    def __init__(self, key, default=None):
        self.key = key
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, group, owner=None):
        if group is None:
            return self
        value = group.__dict__.get(self.name, _UNSET)
        return self.get() if value is _UNSET else self.transform(value)

    def __set__(self, group, value):
        if isinstance(value, Env):
            self.__delete__(group)
            return
        group.__dict__[self.name] = value
        text = toenv(value)
        if text:
            setenv(self.key, text[0])

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)
        unpropagated.pop(os.fsencode(self.key), None)

    def transform(self, value):
        return value

    def get(self):
        return getenv(self.key, self.default() if callable(self.default) else self.default)


class env_str(env_base):
    pass


class env_opt_str(env_base):
    pass


class env_str_callable_default(env_base):
    pass


def _truth(text, default):
    if text is None or text == "":
        return default
    return text.lower() in ("1", "true", "on", "yes", "y")


class env_bool(env_base):

    def __init__(self, key, default=False):
        super().__init__(key, default)

    def get(self):
        return _truth(getenv(self.key), self.default)


class env_opt_bool(env_bool):

    def __init__(self, key):
        super().__init__(key, None)


class env_int(env_base):

    def __init__(self, key, default=0):
        super().__init__(key, default)

    def get(self):
        text = getenv(self.key)
        if text is None:
            return self.default
        try:
            return int(text)
        except ValueError as error:
            raise RuntimeError(f"{self.key} is '{text}', which is no whole number") from error


class env_either(env_base):
    """Of two variables the first that is set."""

    def __init__(self, key, other, default=None):
        super().__init__(key, default)
        self.other = other

    def get(self):
        return getenv(self.key) or getenv(self.other, self.default)


class env_class(env_base):
    """MODULE:CLASS; or, where the library speaks to servers by itself, a URL of one."""

    def __init__(self, key, kind, schemes=()):
        super().__init__(key)
        self.kind = kind
        self.schemes = schemes

    def _check(self, text):
        """What a text that is no class stands for must be a URL. True: it is one."""
        scheme, slashes, _ = text.partition("://")
        if self.schemes and slashes:
            if scheme.lower() in self.schemes:
                return True
            raise RuntimeError(f"{self.key} is '{text}', whose URL begins with none of "
                               f"{', '.join(f'{s}://' for s in self.schemes)}")
        if slashes or not all(text.partition(":")):
            raise RuntimeError(f"{self.key} is '{text}'; it is written MODULE:CLASS")
        return False

    def __set__(self, group, value):
        if isinstance(value, str) and value:
            self._check(value)
        super().__set__(group, value)

    def get(self):
        text = getenv(self.key)
        if not text or self._check(text):
            return None
        module, _, name = text.partition(":")
        # Upstream's classes by upstream's names, whether or not they are imported under these.
        module = "neso" + module.removeprefix("triton") if (module + ".").startswith("triton.") else module
        found = getattr(importlib.import_module(module), name)
        if self.kind not in [c.__name__ for c in found.__mro__]:
            raise RuntimeError(f"{text}, which {self.key} names, is no {self.kind}")
        return found


class NvidiaTool:
    """A program of NVIDIA's, and its release ("13.0")."""

    _known = {}

    def __init__(self, path, version):
        self.path = path
        self.version = version

    def __repr__(self):
        return f"NvidiaTool(path={self.path!r}, version={self.version!r})"

    def __eq__(self, other):
        return isinstance(other, NvidiaTool) and (self.path, self.version) == (other.path, other.version)

    __hash__ = None

    @classmethod
    def from_path(cls, path):
        """None: it is no such program."""
        import subprocess
        try:
            when = os.stat(path).st_mtime_ns
            if (path, when) not in cls._known:
                said = subprocess.run([path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True).stdout
                found = re.search(r"release (\d+\.\d+)", said.decode(errors="replace"))
                cls._known[path, when] = found and cls(path, found[1])
            return cls._known[path, when]
        except (OSError, subprocess.CalledProcessError):
            return None


class env_nvidia_tool(env_base):
    """A program by its path; where that is none, or not given, by the places that the library looks at."""

    def __init__(self, binary, other=None):
        super().__init__(f"TRITON_{binary.upper().replace('-', '_')}_PATH")
        self.other = other
        self.binary = binary.partition("-")[0]

    def get(self):
        return self.transform(getenv(self.key) or (getenv(self.other) if self.other else None))

    def _places(self):
        import shutil
        for variable in ("CUDA_HOME", "CUDA_PATH"):
            if os.environ.get(variable):
                yield os.path.join(os.environ[variable], "bin", self.binary)
        for folder in filter(None, (*sys.path, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))):
            for inside in ("cu13", "cuda_nvcc"):
                yield os.path.join(folder, "nvidia", inside, "bin", self.binary)
        yield os.path.join("/usr/local/cuda/bin", self.binary)
        yield shutil.which(self.binary)

    def transform(self, path):
        for place in (path, *self._places()):
            tool = NvidiaTool.from_path(place) if place else None
            if tool:
                return tool
        raise RuntimeError(f"Cannot find {self.binary}: {self.key} names none, and it is neither in CUDA_HOME nor on the PATH")


class base_knobs:

    def __setattr__(self, name, value):
        if not name.startswith("_") and not hasattr(type(self), name):
            import difflib
            near = difflib.get_close_matches(name, [n for n in dir(type(self)) if not n.startswith("_")], 1)
            warnings.warn(f"knobs.{type(self).__name__.removesuffix('_knobs')} has no setting {name!r}, which decides nothing"
                          f"{f'; did you mean {near[0]!r}?' if near else ''}", UserWarning, stacklevel=2)
        super().__setattr__(name, value)

    @property
    def knob_descriptors(self):
        return {name: d for name, d in type(self).__dict__.items() if isinstance(d, env_base)}

    @property
    def knobs(self):
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self):
        other = type(self)()
        other.__dict__.update(self.__dict__)
        return other

    def reset(self):
        for name in self.knob_descriptors:
            delattr(self, name)
        return self

    @contextmanager
    def scope(self):
        before = {d.key: os.environ.get(d.key) for d in self.knob_descriptors.values()}
        values, own = dict(self.__dict__), dict(unpropagated)
        try:
            yield
        finally:
            unpropagated.clear()
            unpropagated.update(own)
            self.__dict__.clear()
            self.__dict__.update(values)
            for key, value in before.items():
                if value is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = value


class HookChain:
    """Functions that are called one after the other."""

    def __init__(self, reversed=False):
        self.calls = []
        self.reversed = reversed

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
            _tell_native()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)
            _tell_native()

    def __bool__(self):
        return bool(self.calls)

    def __call__(self, *args, **kwargs):
        for function in (reversed(self.calls) if self.reversed else self.calls):
            function(*args, **kwargs)


#: Not empty while launches have to call hooks; the extension looks at it.
_watched = []


def _tell_native():
    group = globals().get("runtime")
    hooks = [group.launch_enter_hook, group.launch_exit_hook] if group is not None else []
    _watched[:] = [h for h in hooks if h is not None and (not isinstance(h, HookChain) or h.calls)]


def _described(name, kind, variable, other, preset):
    """The descriptor of a row of the library's table."""
    if kind == "bool":
        return env_opt_bool(variable) if preset is None else env_bool(variable, preset == "1")
    if kind == "int":
        return env_int(variable, int(preset))
    return env_opt_str(variable, preset) if other is None else env_either(variable, other, preset)


_rows = _native.settings()


def _from_table(group):
    """A group of settings: the rows of its name, besides those that it has itself."""
    prefix = group.__name__.removesuffix("_knobs") + "."
    for name, kind, variable, other, preset, _ in _rows:
        field = name.removeprefix(prefix)
        if field != name and field not in group.__dict__:
            descriptor = _described(name, kind, variable, other, preset)
            descriptor.__set_name__(group, field)
            setattr(group, field, descriptor)
    return group


@_from_table
class build_knobs(base_knobs):
    impl = None

    @property
    def backend_dirs(self):
        return {p for p in (self.cudacrt_path, self.cudart_path) if p is not None}


@_from_table
class redis_knobs(base_knobs):
    pass


@_from_table
class cache_knobs(base_knobs):
    home_dir = env_str("TRITON_HOME", lambda: os.path.expanduser("~/"))
    dump_dir = env_str_callable_default("TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump"))
    override_dir = env_str_callable_default("TRITON_OVERRIDE_DIR", lambda: cache.get_triton_dir("override"))
    dir = env_str_callable_default("TRITON_CACHE_DIR", lambda: cache.get_triton_dir("cache"))
    manager_class = env_class("TRITON_CACHE_MANAGER", "CacheManager")
    remote_manager_class = env_class("TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend",
                                     ("redis", "rediss", "http", "https", "s3", "s3+http"))

    def get_triton_dir(self, name):
        return os.path.join(self.home_dir, ".triton", name)


class CompileTimes:
    """How long a compilation took, in microseconds: the front end, each stage by name, and putting it into the cache."""

    def __init__(self, ir_initialization, lowering_stages, store_results):
        self.ir_initialization = ir_initialization
        self.lowering_stages = lowering_stages
        self.store_results = store_results

    def __repr__(self):
        return f"CompileTimes({self.ir_initialization}, {self.lowering_stages}, {self.store_results})"

    @property
    def total_lowering(self):
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results


class CompilationListener:
    """What `compilation.listener` is called as: after a kernel was compiled, or found in the cache."""

    def __call__(self, *, src, metadata, metadata_group, times, cache_hit):
        raise NotImplementedError


@_from_table
class compilation_knobs(base_knobs):
    override = env_bool("TRITON_KERNEL_OVERRIDE")
    instrumentation_mode = env_str("TRITON_INSTRUMENTATION_MODE", "")
    #: called as CompilationListener is
    listener = None


@_from_table
class autotuning_knobs(base_knobs):
    #: called behind a tuning, by names: fn, key, best_config, configs_timings, duration (None: nothing was
    #: measured), cache_hit
    listener = None


@_from_table
class runtime_knobs(base_knobs):
    constexpr_policy = env_opt_str("NESO_CONSTEXPR_POLICY")
    kernel_load_start_hook = HookChain()
    kernel_load_end_hook = HookChain(reversed=True)
    jit_cache_hook = None
    jit_post_compile_hook = None
    add_stages_inspection_hook = None

    def __init__(self):
        self.__dict__["launch_enter_hook"] = HookChain()
        self.__dict__["launch_exit_hook"] = HookChain(reversed=True)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name in ("launch_enter_hook", "launch_exit_hook"):
            _tell_native()
        elif name == "add_stages_inspection_hook" and value is not None:
            warnings.warn("knobs.runtime.add_stages_inspection_hook is not called: stages are lowered in the library. ir_override=FILE, "
                          "an option of launches and of triton.compile, goes on from a stage's text", UserWarning, stacklevel=2)


@_from_table
class language_knobs(base_knobs):
    fp32_default = env_opt_str("TRITON_F32_DEFAULT")


@_from_table
class nvidia_knobs(base_knobs):
    cuobjdump = env_nvidia_tool("cuobjdump")
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas", "NESO_PTXAS")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell")


@_from_table
class amd_knobs(base_knobs):
    pass


@_from_table
class proton_knobs(base_knobs):
    pass


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()


def refresh_knobs():
    """Settings are read when they are used: there is nothing to refresh."""


def check_environment():
    """Warns once of each TRITON_* and NESO_* variable that means nothing, with the nearest that does."""
    data = getattr(os.environ, "_data", None)  # without decoding every variable, where os.environ is as CPython makes it
    if isinstance(data, dict) and type(next(iter(data), b"")) is bytes:
        names = [os.fsdecode(n) for n in data if n.startswith((b"TRITON_", b"NESO_"))]
    else:
        names = [n for n in os.environ if n.startswith(("TRITON_", "NESO_"))]
    for name in sorted(names):
        if name in _warned:
            continue
        _warned.add(name)
        known = _native.setting_known(name)
        if known is not True:
            hint = f"; did you mean {known}?" if known else ""
            print(f"neso: the environment variable {name} means nothing here{hint}", file=sys.stderr)


_warned = set()
