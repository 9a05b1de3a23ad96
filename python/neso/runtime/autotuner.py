"""Autotuning: of several ways to compile a kernel the fastest for the arguments at hand; and heuristics."""

import builtins
import functools
import inspect
import os
import sys
import time
import warnings

from .. import knobs, testing
from .._lazy import sha256
from . import accumulates, farm, tuned
from .cache import get_cache_invalidating_env_vars, get_cache_manager, triton_key
from .driver import CpuDriver, driver
from .errors import AutotunerError, OutOfResources, PTXASError
from .host import nearest
from .jit import JITFunction, KernelInterface
from .progress import Progress

_DO_BENCH = testing.do_bench
_GPU_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")


def _zero(array):
    if array is None:
        return
    if hasattr(array, "zero_"):
        array.zero_()
    else:
        array[...] = 0


def _clone(array):
    if array is None:
        return None
    return array.clone() if hasattr(array, "clone") else array.copy()


def _restore(array, kept):
    if array is None:
        return
    if hasattr(array, "copy_"):
        array.copy_(kept)
    else:
        array[...] = kept


def _caller():
    """The stacklevel of the nearest frame outside of this package, for whom calls this."""
    package, frame, level = os.path.dirname(os.path.dirname(__file__)) + os.sep, sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    return level


class Autotuner(KernelInterface):
    """A kernel with configurations; the first launch for each key times them all.

    `keys` names the arguments whose values, with the dtypes of all, make the key. `cache` has the best configuration of
    each key, `best_config` that of the last launch, `configs_timings` the times of the last tuning."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook=None, post_hook=None,
                 prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None,
                 cache_results=False):
        self.configs = configs if configs else [Config({}, num_warps=4, num_stages=3, num_ctas=1)]
        for config in self.configs:
            if not hasattr(config, "kwargs"):
                raise TypeError(f"autotune: configs has objects such as triton.Config({{'BLOCK': 64}}, num_warps=4), not {config!r}")
        self.keys = key
        if isinstance(key, str):
            warnings.warn(f"autotune: key is a list of names, [{key!r}]; of the text {key!r} each letter is one", UserWarning,
                          stacklevel=3)
        for option, names in (("reset_to_zero", reset_to_zero), ("restore_value", restore_value)):
            for name in names or ():
                if name not in arg_names:
                    warnings.warn(f"autotune: {option} has {name!r}, which is no parameter of the kernel"
                                  f"{nearest(name, list(arg_names))}", UserWarning, stacklevel=3)
        for name in key:
            if name not in arg_names:
                warnings.warn(f"autotune: the key {name!r} is no parameter of the kernel and decides nothing"
                              f"{nearest(name, list(arg_names))}", UserWarning, stacklevel=3)
        self.cache = {}
        self.race = None
        self._is_looked_at = False
        self.arg_names = arg_names
        self.cache_results = (cache_results or knobs.autotuning.cache) and not knobs.runtime.interpret
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self.restore_copies = {}
        self.user_defined_pre_hook = bool(pre_hook)
        self.user_defined_post_hook = bool(post_hook)
        self.pre_hook = pre_hook or self._default_pre_hook
        self.post_hook = post_hook or self._default_post_hook
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.fn = fn
        self.base_fn = fn
        while not inspect.isfunction(self.base_fn):
            self.base_fn = self.base_fn.fn
        self.__name__ = self.base_fn.__name__
        self.__doc__ = self.base_fn.__doc__
        self.__module__ = self.base_fn.__module__
        self.num_warmups = warmup
        self.num_reps = rep
        self.use_cuda_graph = use_cuda_graph
        self._do_bench = do_bench
        self.nargs = None
        if warmup is not None or rep is not None or use_cuda_graph:
            warnings.warn("warmup, rep and use_cuda_graph of autotune are deprecated: give do_bench", DeprecationWarning,
                          stacklevel=2)
            wait, runs = 25 if warmup is None else warmup, 100 if rep is None else rep
            if use_cuda_graph:
                self._do_bench = lambda call, quantiles: testing.do_bench_cudagraph(call, rep=runs, quantiles=quantiles)
            else:
                self._do_bench = lambda call, quantiles: testing.do_bench(call, warmup=wait, rep=runs,
                                                                          quantiles=quantiles)

    def _default_pre_hook(self, kwargs, reset_only=False):
        for name in self.reset_to_zero:
            _zero(kwargs[name])
        if not reset_only:
            self.restore_copies = {name: _clone(kwargs[name]) for name in self.restore_value}

    def _default_post_hook(self, kwargs, exception):
        for name, kept in self.restore_copies.items():
            _restore(kwargs[name], kept)
        self.restore_copies = {}

    @functools.cached_property
    def do_bench(self):
        return driver.active.get_benchmarker() if self._do_bench is None else self._do_bench

    @staticmethod
    def _refuse_conflicts(meta, config):
        conflicts = meta.keys() & config.kwargs.keys()
        if conflicts:
            raise ValueError(f"Conflicting meta-parameters: {', '.join(sorted(conflicts))}. Make sure that you don't "
                             "re-define auto-tuned symbols.")

    def _bench(self, *args, config, **meta):
        from ..compiler.errors import CompileTimeAssertionFailure
        loud = knobs.autotuning.print
        if loud:
            print(f"Autotuning kernel {self.base_fn.__name__} with config {config}")
        self._refuse_conflicts(meta, config)
        current = dict(meta, **config.all_kwargs())
        everything = {**self.nargs, **current}

        def call():
            if config.pre_hook:
                config.pre_hook(everything)
            self.pre_hook(everything)
            try:
                self.fn.run(*args, **current)
            except Exception as error:
                try:
                    self.post_hook(everything, exception=error)
                finally:
                    raise
            self.post_hook(everything, exception=None)

        try:
            return self.do_bench(call, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompileTimeAssertionFailure, PTXASError) as error:
            if loud:
                print(f"Autotuning failed with {error}")
            return [float("inf"), float("inf"), float("inf")]

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        """True when the times were found in the cache folder; else they are measured and put there."""
        if not tuning_key or any(c.pre_hook for c in configs):
            bench_fn()
            return False
        fn = self._inner()
        parts = [triton_key(), repr(driver.active.get_current_target()), fn.cache_key,
                 str(sorted(get_cache_invalidating_env_vars().items())), str(tuning_key)] + [str(c) for c in configs]
        import json
        cache = get_cache_manager(sha256("-".join(parts).encode()).hexdigest())
        name = f"{fn.__name__[:150]}.autotune.json"
        path = cache.get_file(name)
        if path:
            with open(path) as file:
                saved = json.load(file)["configs_timings"]
            timings = {Config(**config): timing for config, timing in saved}
            self.cache[tuning_key] = builtins.min(timings, key=timings.get)
            self.configs_timings = timings
            return True
        bench_fn()
        # The key is there to be read: element types and others that JSON lacks are put down as text.
        cache.put(json.dumps({"key": [value if isinstance(value, (str, int, float, type(None))) else str(value)
                                      for value in tuning_key],
                              "configs_timings": [(c.__dict__, t) for c, t in self.configs_timings.items()]}), name,
                  binary=False)
        return False

    def _compile_all(self, configs, args, kwargs):
        """Compiles them side by side, as assembling is the work of other processes; what fails fails again, and is told,
        when it is measured."""
        inner = self._inner()
        watched = inner.pre_run_hooks or knobs.runtime.jit_post_compile_hook or knobs.runtime.jit_cache_hook
        if len(configs) < 2 or watched or isinstance(driver.active, CpuDriver):
            return
        if farm.active.get() is not None:
            farm.compile_configs(farm.active.get(), [
                functools.partial(self.fn.run, *args, **{**kwargs, **c.all_kwargs(), "warmup": True}) for c in configs])
            return

        def compile(config):
            try:
                self.fn.run(*args, **{**kwargs, **config.all_kwargs(), "warmup": True})
            except Exception:
                pass
            progress.step(str(config))

        from concurrent.futures import ThreadPoolExecutor
        with Progress(f"compiling {self.__name__}", len(configs)) as progress:
            with ThreadPoolExecutor(min(len(configs), os.cpu_count() or 1, 32)) as threads:
                list(threads.map(compile, configs))

    def _measure(self, configs, args, kwargs):
        """Times by config. Those that differ in what only a GPU looks at are one program here, and measured once."""
        alike = self._do_bench is None and isinstance(driver.active, CpuDriver)
        self._compile_all(configs, args, kwargs)
        progress = Progress(f"tuning {self.__name__}", len(configs))
        with progress:
            return self._measure_each(configs, args, kwargs, alike, progress)

    def _look_for_accumulation(self, compiled):
        """Warns where runs that were measured added up, and nothing puts arrays back. Hooks may do so."""
        if self._is_looked_at or self.user_defined_pre_hook or any(config.pre_hook for config in self.configs):
            return
        self._is_looked_at = True
        ttir = getattr(compiled, "asm", {}).get("ttir", "")
        said = accumulates.advice(self.__name__, ttir, {*self.reset_to_zero, *self.restore_value})
        if said:
            warnings.warn(said, UserWarning, stacklevel=_caller())

    def _measure_each(self, configs, args, kwargs, alike, progress):
        programs = {}
        for config in configs:
            words = tuple((n, v) for n, v in config.all_kwargs().items() if n not in _GPU_OPTIONS or n in self.arg_names)
            programs[config] = (words, config.pre_hook) if alike else config
        first = {}
        for config, program in programs.items():
            first.setdefault(program, config)
        measure = self._race if self._is_raced() else self._bench_each
        timings = dict(zip(first, measure(list(first.values()), args, kwargs, progress)))
        return {config: timings[program] for config, program in programs.items()}

    def _is_raced(self):
        """A benchmarker of the program's own measures as it always did."""
        mine = self._do_bench is None and not {"do_bench", "_bench"} & self.__dict__.keys() and \
            type(self)._bench is Autotuner._bench
        return mine and driver.active.get_benchmarker() is _DO_BENCH

    def _bench_each(self, configs, args, kwargs, progress):
        self.race = None
        timings = []
        for config in configs:
            progress.step(str(config), 0)
            timings.append(self._bench(*args, config=config, **kwargs))
            progress.step()
        return timings

    def _race(self, configs, args, kwargs, progress):
        """Interleaved rounds, until the fastest is known (tuned.race)."""
        from ..compiler.errors import CompileTimeAssertionFailure
        watch = tuned.Stopwatch()
        for config in configs:
            self._refuse_conflicts(kwargs, config)

        def measure(candidate):
            config = configs[candidate]
            current = dict(kwargs, **config.all_kwargs())
            everything = {**self.nargs, **current}
            if config.pre_hook:
                config.pre_hook(everything)
            self.pre_hook(everything)
            try:
                seconds = watch.seconds(lambda: self.fn.run(*args, **current))
            except Exception as error:
                self.post_hook(everything, exception=error)
                if isinstance(error, (OutOfResources, CompileTimeAssertionFailure, PTXASError)):
                    return str(error) or type(error).__name__
                raise
            self.post_hook(everything, exception=None)
            return seconds

        def step(candidate, done, all):
            progress.step(str(configs[candidate]), 0)

        self.race = tuned.race(len(configs), measure, step, resolution=watch.resolution,
                               budget=float(knobs.autotuning.budget))
        if knobs.autotuning.print:
            for config, (state, why, runs, *_) in zip(configs, self.race.rows):
                print(f"{config}: {state}{f' ({why})' if why else ''}, {runs} runs")
        return self.race.timings

    def _choice(self, timings):
        """The race's, which takes noise into account; else the least time."""
        if self.race is not None and self.race.chosen >= 0:
            best = self.race.timings[self.race.chosen]
            return next(config for config, timing in timings.items() if timing == best)
        return builtins.min(timings, key=timings.get)

    def _tune(self, key, candidates, args, kwargs):
        """Measures, and keeps the choice. True: it was known, from the cache or from a file of choices, or as pruning left
        no other one."""
        if len(candidates) == 1:
            self.cache[key], self.configs_timings = candidates[0], {}
            return True
        given = {n: v for n, v in {**self.nargs, **kwargs}.items() if n in self.arg_names}
        place = None
        if tuned.is_used():
            place = tuned.key_of(self._inner(), tuned.key_text(self.keys, given))
            found = tuned.find(place, candidates)
            if found is not None:
                self.cache[key], self.configs_timings = found, {}
                self._tell_listener(key, True)
                return True
            if tuned.mode() == "never":
                tuned.refuse(place)

        def measure():
            began = time.time()
            timings = self._measure(candidates, args, kwargs)
            self.bench_time = time.time() - began
            self.cache[key] = self._choice(timings)
            self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)
            self.configs_timings = timings

        known = False
        if self.cache_results:
            known = self.check_disk_cache(key, candidates, measure)
        else:
            measure()
        if place:
            timing = self.configs_timings[self.cache[key]]
            noise = self.race.noise if self.race is not None else 0.0
            tuned.record(place, self.cache[key], (timing[0] if isinstance(timing, (list, tuple)) else timing) * 1e-3,
                         noise, len(candidates))
        self._tell_listener(key, known)
        return known

    def _tell_listener(self, key, known):
        if knobs.autotuning.listener is not None:
            knobs.autotuning.listener(fn=self._inner(), key=key, best_config=self.cache[key],
                                      configs_timings=self.configs_timings,
                                      duration=None if known else self.bench_time, cache_hit=known)

    def _inner(self):
        fn = self.fn
        while not isinstance(fn, JITFunction):
            fn = fn.fn
        return fn

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        known = True
        key = None
        if len(self.configs) > 1:
            given = {n: v for n, v in {**self.nargs, **kwargs}.items() if n in self.arg_names}
            key = [given[n] for n in self.keys if n in given]
            key += [str(v.dtype) for v in given.values() if hasattr(v, "dtype")]
            key = tuple(key)
            if key not in self.cache:
                known = self._tune(key, self.prune_configs(kwargs), args, kwargs)
            config = self.cache[key]
        else:
            config = self.configs[0]
            self._refuse_conflicts(kwargs, config)
        self.best_config = config
        if knobs.autotuning.print and not known:
            print(f"Triton autotuning for function {self.base_fn.__name__},\nwith key as {key},\n"
                  f"finished after {self.bench_time:.2f}s,\nbest config selected: {self.best_config};")
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
        result = self.fn.run(*args, **kwargs, **config.all_kwargs())
        if not known:
            self._look_for_accumulation(result)
        self.nargs = None
        return result

    def prune_configs(self, kwargs):
        configs = self.configs
        if self.early_config_prune:
            configs = self.early_config_prune(self.configs, self.nargs, **kwargs)
            if not configs:
                raise AutotunerError("No valid autotuner configs after pruning. `early_config_prune` should return at "
                                     "least one config.")
        if self.perf_model:
            top = self.configs_top_k
            if isinstance(top, float) and top <= 1.0:
                top = builtins.max(int(len(self.configs) * top), 1)
            elif not isinstance(top, int):
                raise TypeError("Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int")
            if len(configs) > top:
                times = {c: self.perf_model(**self.nargs, **kwargs, **c.all_kwargs()) for c in configs}
                configs = sorted(times, key=times.get)[:top]
        return configs

    def warmup(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        made = [self.fn.warmup(*args, **kwargs, **c.all_kwargs()) for c in self.prune_configs(kwargs)]
        self.nargs = None
        return made


class Config:
    """Values for a kernel's meta-parameters (kwargs: dict of names and values) and options, as one candidate of the autotuner.

    pre_hook(args) is called before each launch with it.

    >>> triton.Config({"BLOCK": 256}, num_warps=8).kwargs
    {'BLOCK': 256}
    """

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        if not hasattr(kwargs, "items"):
            raise TypeError(f"a Config begins with a dict of names and values, as {{'BLOCK': 64}}, not {kwargs!r}")
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def __setstate__(self, state):
        self.__init__(state.get("kwargs", {}), **{n: v for n, v in state.items() if n != "kwargs"})

    def all_kwargs(self):
        options = {"num_warps": self.num_warps, "num_ctas": self.num_ctas, "num_stages": self.num_stages,
                   "maxnreg": self.maxnreg, "ir_override": self.ir_override}
        return {**self.kwargs, **{n: v for n, v in options.items() if v is not None}}

    def __str__(self):
        shown = [f"{n}: {v}" for n, v in self.kwargs.items()]
        shown += [f"{n}: {getattr(self, n)}" for n in ("num_warps", "num_ctas", "num_stages", "maxnreg")]
        if self.ir_override is not None:
            shown.append(f"ir_override: {self.ir_override}")
        return ", ".join(shown)

    def _identity(self):
        return (*self.all_kwargs().items(), self.pre_hook)

    def __hash__(self):
        return hash(self._identity())

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None,
             post_hook=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    """Tries the configurations at the first launch for each value of the arguments named by `key`.

    The kernel runs many times while it is tuned: arrays that it adds to belong in reset_to_zero, arrays that it reads
    and changes in restore_value. prune_configs_by has "early_config_prune" (configs, named_args, **kwargs) and
    "perf_model" with "top_k". do_bench(call, quantiles) measures; TRITON_PRINT_AUTOTUNING=1 shows what was chosen.

    >>> @triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (64, 128)], key=["n"])
    ... @triton.jit
    ... def fill(x_ptr, n, BLOCK: tl.constexpr):
    ...     at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ...     tl.store(x_ptr + at, 7.0, mask=at < n)
    >>> x = np.zeros(100, np.float32)
    >>> _ = fill[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, x.size)
    >>> bool((x == 7).all())
    True
    """

    def decorate(fn):
        if not hasattr(fn, "arg_names"):
            raise TypeError(f"autotune wants a kernel, not {fn!r}: @triton.autotune(...) stands above @triton.jit")
        return Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook=pre_hook,
                         post_hook=post_hook, prune_configs_by=prune_configs_by, warmup=warmup, rep=rep,
                         use_cuda_graph=use_cuda_graph, do_bench=do_bench, cache_results=cache_results)

    return decorate


class Heuristics(KernelInterface):
    """A kernel some of whose parameters are computed from the others."""

    def __init__(self, fn, arg_names, values):
        for name, compute in values.items():
            if not callable(compute):
                raise TypeError(f"heuristics: {name!r} is a function of all arguments, lambda args: {compute!r}, not {compute!r}")
        self.fn = fn
        self.values = values
        self.arg_names = arg_names
        self.__name__ = getattr(fn, "__name__", None)
        self.__doc__ = getattr(fn, "__doc__", None)

    def run(self, *args, **kwargs):
        for name, compute in self.values.items():
            kwargs[name] = compute({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)


def heuristics(values):
    """Parameters that are worked out at the launch. values: dict of names and functions, which take the dict of all arguments.

    >>> @triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
    ... @triton.jit
    ... def count(x_ptr, n, BLOCK: tl.constexpr):
    ...     at = tl.arange(0, BLOCK)
    ...     tl.store(x_ptr + at, at, mask=at < n)
    >>> x = np.zeros(5, np.int32)
    >>> _ = count[(1,)](x, x.size)
    >>> x.tolist()
    [0, 1, 2, 3, 4]
    """

    def decorate(fn):
        return Heuristics(fn, fn.arg_names, values)

    return decorate
