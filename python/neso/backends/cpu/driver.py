"""The CPU as a device: kernels are interpreted, or simulated as a GPU would run them."""

import os
import sys
from functools import cached_property

from ..driver import C_TYPES, DriverBase


class _CpuUtils:

    def get_device_properties(self, device=0):
        return {"max_shared_mem": 232448, "multiprocessor_count": os.cpu_count() or 1, "max_num_regs": 65536,
                "warpSize": 32, "sm_clock_rate": 0, "mem_clock_rate": 0, "mem_bus_width": 0}


class CpuDriver(DriverBase):
    """Kernels are interpreted on the CPU. It answers as a GPU of the widest-spread kind where programs choose by it."""

    @cached_property
    def utils(self):
        return _CpuUtils()

    @classmethod
    def is_active(cls):
        """Without a GPU. Programs count the active drivers of `backends`: two turn kernels off."""
        from ..nvidia.driver import CudaDriver
        return not CudaDriver.is_active()

    def get_current_target(self):
        from ..compiler import GPUTarget
        return GPUTarget("cpu", 0, 32)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        return (0, 0)

    def get_active_torch_device(self):
        torch = sys.modules.get("torch")
        return torch.device("cpu") if torch else "cpu"

    def get_device_interface(self):
        from ...testing import CpuDeviceInterface
        return CpuDeviceInterface()

    def get_empty_cache_for_benchmark(self):
        return bytearray(32 << 20)

    def clear_cache(self, cache):
        cache[:] = bytes(len(cache))

    def get_benchmarker(self):
        from ...testing import do_bench
        return do_bench

    def map_python_to_cpp_type(self, ty):
        return C_TYPES.get(ty, "void*")


class SimulatedDriver(CpuDriver):
    """NESO_TARGET=sim:TARGET: the code made for a GPU runs on the CPU, and programs see that GPU's kind."""

    def __init__(self, target):
        self.target = target

    def get_current_target(self):
        from ...compiler.compiler import target_of
        return target_of(self.target)

    def get_device_capability(self, device=None):
        return divmod(self.get_current_target().arch, 10)
