"""Gluon, upstream's layout-level language, is not part of this version. Programs that define Gluon kernels beside others can be
imported; a launch of one says so in a sentence."""
from . import language

__all__ = ["constexpr_function", "jit", "language"]


class GluonJITFunction:
    """Stands for a Gluon kernel: it has a name, and no code."""

    def __init__(self, fn):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__doc__ = fn.__doc__
        self.__module__ = fn.__module__

    def __getitem__(self, grid):
        return self.run

    def run(self, *args, **kwargs):
        raise NotImplementedError(f"{self.__name__} is a Gluon kernel: neso has no Gluon, only the tile language")

    __call__ = warmup = run


def jit(fn=None, **options):
    return (lambda fn: GluonJITFunction(fn)) if fn is None else GluonJITFunction(fn)


def constexpr_function(fn):
    return fn
