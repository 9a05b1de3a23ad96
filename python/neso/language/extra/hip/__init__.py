"""Functions of AMD GPUs."""
from . import libdevice
from .utils import memrealtime

__all__ = ["libdevice", "memrealtime"]
