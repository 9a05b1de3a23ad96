"""Descriptors that host code of Gluon kernels makes; a launch of those says that there is no Gluon."""

from dataclasses import dataclass

from ....tools.tensor_descriptor import TensorDescriptor as _Plain

__all__ = ["TensorDescriptor"]


@dataclass
class TensorDescriptor:
    base: object
    shape: list
    strides: list
    block_shape: list
    layout: object
    padding: str = "zero"

    def __post_init__(self):
        _Plain(self.base, self.shape, self.strides, self.block_shape, self.padding)  # looks at them

    @staticmethod
    def from_tensor(tensor, block_shape, layout, padding="zero"):
        plain = _Plain.from_tensor(tensor, block_shape, padding)
        return TensorDescriptor(plain.base, plain.shape, plain.strides, plain.block_shape, layout, padding)
