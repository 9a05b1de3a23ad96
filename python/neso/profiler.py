"""triton.profiler (Proton) is not part of this version: its calls do nothing but say so once."""

from contextlib import contextmanager

_said = False


def _nothing(*args, **kwargs):
    global _said
    if not _said:
        _said = True
        import sys
        print("neso: triton.profiler is not part of this version; its calls do nothing", file=sys.stderr)


start = activate = deactivate = finalize = enter_scope = exit_scope = _nothing


@contextmanager
def scope(name=None, metrics=None):
    _nothing()
    yield


def profile(function=None, **kwargs):
    return function if function is not None else (lambda f: f)
