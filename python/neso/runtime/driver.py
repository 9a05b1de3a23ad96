"""The device that kernels run on: a GPU where there is one, else this machine's processors."""

from .. import knobs
from .._lazy import lazy


class DriverConfig:

    def __init__(self):
        self._cpu = self._cuda = self._simulated = self._active = None
        self._default = None  # what was the default last: None before anyone asked

    @property
    def default(self):
        self._default = self._choose()
        return self._default

    def _choose(self):
        named = knobs.runtime.target
        from ..backends.cpu.driver import CpuDriver, SimulatedDriver
        from ..backends.nvidia.driver import CudaDriver
        if named and named.startswith("sim:"):
            if self._simulated is None or self._simulated.target != named:
                self._simulated = SimulatedDriver(named)
            return self._simulated
        if not (knobs.runtime.interpret or named == "interp") and CudaDriver.is_active():
            self._cuda = self._cuda or CudaDriver()
            return self._cuda
        self._cpu = self._cpu or CpuDriver()
        return self._cpu

    @property
    def active(self):
        return self._active if self._active is not None else self.default

    def set_active(self, driver):
        self._active = driver

    def reset_active(self):
        self._active = None


driver = DriverConfig()
__getattr__, __dir__ = lazy(__name__, {
    "..backends": ("backends", ), "..backends.driver": ("DriverBase", ),
    "..backends.cpu.driver": ("CpuDriver", "SimulatedDriver"), "..backends.nvidia.driver": ("CudaDriver", "DeviceMemory"),
})
