"""Functions of NVIDIA GPUs."""
from . import libdevice
from ..core_names import *  # noqa: F401,F403
