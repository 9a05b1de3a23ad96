"""The device library, under its name for AMD GPUs."""
from ..libdevice import *  # noqa: F401,F403
