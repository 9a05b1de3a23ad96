"""What describes a target, by upstream's interface."""

from abc import ABCMeta, abstractmethod
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class GPUTarget:
    """What kernels are compiled for: `GPUTarget("cuda", 90, 32)`, `GPUTarget("cpu", 0, 32)`."""
    backend: str
    arch: "int | str"
    warp_size: int


class Language(Enum):
    """What a kernel is written in."""
    TRITON = 0
    GLUON = 1


class BaseBackend(metaclass=ABCMeta):
    """A kind of target. The names are upstream's; what lowers kernels is in the library."""

    supports_native_tensor_specialization = True
    #: the stage that ends a compilation
    binary_ext = None

    def __init__(self, target):
        if not self.supports_target(target):
            raise ValueError(f"{type(self).__name__} is not for {target}")
        self.target = target

    @staticmethod
    @abstractmethod
    def supports_target(target):
        """Is it for this GPUTarget?"""

    @abstractmethod
    def hash(self):
        """A text that differs where the same kernel may be compiled to something else."""

    @abstractmethod
    def parse_options(self, options):
        """The options of a compilation, with defaults for those that are not given, as an object with attributes."""

    def add_stages(self, stages, options, language=Language.TRITON):
        raise NotImplementedError("neso lowers kernels in its library: there are no stages in Python to add to")

    def load_dialects(self, context):
        """Nothing: there is one dialect for all targets."""

    def get_module_map(self):
        """Module of the tile language -> the one that it stands for on this target."""
        from ..language.extra import libdevice
        return {"triton.language.extra.libdevice": libdevice}

    def get_codegen_implementation(self, options=None):
        return {}

    def pack_metadata(self, metadata):
        """What a launch is told of a compiled kernel's metadata."""
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    @staticmethod
    def parse_attr(desc):
        """What an argument's specialisation ("D") says, as attributes."""
        return [["tt.divisibility", 16]] if desc and "D" in desc else []

    @staticmethod
    def get_int_specialization(arg, **kwargs):
        return "D" if arg % 16 == 0 and kwargs.get("align", False) else ""

    @staticmethod
    def get_tensor_specialization(arg, **kwargs):
        return "D" if arg.data_ptr() % 16 == 0 and kwargs.get("align", False) else ""

    @classmethod
    def get_arg_specialization(cls, arg, ty, **kwargs):
        """Both by one name, as torch 2.9 asks; ty: "int" or "tensor"."""
        if ty == "int":
            return cls.get_int_specialization(arg, **kwargs)
        return cls.get_tensor_specialization(arg, **kwargs) if ty == "tensor" else ""
