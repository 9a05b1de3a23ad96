"""Compiling on an executor's threads while the program goes on."""

from contextvars import ContextVar

active_mode = ContextVar("async_compile_active_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled, as AsyncCompileMode's warmup gives it. Once it is there it can be used as one; result() waits for it."""

    def __init__(self, finalize_compile, future):
        self.finalize_compile = finalize_compile
        self.kernel = None
        self.future = future

    def result(self, ignore_errors=False):
        if self.kernel is None:
            try:
                kernel = self.future.result()
            except Exception:
                if ignore_errors:
                    return None
                raise
            self.finalize_compile(kernel)
            self.kernel = kernel
        return self.kernel

    def __getattr__(self, name):
        return getattr(self.result(), name)

    def __getitem__(self, grid):
        return self.result()[grid]


class AsyncCompileMode:
    """`with AsyncCompileMode(executor): kernel.warmup(...)` compiles on the executor; leaving waits for all.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> @triton.jit
    ... def one(out):
    ...     tl.store(out, 1.0)
    >>> with ThreadPoolExecutor(2) as pool, triton.AsyncCompileMode(pool):
    ...     later = one.warmup(triton.MockTensor(tl.float32), grid=(1, ))
    """

    def __init__(self, executor, *, ignore_errors=False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.raw_futures = []
        self.future_kernels = {}

    def submit(self, key, compile_fn, finalize_fn):
        """The kernel of that key; asked for twice it is compiled once."""
        if key not in self.future_kernels:
            future = self.executor.submit(compile_fn)
            self.raw_futures.append(future)
            self.future_kernels[key] = FutureKernel(finalize_fn, future)
        return self.future_kernels[key]

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("another AsyncCompileMode is active")
        active_mode.set(self)
        return self

    def __exit__(self, kind, error, trace):
        from .progress import Progress
        active_mode.set(None)
        with Progress("compiling", len(self.future_kernels)) as progress:
            for future in self.raw_futures:
                future.add_done_callback(lambda _: progress.step())
            for kernel in self.future_kernels.values():
                kernel.result(self.ignore_errors)
