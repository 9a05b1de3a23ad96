"""Compiling in other processes and on other machines, by any concurrent.futures.Executor.

    with compile_on(executor):
        kernel.warmup(...)          # what is to be compiled is submitted, and not compiled here

A worker imports the kernel's module, compiles, and leaves the result in the compile cache (TRITON_CACHE_DIR that both see, or a
remote cache), where this process finds it. Executors of threads, of processes, Dask's (client.get_executor()), MPI's
(mpi4py.futures) and others that can carry a function of a module with plain arguments will do."""

import importlib
import os
import sys
from contextlib import contextmanager
from contextvars import ContextVar

from .. import knobs

active = ContextVar("tune_on", default=None)
_mains = {}


def _place_of(kernel):
    """Where a worker finds the kernel: (module, file, name)."""
    function = kernel.fn
    module = sys.modules.get(function.__module__)
    file = getattr(module, "__file__", None) or function.__code__.co_filename
    return function.__module__, os.path.abspath(file), function.__qualname__


def _find(place):
    from .jit import JITFunction
    module, file, name = place
    if "<locals>" in name:
        raise ValueError(f"a worker cannot find {name}: kernels that are compiled elsewhere stand in a module, and in no function")
    if module == "__main__":
        if file not in _mains:
            import runpy
            _mains[file] = runpy.run_path(file, run_name="__neso_worker__")
        found = _mains[file]
    else:
        folder = os.path.dirname(file)
        if module not in sys.modules and "." not in module and folder not in sys.path:
            sys.path.append(folder)
        found = vars(importlib.import_module(module))
    first, *rest = name.split(".")
    found = found[first]
    for part in rest:
        found = getattr(found, part)
    while not isinstance(found, JITFunction):
        found = found.fn
    return found


def compile_job(place, data, variables):
    """In a worker. None, or the error's text: exceptions of compilations hold what cannot be carried."""
    for name, value in variables.items():
        os.environ.setdefault(name, value)
    try:
        _find(place).preload(data)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def _error_of(future):
    """What compile_job gave; that of a worker which died on the way."""
    try:
        return future.result()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


class Farm:
    """What compile_on gives: `submitted` jobs, and after it the `errors` of those that failed, by kernel name."""

    def __init__(self, executor):
        self.executor = executor
        self.futures = []
        self.errors = []
        self._keys = set()

    @property
    def submitted(self):
        return len(self.futures)

    def _hook(self, **told):
        """knobs.runtime.jit_cache_hook: refuses what it hands on."""
        kernel, data = told["fn"].jit_function, told["compile"]["specialization_data"]
        place = _place_of(kernel)
        if (place, data) not in self._keys:
            self._keys.add((place, data))
            variables = {n: v for n, v in os.environ.items() if n.startswith(("TRITON_", "NESO_"))}
            self.futures.append((kernel.__name__, self.executor.submit(compile_job, place, data, variables)))
        return True

    @contextmanager
    def collecting(self):
        before = knobs.runtime.jit_cache_hook
        knobs.runtime.jit_cache_hook = self._hook
        try:
            yield self
        finally:
            knobs.runtime.jit_cache_hook = before

    def finish(self):
        from concurrent.futures import wait  # here: `import neso` does without it
        wait([future for _, future in self.futures])
        self.errors = [(name, text) for name, text in ((name, _error_of(future)) for name, future in self.futures) if text]


@contextmanager
def compile_on(executor, ignore_errors=False):
    """Warm-ups inside are compiled by the executor; leaving waits for them, and raises what failed."""
    farm = Farm(executor)
    with farm.collecting():
        yield farm
    farm.finish()
    if farm.errors and not ignore_errors:
        raise RuntimeError("; ".join(f"{name}: {text}" for name, text in farm.errors))


@contextmanager
def tune_on(executor):
    """Launches inside of kernels that are tuned compile their configurations on the executor; they are measured here."""
    token = active.set(executor)
    try:
        yield
    finally:
        active.reset(token)


def compile_configs(executor, warmups):
    """For the autotuner: what the warm-ups would compile, on the executor. Failures are met again when they are measured."""
    farm = Farm(executor)
    with farm.collecting():
        for warmup in warmups:
            try:
                warmup()
            except Exception:
                pass
    farm.finish()
