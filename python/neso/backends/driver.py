"""What a driver offers; a program may set its own by runtime.driver.set_active()."""

from abc import ABCMeta, abstractmethod

#: The C type of a scalar by its name in signatures; floats are given as doubles.
C_TYPES = {"i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u1": "uint8_t",
           "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "fp16": "double",
           "bf16": "double", "fp32": "double", "f32": "double", "fp64": "double"}


class Benchmarker:
    """Measures a call; gives the quantiles in milliseconds. Anything that can be called like this."""

    def __call__(self, kernel_call, *, quantiles, **kwargs):
        raise NotImplementedError


class DriverBase(metaclass=ABCMeta):

    @classmethod
    @abstractmethod
    def is_active(cls):
        """Is there a device of this kind?"""

    @abstractmethod
    def map_python_to_cpp_type(self, ty):
        """The C type of an argument whose type is written as in signatures."""

    @abstractmethod
    def get_current_target(self):
        """The GPUTarget that kernels are compiled for."""

    @abstractmethod
    def get_active_torch_device(self):
        """The torch.device of arrays."""

    @abstractmethod
    def get_benchmarker(self):
        """How kernels are measured."""


class GPUDriver(DriverBase):
    """A driver whose device and stream are torch's."""

    def __init__(self):
        import torch
        self.get_device_capability = torch.cuda.get_device_capability
        self.get_current_stream = lambda device=None: torch.cuda.current_stream(device).cuda_stream
        self.get_current_device = torch.cuda.current_device
        self.set_current_device = torch.cuda.set_device
