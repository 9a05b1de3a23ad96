"""Compiled kernels as objects. Compiling without a launch is in ahead.py."""

import os
import sys
import weakref
from collections import namedtuple

from .. import _native, knobs
from .._lazy import lazy, sha256
from ..runtime import kept
from ..runtime import host  # noqa: F401  (gives the extension its callbacks)
from ..runtime.cache import (get_cache_invalidating_env_vars, get_cache_key, get_cache_manager,  # noqa: F401
                             get_dump_manager, get_override_manager, triton_key)
from ..runtime.driver import driver
from ..runtime.errors import OutOfResources, TritonError  # noqa: F401
from . import revive
from .errors import CompilationError  # noqa: F401

_STAGES = ("source", "ttir-raw", "ttir")
_CODE_STAGES = _STAGES + ("ttgir", "llir", "ptx")
_GPU_STAGES = _CODE_STAGES + ("cubin", "sass")


class Lazy(dict):
    """Items of known names, each made by __missing__ when it is asked for."""

    def __init__(self, names):
        super().__init__()
        self._names = tuple(names)

    def keys(self):
        return list(self._names)

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def values(self):
        return [self[name] for name in self._names]

    def items(self):
        return [(name, self[name]) for name in self._names]

    def __contains__(self, name):
        return name in self._names

    def get(self, name, default=None):
        return self[name] if name in self._names else default


class AsmDict(Lazy):
    """Text of each stage."""

    def __init__(self, variant, stages):
        super().__init__(stages)
        self._variant = variant

    def __reduce__(self):
        """Those that are kept, as a plain dict: what made them is of this process."""
        return dict, ({name: self[name] for name in self._names if name not in ("ttir-raw", "sass")}, )

    def __missing__(self, stage):
        if stage not in self._names:
            raise KeyError(f"there is no '{stage}' of this kernel, which is compiled for {self._variant._target}; there "
                           f"are {', '.join(self._names)}")
        self[stage] = made = self._kept(stage) or self._made(stage)
        return made

    def _made(self, stage):
        if stage == "cubin":
            return self._variant._assembled()._cubin()
        return (self._variant._assembled() if stage == "sass" else self._variant)._text(stage)

    def _kept(self, stage):
        """The text that a cache manager has; None: it has none, or no longer."""
        group = self._variant.metadata_group
        path = None if isinstance(group, Group) or stage == "source" else group.get(f"{kept.stem(self._variant._kernel.__name__)}.{stage}")
        try:
            with open(path, "rb" if stage == "cubin" else "r") as file:
                return file.read()
        except (OSError, TypeError, ValueError):
            return None


class Group(Lazy):
    """name of a file -> its path, of a kernel that no cache manager keeps: files go with the process."""

    _folder = None

    def __init__(self, variant, stages):
        super().__init__(f"{kept.stem(variant._kernel.__name__)}.{stage}" for stage in (*stages, "json") if stage not in ("ttir-raw", "sass"))
        self._variant = weakref.proxy(variant)

    def __reduce__(self):
        return dict, (dict.copy(self), )

    def __missing__(self, name):
        if name not in self._names:
            raise KeyError(name)
        import json
        import tempfile
        if Group._folder is None:
            Group._folder = tempfile.TemporaryDirectory(prefix="neso-")
        folder = os.path.join(Group._folder.name, self._variant._hash)
        os.makedirs(folder, exist_ok=True)
        stage = name.rsplit(".", 1)[1]
        data = self._variant.asm[stage] if stage != "json" else json.dumps(self._variant.metadata._asdict(), default=vars)
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        self[name] = path
        return path


class LazyDict:
    """A dict some of whose values are worked out when they are asked for."""

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


#: Upstream's options that nothing here depends on, as it has them.
_UPSTREAM = {
    "cluster_dims": (1, 1, 1), "warp_size": 32, "tmem_size": 0, "profile_scratch_size": 0, "profile_scratch_align": 1, "ptx_options": None,
    "supported_fp8_dtypes": ("fp8e4b15", "fp8e4nv", "fp8e5"),
    "deprecated_fp8_dot_operand_dtypes": (), "default_dot_input_precision": "tf32",
    "allowed_dot_input_precisions": ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"), "max_num_imprecise_acc_default": 0, "extern_libs": (),
    "instrumentation_mode": "", "tensordesc_meta": None,
}


def _metadata_of(name, key, info, target, options):
    """microseconds: what each step of the compilation took, and putting it into the cache; of a hit, when it was compiled."""
    times = {step: round(seconds * 1e6) for step, seconds in info["seconds"].items()}
    times["store"] = round(info["store_seconds"] * 1e6)
    times["total"] = sum(times.values())
    fields = {
        "name": name, "hash": key, "target": target, "backend_name": target.backend,
        "arch": f"sm{target.arch}" if target.backend == "cuda" else "", "debug": options["debug"], "shared": info["shared"],
        **{name: info[name] or options[name] for name in ("num_warps", "num_stages", "num_ctas")},
        "maxnreg": options["maxnreg"] or None, "ptx_version": options["ptx_version"] or None,
        **{name: options[name] for name in _SAME},
        "global_scratch_size": info["scratch"], "global_scratch_align": 16 if info["scratch"] else 1,
        "triton_version": triton_key(), "microseconds": times,
    }
    fields = {**_UPSTREAM, **fields, "cluster_dims": (fields["num_ctas"], 1, 1)}
    return _Metadata(*(fields[name] for name in _Metadata._fields))


#: Options that are metadata as they are.
_SAME = ("enable_fp_fusion", "launch_cooperative_grid", "launch_pdl", "sanitize_overflow", "ir_override",
         "enable_reflect_ftz")
_Metadata = namedtuple("KernelMetadata", sorted([
    *_UPSTREAM, *_SAME, "name", "hash", "target", "backend_name", "arch", "debug", "shared", "num_warps", "num_stages", "num_ctas", "maxnreg", "ptx_version",
    "global_scratch_size", "global_scratch_align", "triton_version", "microseconds"]))


def target_of(name):
    """The GPUTarget of one of the library's target names."""
    from ..backends.compiler import GPUTarget
    name = name.removeprefix("sim:")
    return GPUTarget("cuda", int(name[3:].rstrip("af")), 32) if name.startswith("sm_") else GPUTarget("cpu", 0, 32)


class Remark(namedtuple("Remark", "kind rule outcome path line column text advice times figures")):
    """What became of a part of a kernel when it was compiled for a GPU, and by which rule.

    kind: loop, load, dot, tile, conversion, memory, access, registers, ptxas; rule: a stable name, unique within its kind;
    outcome: done; missed: something could be faster; fact; path and advice: text, or None; times: that it holds, of copies
    that unrolling and inlining made; figures: numbers of the text, by name"""
    __slots__ = ()

    def __str__(self):
        return f"{self.path}:{self.line}: {self.kind} {self.rule}: {self.text}"


#: Attributes of a CompiledKernel that are worked out when one of them is asked for.
_DESCRIBED = frozenset(("src", "cache", "cache_key", "_hash", "_target", "metadata", "packed_metadata", "asm", "metadata_group",
                        "shared", "seconds", "_store_seconds", "_facts", "reason", "constants", "_options", "_keys"))


class _WithAttributes(_native.Variant):
    __slots__ = ("__dict__", "__weakref__")


_attributes = _WithAttributes.__dict__["__dict__"].__get__


class CompiledKernel(_WithAttributes):
    """A kernel compiled for kinds of arguments, constants and options.

    Its __dict__ can be pickled, as torch does with it; what is of this process alone is in slots."""

    #: _kernel: the function; _assemble: makes the variant with a cubin, of one that ends with PTX, or None: this is it;
    #: _making: what it was made for, until it is described, or None
    __slots__ = ("_kernel", "_assemble", "_places", "_making")

    launch_enter_hook = None
    launch_exit_hook = None

    @property
    def __dict__(self):
        self._describe()
        return _attributes(self)

    def __getattr__(self, name):
        if name in _DESCRIBED:
            making = getattr(self, "_making", None)
            if name == "_keys" and making is not None:
                return _attributes(self).setdefault("_keys", [making.key] if making.is_new else [])
            self._describe()
            if name in _attributes(self):
                return _attributes(self)[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _assembled(self):
        """Itself: what ptxas makes of it is waited for here, and what it says is raised here."""
        make = getattr(self, "_assemble", None)
        if make is not None:
            whole = make()
            self._adopt(whole)
            self.__dict__.update({name: value for name, value in whole.__dict__.items() if name != "asm"})
            self._assemble = None
        elif not self._is_bound():
            revive.bind(self)
        return self

    @property
    def hash(self):
        """It names the files of the kernel, so it waits for these."""
        if getattr(self, "_assemble", None) is not None and not (_native.info("ptxas") or "none").startswith("none"):
            self._assembled()
        self._export()
        return self._hash

    def _export(self):
        """The cubin, where upstream has it and others look for it (torch's static launcher). Only what is launched as upstream's are: its arguments
        alone, and 32 threads for each warp."""
        info = self._info() if self._is_bound() and self._target.startswith("sm_") else None
        if info is None or self._exported or knobs.cache.manager_class is not None or not info["registers"] or info["maps"] or info["scratch"] or info["num_ctas"] > 1 or \
                info["threads"] != 32 * info["num_warps"]:
            return
        self._exported = True
        name = f"{kept.stem(self._kernel.__name__)}.cubin"
        try:
            manager = get_cache_manager(self._hash)
            if manager.get_file(name) is None:
                manager.put(self._cubin(), name)
        except (OSError, RuntimeError):
            pass  # then it is launched from here

    _exported = False

    @hash.setter
    def hash(self, value):
        self._hash = value

    @property
    def n_regs(self):
        return self._assembled()._info()["registers"]

    @property
    def n_spills(self):
        """In 4-byte words, as local memory takes them."""
        info = self._assembled()._info()
        return (info["spill_stores"] + info["spill_loads"]) // 4

    @property
    def n_max_threads(self):
        on_gpu = self._target.startswith("sm_")
        return max(32, min(1024, 65536 // max(self.n_regs, 1) // 32 * 32)) if on_gpu else 1024

    def _finish(self, kernel, making):
        self._kernel, self._assemble, self._places = kernel, None, None
        self._making = making
        self._is_generic = making.is_generic
        self.name = making.symbol or kernel.__name__
        making.content = kernel.cache_key
        if kept.has_groups():
            self._describe()

    def _describe(self):
        """Works out what is in _DESCRIBED; what was assigned meanwhile stays."""
        making, attributes = getattr(self, "_making", None), _attributes(self)
        if making is None:
            return
        info, kernel = self._info(), self._kernel
        told = {"_keys": [making.key] if making.is_new else [], "src": making.source()}
        #: "hit": it came from the compile cache; "miss", "off"; None: it is not for a GPU
        told["cache"] = info["cache"]
        #: its key there, or None
        told["cache_key"] = info["cache_key"]
        from .ahead import _ON, _OPTIONS
        told["_hash"] = info["cache_key"] or sha256((making.content + self._key()).encode()).hexdigest()
        told["_target"] = info["target"]
        target = target_of(info["target"])
        on_gpu, simulated = target.backend == "cuda", info["target"].startswith("sim:")
        metadata = told["metadata"] = _metadata_of(self.name, told["_hash"], info, target, making.options)
        told["packed_metadata"] = (metadata.num_warps, metadata.num_ctas, metadata.shared)
        told["asm"] = AsmDict(self, _STAGES if not on_gpu else _CODE_STAGES if simulated else _GPU_STAGES)
        #: files of a cache manager that has it; else made when they are asked for
        told["metadata_group"] = kept.take_group(info["cache_key"]) or Group(self, told["asm"])
        told["shared"] = info["shared"]
        told["seconds"] = info["seconds"]
        told["_store_seconds"] = info["store_seconds"]
        told["_facts"] = revive.Facts(self) if on_gpu and not simulated else None
        #: why it was compiled: the difference to the nearest variant that was there
        told["reason"] = info["reason"]
        told["constants"] = {p.name: making.constants[i, ] for i, p in enumerate(kernel.params)
                             if p.is_constexpr and (i, ) in making.constants}
        # The GPU that is there runs what is not named: a launch by name takes arrays of the host.
        told["_options"] = {n: v for n, v in zip(_OPTIONS, making.given)
                            if v and n not in (*_ON, "constexpr_policy") and
                            (n != "neso_target" or simulated or v == "interp")}
        told["_options"].update((name, False) for name in _ON if not making.options[name])
        for name, value in told.items():
            attributes.setdefault(name, value)
        self._making = None

    def _forgotten(self, users):
        """Its kernel has it no more. Where its own parts are its only `users` it goes at once, and not when garbage is
        collected: what the library has of it goes with it."""
        attributes = _attributes(self)
        own = [name for name in ("asm", "_facts")
               if isinstance(attributes.get(name), (AsmDict, revive.Facts)) and
               sys.getrefcount(attributes[name]) == 2]
        if len(own) == users:
            for name in own:
                del attributes[name]

    def _tell(self, listener, making):
        """Calls knobs.compilation.listener, as upstream does. Of a hit, what it took to find it is the first time."""
        hit = self.cache == "hit"
        stages = [] if hit else [(name, round(time * 1e6)) for name, time in self.seconds.items() if name != "front" and time]
        front = making.microseconds() if hit else max(1, round(self.seconds["front"] * 1e6))
        times = knobs.CompileTimes(front, stages, 0 if hit else round(self._store_seconds * 1e6))
        listener(src=self.src, metadata=self.metadata._asdict(), metadata_group=self.metadata_group, times=times, cache_hit=hit)

    def _loading(self, begins):
        """Calls knobs.runtime.kernel_load_start_hook or kernel_load_end_hook."""
        hook = knobs.runtime.kernel_load_start_hook if begins else knobs.runtime.kernel_load_end_hook
        if hook:
            loaded = None if begins else self
            hook(loaded, loaded, self.name, self.metadata_group, self._hash)

    @property
    def remarks(self):
        """What became of its loops, loads, dots, conversions and accesses, by line: a list of Remark. [] of the interpreter's.
        What the assembler said is among it where there is one."""
        if self._target == "interp":
            return []
        try:
            made = self._assembled()
        except TritonError:
            made = self
        return [Remark(*row) for row in made._remarks()]

    @property
    def kernel(self):
        """The assembled code."""
        return self._assembled()._cubin() or b""

    @property
    def signature(self):
        return self._key()

    def _init_handles(self):
        """To be called before .run: it is assembled, or made of what was pickled."""
        self._assembled()

    @property
    def module(self):
        return self

    @property
    def function(self):
        return self

    @property
    def run(self):
        """run(grid_0, grid_1, grid_2, stream, function, metadata, launch_metadata, enter_hook, exit_hook, *args) launches it for exactly the
        arguments that it was compiled for; those of constants are passed over."""
        launch, places = self._assembled()._launch, self._places
        if places is None:
            return launch
        return lambda *args: launch(*args[:9], *[args[9 + i] for i in places])

    def launch_metadata(self, grid, stream, *args, _args=None):
        data = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        made_by = getattr(self._kernel, "launch_metadata", None)
        if made_by is not None:
            named = _args if _args is not None else dict(zip(self._kernel.arg_names, args))
            data.add(made_by, (grid, self.metadata, named))
        return data

    def __getitem__(self, grid):
        """Launches again, with its options; arguments for constants may be left out."""
        names = self._kernel.arg_names

        def launch(*args, stream=None):
            if len(args) != len(names):
                rest = iter(args)
                args = [self.constants[n] if n in self.constants else next(rest) for n in names]
            # A kernel may have a parameter of an option's name (upstream's softmax tutorial has num_stages): it is among args.
            options = {name: value for name, value in self._options.items() if name not in names}
            return self._kernel.run(*args, grid=grid, warmup=False, **options)

        return launch


def max_shared_mem(device):
    """Bytes of shared memory that a thread block may have."""
    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


def make_backend(target):
    """The BaseBackend for a GPUTarget."""
    from ..backends import backends
    found = [entry.compiler for entry in backends.values() if entry.compiler.supports_target(target)]
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} compatible backends for target ({target.backend}) ({found}). There should only be one.")
    return found[0](target)


__getattr__, __dir__ = lazy(__name__, {
    ".ahead": ("ASTSource", "IRSource", "_Pointer", "compile", "compile_whole"), "..backends": ("BaseBackend", "backends"),
    "..backends.compiler": ("GPUTarget", "Language"),
})
