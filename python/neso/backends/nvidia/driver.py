"""NVIDIA's GPUs, through their driver."""

import os
import sys
from functools import cached_property

from ... import _native
from ..driver import C_TYPES, DriverBase


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
        """Is there a GPU? The driver is not started where the system shows one: workers that compile never need it."""
        hidden = os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1")
        shown = not hidden and "TRITON_LIBCUDA_PATH" not in os.environ and os.path.isdir("/proc/driver/nvidia/gpus")
        return shown or _native.gpu_count() > 0

    def get_current_target(self):
        from ..compiler import GPUTarget
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
        from ...testing import GpuDeviceInterface
        return GpuDeviceInterface()

    def get_empty_cache_for_benchmark(self):
        """Larger than any L2: what was written to it last has pushed everything else out."""
        size = min(256 << 20, _native.gpu_info(self.get_current_device())["memory"] // 4)
        torch = _torch()
        return torch.empty(size // 4, dtype=torch.int, device="cuda") if torch else DeviceMemory(size)

    def clear_cache(self, cache):
        cache.zero_()

    def get_benchmarker(self):
        from ...testing import do_bench
        return do_bench

    def map_python_to_cpp_type(self, ty):
        return "CUdeviceptr" if ty.startswith("*") else C_TYPES.get(ty, "void*")
