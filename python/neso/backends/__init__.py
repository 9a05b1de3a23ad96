"""Targets."""

from dataclasses import dataclass

from .compiler import BaseBackend  # noqa: F401
from .driver import DriverBase  # noqa: F401


@dataclass(frozen=True)
class Backend:
    compiler: type
    driver: type


#: Empty: what runs kernels is in the library, not in Python packages.
backends = {}
