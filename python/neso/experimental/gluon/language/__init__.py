"""Names that Gluon kernels are written with: the tile language's where it has them, else placeholders that keep a file importable."""
from ....language import *  # noqa: F401,F403
from .... import language as _tile


class Placeholder:
    """Any attribute of it, and what a call of it gives, is a placeholder again."""

    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder(f"{self.__name__}.{name}")

    def __call__(self, *args, **kwargs):
        # As a decorator it leaves what it decorates as it is.
        if len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], Placeholder):
            return args[0]
        return self

    def __repr__(self):
        return f"<{self.__name__} of Gluon, which neso does not have>"


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_tile, name, None) or Placeholder(name)
