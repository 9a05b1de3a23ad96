"""Tensor descriptors made by the host."""

from dataclasses import dataclass

from .._utils import validate_block_shape
from ..language.core import _unwrap_if_constexpr


def _address(base):
    if hasattr(base, "data_ptr"):
        return base.data_ptr()
    interface = getattr(base, "__array_interface__", None)
    return interface["data"][0] if interface else 0


@dataclass
class TensorDescriptor:
    """A region of memory with shape and strides, which a kernel loads and stores in blocks."""

    base: object
    shape: list
    strides: list
    block_shape: list
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self):
        rank = len(self.shape)
        assert len(self.strides) == rank and len(self.block_shape) == rank, f"rank mismatch: {self}"
        assert 0 < rank <= 5, "rank must be 1 to 5"
        is_fake = type(self.base).__name__ in ("FakeTensor", "FunctionalTensor")
        assert is_fake or _address(self.base) % 16 == 0, "base must be 16-byte aligned"
        validate_block_shape([_unwrap_if_constexpr(s) for s in self.block_shape])
        item = self.base.dtype.itemsize
        assert all((s * item) % 16 == 0 for s in self.strides[:-1]), "strides must be 16-byte aligned"
        assert all(s > 0 for s in self.shape), "shape must be positive"
        assert self.strides[-1] == 1, "Last dimension must be contiguous"
        assert self.padding in ("zero", "nan"), "Illegal value for padding"
        if self.padding == "nan":
            floating = getattr(self.base.dtype, "is_floating_point", None)
            if floating is None:
                floating = getattr(self.base.dtype, "kind", "f") == "f"
            assert floating, "Padding option `nan` is only supported for floating point tensors"
        if self.round_f32_to_tf32:  # of Triton 3.7: loads would round
            raise NotImplementedError("round_f32_to_tf32 is not supported: round the tile that was loaded, or the tensor")

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        strides = tensor.stride() if hasattr(tensor, "stride") else [s // tensor.itemsize for s in tensor.strides]
        return TensorDescriptor(tensor, tensor.shape, strides, block_shape, padding, round_f32_to_tf32)
