"""What describes a target."""

import hashlib
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class GPUTarget:
    backend: str
    arch: "int | str"
    warp_size: int


class Language(Enum):
    TRITON = 0
    GLUON = 1


@dataclass(frozen=True)
class AttrsDescriptor:
    """Which arguments are divisible by 16 and which are 1."""
    divisible_by_16: tuple = ()
    equal_to_1: tuple = ()


class BaseBackend:

    supports_native_tensor_specialization = True

    def __init__(self, target):
        self.target = target

    def hash(self):
        return hashlib.sha256(repr(self.target).encode()).hexdigest()

    @staticmethod
    def supports_target(target):
        return target.backend == "cpu"

    @staticmethod
    def get_arg_specialization(arg, ty, **kwargs):
        if ty == "int" and arg % 16 == 0 and kwargs.get("align", False):
            return "D"
        if ty == "tensor" and arg.data_ptr() % 16 == 0 and kwargs.get("align", False):
            return "D"
        return ""

    @staticmethod
    def parse_attr(desc):
        return [["tt.divisibility", 16]] if desc and "D" in desc else []

    def parse_options(self, options):
        return options
