"""The device that kernels run on: a GPU where there is one, else this machine's processors."""

import os
import sys
from functools import cached_property

from .. import _native, knobs
from ..backends.driver import DriverBase

_C_TYPES = {"i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u1": "uint8_t",
            "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "fp16": "double",
            "bf16": "double", "fp32": "double", "f32": "double", "fp64": "double"}


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

    def get_device_capability(self, device=None):
        return (0, 0)

    def get_active_torch_device(self):
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
        return _C_TYPES.get(ty, "void*")


class SimulatedDriver(CpuDriver):
    """NESO_TARGET=sim:TARGET: the code made for a GPU runs on the CPU, and programs see that GPU's kind."""

    def __init__(self, target):
        self.target = target

    def get_current_target(self):
        from ..compiler.compiler import target_of
        return target_of(self.target)

    def get_device_capability(self, device=None):
        return divmod(self.get_current_target().arch, 10)


def _torch():
    """torch, if the program has it and it uses GPUs."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available() else None


class DeviceMemory:
    """Bytes on the GPU that are freed with the object."""

    def __init__(self, size):
        self._address = 0
        self.size = size
        self._address = _native.gpu_alloc(size)

    def data_ptr(self):
        return self._address

    def zero_(self, stream=0):
        _native.gpu_fill(self._address, 0, self.size, stream)
        return self

    def put(self, array, stream=0):
        """The bytes of a contiguous array of NumPy's come here."""
        self._copy(array, stream, True)
        return self

    def get(self, array, stream=0):
        """The bytes go to a contiguous array of NumPy's, and are there on return."""
        self._copy(array, stream, False)
        return array

    def _copy(self, array, stream, here):
        if array.nbytes > self.size or not array.flags.c_contiguous:
            raise ValueError(f"{array.nbytes} bytes, which must lie together, and {self.size} of device memory")
        host = array.__array_interface__["data"][0]
        to, start = (self._address, host) if here else (host, self._address)
        _native.gpu_copy(to, start, array.nbytes, stream)

    def __del__(self):
        if self._address:
            _native.gpu_free(self._address)


class _CudaUtils:

    def get_device_properties(self, device=0):
        gpu = _native.gpu_info(device)
        return {"max_shared_mem": gpu["shared_cta"], "max_num_regs": 65536, "multiprocessor_count": gpu["sms"],
                "warpSize": 32, "sm_clock_rate": gpu["clock_khz"], "mem_clock_rate": gpu["memory_clock_khz"],
                "mem_bus_width": gpu["bus_bits"], "name": gpu["name"], "l2_cache_size": gpu["l2"],
                "total_memory": gpu["memory"]}


class CudaDriver(DriverBase):
    """NVIDIA GPUs. The current device and stream are torch's where the program uses torch, else the driver's."""

    @cached_property
    def utils(self):
        return _CudaUtils()

    @classmethod
    def is_active(cls):
        return _native.gpu_count() > 0

    def get_current_target(self):
        from ..backends.compiler import GPUTarget
        major, minor = self.get_device_capability(self.get_current_device())
        return GPUTarget("cuda", 10 * major + minor, 32)

    def get_current_device(self):
        torch = _torch()
        return torch.cuda.current_device() if torch else _native.gpu_current()

    def set_current_device(self, device):
        torch = _torch()
        torch.cuda.set_device(device) if torch else _native.gpu_use(device)

    def get_current_stream(self, device=None):
        torch = _torch()
        return torch.cuda.current_stream(device).cuda_stream if torch else 0

    def get_device_capability(self, device=None):
        return divmod(_native.gpu_info(self.get_current_device() if device is None else device)["capability"], 10)

    def get_active_torch_device(self):
        torch = _torch()
        return torch.device("cuda", self.get_current_device()) if torch else "cuda"

    def get_device_interface(self):
        torch = _torch()
        if torch:
            return torch.cuda
        from ..testing import GpuDeviceInterface
        return GpuDeviceInterface()

    def get_empty_cache_for_benchmark(self):
        """Larger than any L2: what was written to it last has pushed everything else out."""
        size = min(256 << 20, _native.gpu_info(self.get_current_device())["memory"] // 4)
        torch = _torch()
        return torch.empty(size // 4, dtype=torch.int, device="cuda") if torch else DeviceMemory(size)

    def clear_cache(self, cache):
        cache.zero_()

    def get_benchmarker(self):
        from ..testing import do_bench
        return do_bench

    def map_python_to_cpp_type(self, ty):
        return "CUdeviceptr" if ty.startswith("*") else _C_TYPES.get(ty, "void*")


class DriverConfig:

    def __init__(self):
        self._cpu = self._cuda = self._simulated = self._active = None

    @property
    def default(self):
        named = knobs.runtime.target
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
