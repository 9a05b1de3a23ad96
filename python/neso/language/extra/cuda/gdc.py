"""Launches that begin before the one before them has ended."""
from ...core import make_builtins

make_builtins(globals(), "language.extra.cuda", "gdc_wait gdc_launch_dependents")
__all__ = ["gdc_wait", "gdc_launch_dependents"]
