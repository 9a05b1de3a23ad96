"""Compiling on threads of this process while the program goes on: JITFunction.compile_async, and
values that stay in use under the policy `tiered`."""

import os
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor

from .. import _native

_MOST_THREADS = 4

_lock = threading.Lock()
_pool = None
_open = set()


class Compilation(Future):
    """A compilation under way, whose result() is the compiled kernel."""

    def __init__(self):
        super().__init__()
        self._stops = []

    def _run(self, work):
        if not self.set_running_or_notify_cancel():
            return
        _native.stop_when(self._stops)
        try:
            result = work()
        except BaseException as error:
            self.set_exception(CancelledError() if self._stops else error)
        else:
            self.set_result(result)
        finally:
            _native.stop_when(None)

    def cancel(self):
        """What has not begun never does; what has stops soon, unless it is done before. False: it is done."""
        if super().cancel():
            return True
        if not self.done():
            self._stops.append(True)
            return True
        return False

    def cancelled(self):
        return super().cancelled() or (self.done() and isinstance(self.exception(), CancelledError))


def submit(work):
    """A Compilation that calls work() on a thread of the pool."""
    global _pool
    future = Compilation()
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS), thread_name_prefix="neso-compile")
            _at_exit()
        _open.add(future)
        _pool.submit(future._run, work)
    future.add_done_callback(_open.discard)
    return future


def _end():
    """The process ends, and waits for no compilation."""
    for future in list(_open):
        future.cancel()


_told = False


def _at_exit():
    # Before the pool's threads are waited for, which atexit is not.
    global _told
    register = getattr(threading, "_register_atexit", None)
    if not _told and register is not None:
        register(_end)
    _told = True


def _forget():
    """A child of a fork has none of the threads."""
    global _pool, _open, _lock
    _pool, _open, _lock = None, set(), threading.Lock()


os.register_at_fork(after_in_child=_forget)


def specialise(kernel, value, device, context, module, values, options):
    """Compiles for a value that stays in use; the kernel's tiers hear what became of it."""

    def work():
        return kernel._compile_value(value, device, context, module, values, **options)

    def done(future):
        if future.cancelled():
            kernel._value_failed(value, module)

    submit(work).add_done_callback(done)
