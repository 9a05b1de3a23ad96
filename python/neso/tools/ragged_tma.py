"""Descriptors over rows that are cut into pieces of different lengths: accesses end where the piece ends.

A descriptor has no room for the piece's length, but addresses wrap at 2^64. Its ragged axis is given _ROWS rows, so
that index _ROWS - length + row is in bounds as long as row < length. Two axes go before: the second counts rows and
brings the address to the end of the piece, the first, at index _ROWS, takes _ROWS rows off: its stride is 2^34
elements less a row, and 2^30 times 2^34 is nothing modulo 2^64. The axes' sizes are too large to be passed."""

from .. import language as tl
from ..runtime.jit import jit
from .tensor_descriptor import TensorDescriptor

_ROWS = 1 << 30
_WRAP = 1 << 34
_ENDLESS = 0x7fff0000


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """A descriptor of the 2- or 3-dimensional T for the functions below. The last axis cannot be ragged."""
    shape, block_shape = list(T.shape), list(block_shape)
    rank = len(shape)
    if ragged_dim < 0:
        ragged_dim += rank
    assert rank <= 3, "a ragged descriptor has at most three axes"
    assert 0 <= ragged_dim < rank - 1, "the last axis cannot be ragged"
    assert len(block_shape) == rank, f"the block has {len(block_shape)} axes, the tensor {rank}"
    assert shape[ragged_dim] <= _ROWS, "a ragged axis has at most 2^30 rows"
    strides = list(T.stride()) if hasattr(T, "stride") else [s // T.itemsize for s in T.strides]
    row = strides[ragged_dim]
    shape[ragged_dim] = _ROWS
    return TensorDescriptor(T, [_ENDLESS, _ENDLESS] + shape, [_WRAP - row, row] + strides, [1, 1] + block_shape)


@jit
def to_ragged_indices(slice_off, slice_size, row):
    """The indices of the two axes in front and of the ragged one."""
    rows = 0x40000000
    return rows, slice_off + slice_size, rows - slice_size + row


@jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """The block at `coords` of the piece [slice_off, slice_off + slice_size); 0 outside of it."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "the descriptor is not one of create_ragged_descriptor()")
    wrap, end, at = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    block = TMA.load([wrap, end] + coords[:ragged_dim] + [at] + coords[ragged_dim + 1:])
    return tl.reshape(block, block.shape[2:])


@jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Writes a block to the piece; what lies outside of it is dropped."""
    wrap, end, at = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    TMA.store([wrap, end] + coords[:ragged_dim] + [at] + coords[ragged_dim + 1:], tl.reshape(data, [1, 1] + data.shape))


@jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds a block to the piece; what lies outside of it is dropped."""
    wrap, end, at = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    TMA.atomic_add([wrap, end] + coords[:ragged_dim] + [at] + coords[ragged_dim + 1:],
                   tl.reshape(data, [1, 1] + data.shape))
