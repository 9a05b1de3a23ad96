"""Compiled kernels as objects, and compiling without a launch."""

import hashlib
from collections import namedtuple

from .. import _native
from ..runtime import host  # noqa: F401  (gives the extension its callbacks)
from ..backends import backends  # noqa: F401
from ..backends.compiler import BaseBackend, GPUTarget, Language  # noqa: F401
from ..runtime.cache import (get_cache_invalidating_env_vars, get_cache_key, get_cache_manager,  # noqa: F401
                             get_dump_manager, get_override_manager, triton_key)
from ..runtime.driver import driver
from ..runtime.errors import OutOfResources  # noqa: F401
from .errors import CompilationError  # noqa: F401

_STAGES = ("source", "ttir", "ttir-raw")
_MISSING_STAGES = ("ttgir", "llir", "ptx", "cubin", "amdgcn", "hsaco", "sass")


class AsmDict(dict):
    """Text of each stage, made when it is asked for."""

    def __init__(self, variant):
        super().__init__()
        self._variant = variant

    def __missing__(self, stage):
        if stage in _MISSING_STAGES:
            raise KeyError(f"this version of neso compiles for the interpreter alone: there is no '{stage}'; "
                           f"there are {', '.join(_STAGES)}")
        if stage not in _STAGES:
            raise KeyError(stage)
        self[stage] = text = self._variant._text(stage)
        return text

    def keys(self):
        return list(_STAGES)

    def __iter__(self):
        return iter(_STAGES)

    def __contains__(self, stage):
        return stage in _STAGES

    def get(self, stage, default=None):
        return self[stage] if stage in _STAGES else default


class LazyDict:

    def __init__(self, data):
        self.data = data
        self.extras = []

    def get(self):
        for function, args in self.extras:
            self.data = self.data | function(*args)
        self.extras.clear()
        return self.data

    def add(self, function, args):
        self.extras.append((function, args))


Metadata = namedtuple("KernelMetadata", "name num_warps num_stages num_ctas maxnreg shared debug target hash cluster_dims "
                      "warp_size tmem_size global_scratch_size")


class CompiledKernel(_native.Variant):
    """A kernel compiled for kinds of arguments, constants and options."""

    launch_enter_hook = None
    launch_exit_hook = None
    n_regs = 0
    n_spills = 0
    n_max_threads = 1024
    num_ctas = 1

    def _finish(self, kernel, options, values):
        warps, stages, ctas, maxnreg, debug = options
        self.src = kernel
        self._values = values
        self.name = kernel.repr(None) if kernel._repr is None else kernel.__name__
        self.name = kernel.__name__
        self.hash = hashlib.sha256((kernel.cache_key + self._key()).encode()).hexdigest()
        from ..backends.compiler import GPUTarget
        self.metadata = Metadata(self.name, warps or 4, stages or 3, ctas or 1, maxnreg or None, 0, debug,
                                 GPUTarget("cpu", 0, 32), self.hash, (1, 1, 1), 32, 0, 0)
        self.packed_metadata = tuple(self.metadata)
        self.asm = AsmDict(self)
        self.kernel = b""
        self.function = self
        self.shared = 0
        self.constants = {p.name: v for p, v in zip(kernel.params, values) if p.is_constexpr}
        self._values = None

    @property
    def signature(self):
        return self._key()

    def _init_handles(self):
        """Nothing to load."""

    @property
    def run(self):
        def launch(grid_0, grid_1, grid_2, stream, function, metadata, launch_metadata, enter, leave, *args):
            return self.src[(grid_0, grid_1, grid_2)](*args)
        return launch

    def launch_metadata(self, grid, stream, *args, _args=None):
        data = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        made_by = getattr(self.src, "launch_metadata", None)
        if made_by is not None:
            named = _args if _args is not None else dict(zip(self.src.arg_names, args))
            data.add(made_by, (grid, self.metadata, named))
        return data

    def __getitem__(self, grid):
        """Launches again; arguments for constants may be left out."""
        names = self.src.arg_names

        def launch(*args, stream=None):
            if len(args) == len(names):
                return self.src[grid](*args)
            rest = iter(args)
            values = [self.constants[n] if n in self.constants else next(rest) for n in names]
            return self.src[grid](*values)

        return launch


class ASTSource:
    """A kernel with a signature, to be compiled without arguments."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.ext = "ttir"
        self.name = fn.__name__
        self.signature = signature
        self.constants = {}
        for key, value in (constexprs or {}).items():
            index = fn.arg_names.index(key) if isinstance(key, str) else key[0] if isinstance(key, tuple) else key
            self.constants[(index, )] = value
        self.attrs = attrs or {}

    def hash(self):
        text = f"{self.fn.cache_key}-{sorted(self.signature.items())}-{sorted(map(str, self.constants.items()))}-{self.attrs}"
        return hashlib.sha256(text.encode()).hexdigest()


class IRSource:
    """TTIR in a file; the first of its functions is the kernel."""

    def __init__(self, path, context=None, backend=None):
        self.path = str(path)
        self.ext = self.path.rsplit(".", 1)[-1]
        if self.ext != "ttir":
            raise NotImplementedError(f"neso compiles the text of a kernel's TTIR (.ttir), and no '.{self.ext}'")
        with open(self.path) as file:
            self.src = file.read()
        kernels = _native.ir_kernels(self.path, self.src)
        if not kernels:
            raise ValueError(f"{self.path} has no function that is a kernel")
        self.name, self.params = kernels[0]
        self.signature = {i: kind for i, (_, kind) in enumerate(self.params)}
        self.constants = {}

    def hash(self):
        return hashlib.sha256(self.src.encode()).hexdigest()


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles an ASTSource or a file of TTIR; the result has .asm and .metadata, and can be launched."""
    if isinstance(src, ASTSource):
        fn, values = src.fn, _values_of(src)
    else:
        from ..runtime.jit import IRFunction
        src = src if isinstance(src, IRSource) else IRSource(src)
        fn, values = IRFunction(src), [_value_of(kind) for _, kind in src.params]
    allowed = ("num_warps", "num_stages", "num_ctas", "maxnreg", "debug")
    return fn.run(*values, grid=None, warmup=True, **{k: v for k, v in (options or {}).items() if k in allowed})


def _value_of(kind, attrs=None):
    """Something that a launch would take for a parameter of that type."""
    if kind.startswith("*"):
        return _Pointer(kind.lstrip("*k"), any("divisib" in str(a) for a in attrs or ()))
    if kind.startswith("tensordesc<"):
        from ..tools.tensor_descriptor import TensorDescriptor
        element, _, shape = kind[len("tensordesc<"):].partition("[")
        block = [int(s) for s in shape.split("]")[0].split(",")]
        strides = [1]
        for _ in block[1:]:
            strides.insert(0, 1024 * strides[0])
        return TensorDescriptor(_Pointer(element, True), [1024] * len(block), strides, block)
    if kind[0] in "iu":
        return (2**40 if "64" in kind else 0) + (16 if attrs else 3) if kind not in ("i1", "u1") else True
    return 0.5


def _values_of(src):
    values = []
    for i, param in enumerate(src.fn.params):
        if (i, ) in src.constants:
            values.append(src.constants[(i, )])
            continue
        kind = src.signature.get(param.name, src.signature.get(i))
        if kind == "constexpr" or kind is None:
            values.append(param.default if param.has_default else None)
        else:
            values.append(_value_of(str(kind), src.attrs.get((i, ))))
    return values


class _Dtype(str):
    """An element type by its short name."""

    @property
    def itemsize(self):
        from ..language.core import str_to_ty
        return str_to_ty(str(self)).itemsize


class _Pointer:
    """An address that is a type alone."""

    def __init__(self, dtype, aligned):
        self.dtype = _Dtype(dtype)
        self.shape = (1, )
        self._address = 0 if aligned else 4

    def data_ptr(self):
        return self._address

    def stride(self):
        return (1, )


def max_shared_mem(device):
    """Bytes of shared memory that a thread block may have."""
    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


def make_backend(target):
    from ..backends.compiler import BaseBackend
    return BaseBackend(target)
