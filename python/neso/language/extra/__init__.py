"""Functions of devices."""
from . import cuda, hip, libdevice

__all__ = ["cuda", "hip", "libdevice"]
