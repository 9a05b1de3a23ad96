"""The clock of AMD GPUs."""
from ...core import make_builtins

make_builtins(globals(), "language.extra.hip", "memrealtime")
__all__ = ["memrealtime"]
