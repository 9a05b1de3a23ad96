"""Targets."""

from .compiler import BaseBackend

backends = {}


class DriverBase:
    pass
