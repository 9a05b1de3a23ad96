"""Layouts that host code of Gluon kernels names."""

from dataclasses import dataclass, field

__all__ = ["NVMMASharedLayout"]


@dataclass(frozen=True)
class NVMMASharedLayout:
    """A layout of shared memory for NVIDIA's matrix instructions."""
    swizzle_byte_width: int
    element_bitwidth: int
    rank: int = 2
    transposed: bool = False
    fp4_padded: bool = False
    cga_layout: list = field(default_factory=list)
