"""Targets by name: what describes and measures a device. What compiles and launches is in the library."""

from dataclasses import dataclass

from .compiler import BaseBackend  # noqa: F401
from .cpu.compiler import CPUBackend
from .cpu.driver import CpuDriver
from .driver import DriverBase  # noqa: F401
from .nvidia.compiler import CUDABackend
from .nvidia.driver import CudaDriver


@dataclass(frozen=True)
class Backend:
    compiler: type
    driver: type


#: "nvidia": GPUs by their driver; "cpu": the interpreter
backends = {"nvidia": Backend(CUDABackend, CudaDriver), "cpu": Backend(CPUBackend, CpuDriver)}
