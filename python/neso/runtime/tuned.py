"""Choices of the autotuner that last: a file of them (NESO_TUNED), the compile cache, which packs are made of, and the
race that makes them.

The library's C core does both (include/neso/tune.h); the command `neso tune` uses the same."""

import ast
import os
import threading
import warnings

from .. import _native, knobs
from .errors import AutotunerError

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
_lock = threading.Lock()
_read = {}  # path: (stamp, what _native.tuned_read gave)
_missing = set()


# ---- texts ----


def dtype_text(dtype):
    """'fp16', whatever library the dtype is of."""
    from .jit import _normalize_ty
    name = getattr(dtype, "name", None) if type(dtype).__module__.startswith("neso.") else None
    name = name or str(dtype).rsplit(".", 1)[-1]
    try:
        return _normalize_ty(name)
    except Exception:
        return name


def key_text(keys, given):
    """'M=4096, N=4096; a_ptr=fp16': the values that the choice depends on, and the types of arrays."""
    values = [f"{name}={given[name]!r}" for name in keys if name in given and not hasattr(given[name], "dtype")]
    types = [f"{name}={dtype_text(value.dtype)}" for name, value in given.items() if hasattr(value, "dtype")]
    return "; ".join(part for part in (", ".join(values), ", ".join(types)) if part)


def config_text(config):
    """'BLOCK=128, num_warps=8, num_stages=3': clusters and registers where they are not the preset."""
    words = dict(config.kwargs)
    words.update((n, getattr(config, n)) for n in ("num_warps", "num_stages"))
    if config.num_ctas not in (None, 1):
        words["num_ctas"] = config.num_ctas
    if config.maxnreg is not None:
        words["maxnreg"] = config.maxnreg
    return ", ".join(f"{name}={value!r}" for name, value in words.items())


def words_of(text):
    """The dict of such a text; None: it is none."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        return None if call.args else {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError):
        return None


def config_of(text, configs):
    """The one of `configs` that the text means; else a new one (what a search found), with the hook that all have."""
    from .autotuner import Config
    for config in configs:
        if config_text(config) == text:
            return config
    words = words_of(text)
    if words is None:
        return None
    for config in configs:
        if words_of(config_text(config)) == {"num_warps": 4, "num_stages": 3, **words}:
            return config
    options = {name: words.pop(name) for name in _OPTIONS if name in words}
    hooks = {config.pre_hook for config in configs}
    return Config(words, pre_hook=hooks.pop() if len(hooks) == 1 else None, **options)


# ---- the file ----


def _stamp(path):
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _file(path):
    """What it holds, read again when it changed; None: it is not there."""
    stamp = _stamp(path)
    with _lock:
        if stamp is None:
            if path not in _missing and mode() == "measure":
                _missing.add(path)
                warnings.warn(f"there is no file {path!r} of tuning results (NESO_TUNED): configurations are measured",
                              UserWarning, stacklevel=2)
            return None
        if path not in _read or _read[path][0] != stamp:
            _read[path] = (stamp, _native.tuned_read(path))
        return _read[path][1]


def mode():
    """'measure', 'record' or 'never', which a process is held to whose launches may not compile."""
    given = knobs.autotuning.mode or "measure"
    return "never" if given == "measure" and knobs.runtime.strict else given


def is_used():
    return bool(knobs.autotuning.file) or mode() in ("never", "record")


def key_of(fn, key):
    """(kernel, content, gpu, driver, key) of a JITFunction's launch."""
    from ..backends.cpu.driver import CpuDriver, SimulatedDriver
    from .driver import driver
    if driver.active is not driver.default:
        gpu, version = repr(driver.active.get_current_target()), type(driver.active).__name__
    elif isinstance(driver.active, SimulatedDriver):
        gpu, version = driver.active.target, "none"
    else:
        gpu, version = _native.tune_machine(isinstance(driver.active, CpuDriver))
    return fn.__name__, fn._made_of(), gpu, version, key


def find(key, configs):
    """The choice for such a key, or None. One of another driver is taken where nothing may be measured."""
    path = knobs.autotuning.file
    results = _file(path) if path else None
    found = _native.tuned_find(results, key, mode() == "never") if results is not None else None
    if not found and not (path and mode() == "record"):  # what a file lacks is to be measured for it
        found = _native.tuned_kept(key, mode() == "never")
    return config_of(found[0], configs) if found else None


def refuse(key):
    """The error of what may not be measured and is not known."""
    kernel, content, gpu, driver, values = key
    path = knobs.autotuning.file
    where = f"{path} and the compile cache have no choice for it" if path and _stamp(path) else \
        f"there is no file {path}, and the compile cache has none" if path else \
        "the compile cache has no choice for it, and NESO_TUNED names no file"
    raise AutotunerError(
        f"{kernel} is not tuned for {values or 'this call'} on {gpu} (driver {driver}, content {content}), {where}, and "
        f"{'NESO_TUNE=never' if knobs.autotuning.mode == 'never' else 'NESO_STRICT'} lets nothing be measured. "
        "A run with NESO_TUNE=record adds it")


def record(key, config, seconds, noise, tried):
    if mode() != "record":
        return
    if knobs.autotuning.file:
        _native.tuned_record(knobs.autotuning.file, key, config_text(config), seconds, noise, tried)
    _native.tuned_keep(key, config_text(config), seconds, noise, tried)


# ---- the race ----


class Outcome:
    """What a race gave. `timings`: for each candidate [median, 0.2 and 0.8 quantile] in milliseconds, as do_bench gives
    them; `rows`: (state, why, runs, seconds, noise, low, high)."""

    def __init__(self, found):
        self.chosen, self.settled, self.rounds = found["chosen"], found["settled"], found["rounds"]
        self.out_of_time, self.noise, self.confidence = found["out_of_time"], found["noise"], found["confidence"]
        self.rows = found["candidates"]

    @property
    def timings(self):
        out = []
        for state, _, _, seconds, noise, _, _ in self.rows:
            if state in ("failed", "untried"):
                out.append([float("inf")] * 3)
            else:
                spread = 0.8416 * noise  # of a normal distribution, from its middle to those quantiles
                out.append([seconds * 1e3, seconds * 1e3 * max(0.0, 1 - spread), seconds * 1e3 * (1 + spread)])
        return out


def race(count, measure, progress=None, **options):
    """measure(candidate) gives seconds, or a text that says why it is passed over; exceptions end the race."""
    options = {name: value for name, value in options.items() if value}
    return Outcome(_native.tune_race(count, measure, progress, **options))


class Stopwatch:
    """Times one call: on a GPU between two events, with the L2 cache emptied before; else by the clock on the wall."""

    def __init__(self):
        import time

        from ..backends.cpu.driver import CpuDriver
        from .driver import driver
        self._clock = time.perf_counter
        self._driver = None if isinstance(driver.active, CpuDriver) else driver.active
        self.resolution = 0.0
        if self._driver:
            self.resolution = 5e-7  # of events
            self._device = self._driver.get_device_interface()
            self._cache = self._driver.get_empty_cache_for_benchmark()
            self._begin, self._end = (self._device.Event(enable_timing=True) for _ in range(2))

    def seconds(self, call):
        if self._driver is None:
            began = self._clock()
            call()
            return self._clock() - began
        self._driver.clear_cache(self._cache)
        self._begin.record()
        call()
        self._end.record()
        self._device.synchronize()
        return self._begin.elapsed_time(self._end) * 1e-3
