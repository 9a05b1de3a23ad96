"""The device that kernels run on: here, this machine's processors."""

from functools import cached_property

from ..backends.driver import DriverBase


class _Utils:

    def get_device_properties(self, device=0):
        import os
        return {"max_shared_mem": 232448, "multiprocessor_count": os.cpu_count() or 1, "max_num_regs": 65536,
                "warpSize": 32, "sm_clock_rate": 0, "mem_clock_rate": 0, "mem_bus_width": 0}


class CpuDriver(DriverBase):
    """Kernels are interpreted on the CPU. It answers as a GPU of the widest-spread kind where programs choose by it."""

    @cached_property
    def utils(self):
        return _Utils()

    @classmethod
    def is_active(cls):
        return True

    def get_current_target(self):
        from ..backends.compiler import GPUTarget
        return GPUTarget("cpu", 0, 32)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_active_torch_device(self):
        import sys
        torch = sys.modules.get("torch")
        return torch.device("cpu") if torch else "cpu"

    def get_device_interface(self):
        from ..testing import CpuDeviceInterface
        return CpuDeviceInterface()

    def get_empty_cache_for_benchmark(self):
        return bytearray(32 << 20)

    def clear_cache(self, cache):
        cache[:] = bytes(len(cache))

    def get_benchmarker(self):
        from ..testing import do_bench
        return do_bench

    def map_python_to_cpp_type(self, ty):
        return {"i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u1": "uint8_t",
                "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "fp16": "double",
                "bf16": "double", "fp32": "double", "f32": "double", "fp64": "double"}.get(ty, "void*")


class DriverConfig:

    def __init__(self):
        self._default = None
        self._active = None

    @property
    def default(self):
        if self._default is None:
            self._default = CpuDriver()
        return self._default

    @property
    def active(self):
        return self._active if self._active is not None else self.default

    def set_active(self, driver):
        self._active = driver

    def reset_active(self):
        self._active = None


driver = DriverConfig()
