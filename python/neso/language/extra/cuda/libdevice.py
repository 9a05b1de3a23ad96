"""The device library, under its name for NVIDIA GPUs."""
from ..libdevice import *  # noqa: F401,F403
