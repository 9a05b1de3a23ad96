# Made by scripts/reference from signatures.py and docs.py (make reference).
from typing import Any, Callable, Sequence, Tuple as _tuple

from .core import constexpr, dtype, tensor, tuple

def cdiv(x: tensor | int | float | bool | constexpr, div: tensor | int | float | bool | constexpr) -> Any:
    """x / div of whole numbers, rounded up.

        >>> blocks = tl.cdiv(n, BLOCK)
    """

def sigmoid(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 / (1 + exp(-x)) of each element.

        >>> y = x * tl.sigmoid(x)
    """

def softmax(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None = None, keep_dims: bool = False, ieee_rounding: bool = False) -> tensor:
    """exp(x) over its sum along an axis, in a way that does not overflow; dim: None for the first.

        >>> p = tl.softmax(x)
    """

def ravel(x: tensor | int | float | bool | constexpr, can_reorder: bool = False) -> tensor:
    """The tile's elements in row-major order as a tile of one axis.

        >>> flat = tl.ravel(x)
    """

def swizzle2d(i: tensor | int | float | bool | constexpr, j: tensor | int | float | bool | constexpr, size_i: tensor | int | float | bool | constexpr, size_j: tensor | int | float | bool | constexpr, size_g: tensor | int | float | bool | constexpr) -> _tuple[tensor, tensor]:
    """The indices of a grid of size_i by size_j programs, numbered by rows, in an order in which size_g rows go together: a tuple of both.

        >>> i, j = tl.swizzle2d(pid_m, pid_n, num_m, num_n, 8)
    """

def zeros(shape: Sequence[int | constexpr] | tuple, dtype: dtype) -> tensor:
    """A tile of zeros of a shape, a tuple of constants, and a dtype.

        >>> acc = tl.zeros((M, N), dtype=tl.float32)
    """

def zeros_like(input: tensor | int | float | bool | constexpr) -> tensor:
    """A tile of zeros of another tile's shape and dtype.

        >>> acc = tl.zeros_like(x)
    """

def max(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None = None, return_indices: bool = False, return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> Any:
    """The greatest element along an axis; axis=None: of all. return_indices=True: and where it is, as a tuple; of equals the first.

        >>> m = tl.max(x, axis=1)
    """

def argmax(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """Where the greatest element along an axis is, as int32; of equals the first, or any with tie_break_left=False.

        >>> i = tl.argmax(x, axis=0)
    """

def min(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None = None, return_indices: bool = False, return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> Any:
    """The smallest element along an axis; axis=None: of all. return_indices=True: and where it is, as a tuple; of equals the first.

        >>> m = tl.min(x, axis=1)
    """

def argmin(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """Where the smallest element along an axis is, as int32; of equals the first, or any with tie_break_left=False.

        >>> i = tl.argmin(x, axis=0)
    """

def sum(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None = None, keep_dims: bool = False, dtype: dtype | None = None) -> tensor:
    """The sum of the elements along an axis; axis=None: of all. Small integers are added as int32, or as dtype.

        >>> s = tl.sum(x * y, axis=1)
    """

def xor_sum(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None = None, keep_dims: bool = False) -> tensor:
    """The bits of the elements of integers along an axis, put together by exclusive or.

        >>> s = tl.xor_sum(x, axis=0)
    """

def reduce_or(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None, keep_dims: bool = False) -> tensor:
    """The bits of the elements of integers along an axis, put together by or.

        >>> s = tl.reduce_or(x, axis=0)
    """

def cumsum(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None = 0, reverse: bool = False, dtype: dtype | None = None, exclusive: tensor | int | float | bool | constexpr = False) -> tensor:
    """The sums of all elements up to each along an axis; reverse=True: from the end. exclusive=True (Triton has it not): without the element itself.

        >>> c = tl.cumsum(x, axis=0)
    """

def cumprod(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None = 0, reverse: bool = False, dtype: dtype | None = None, exclusive: tensor | int | float | bool | constexpr = False) -> tensor:
    """The products of all elements up to each along an axis, in dtype where one is given; reverse=True: from the end. exclusive=True (Triton has it not): without the element itself.

        >>> c = tl.cumprod(x, axis=0)
    """

def atomic_poll(pointer: tensor, expected_value: tensor | int | float | bool | constexpr, sem: str | None = 'acquire', scope: str | None = 'gpu', timeout_ns: tensor | int | float | bool | constexpr | None = None) -> tensor:
    """Waits until `expected_value` lies behind each of the pointers, to integers of 16, 32 or 64 bits, and gives True for each. sem and scope
    are atomic_load's. No time is kept: timeout_ns must be None.

        >>> tl.atomic_poll(flag, 1)
    """

def expect_zero(x: tensor | int | float | bool | constexpr, mask: tensor | bool | None) -> tensor:
    """The elements of x, which are expected to be 0 where `mask` is True: with debug=True, or TRITON_DEBUG=1, the launch ends with an error
    where they are not.

        >>> y = tl.expect_zero(x, index >= n)
    """

def sort(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None = None, descending: bool = False, return_indices: bool = False, values: int | constexpr | Sequence[int] | None = None) -> tensor:
    """The elements in order along the last axis; descending=True: the greatest first. return_indices=True (Triton has it not): and where they were. values=, a tile or a tuple of tiles (Triton has it not): and these in the same order.

        >>> y = tl.sort(x)
    """

def topk(x: tensor | int | float | bool | constexpr, k: int | constexpr, dim: int | constexpr | None = None, descending: bool = True, return_indices: bool = False) -> tensor:
    """The k greatest elements along the last axis, the greatest first. return_indices=True (Triton has it not): and where they were.

        >>> best = tl.topk(x, 8)
    """

def argsort(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None = None, descending: bool = False) -> tensor:
    """Where the elements are along the last axis, in their order; equal ones stay as they are, NaN is the greatest. Triton has it not.

        >>> index = tl.argsort(x)
    """

def searchsorted(sorted_values: tensor | int | float | bool | constexpr, values: int | constexpr | Sequence[int], right: tensor | int | float | bool | constexpr = False) -> tensor:
    """How many of the sorted values are less than each value; right=True: not greater. Triton has it not.

        >>> at = tl.searchsorted(tl.sort(x), x)
    """

def prod(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None = None, keep_dims: bool = False, dtype: dtype | None = None) -> tensor:
    """Product along an axis, or of all elements; computed in dtype. Triton has it not.

        >>> p = tl.prod(x, axis=0)
    """

def roll(x: tensor | int | float | bool | constexpr, shift: tensor | int | float | bool | constexpr, dim: int | constexpr | None = -1) -> tensor:
    """Moves the elements along an axis (the last one) to higher positions, and those that leave it in at its start; shift may run, and may be negative. Triton has it not.

        >>> y = tl.roll(x, 1)
    """

def segments(x: tensor | int | float | bool | constexpr) -> tensor:
    """Which run of equal elements along the last axis each element is in, from 0. Triton has it not.

        >>> sums = tl.histogram(tl.segments(tl.sort(x)), 128)
    """

def unique(x: tensor | int | float | bool | constexpr, return_counts: tensor | int | float | bool | constexpr = False) -> tensor:
    """The different elements of a tile of one axis in order, the last one again in the rest, and how many there are. return_counts=True: between them how often each is there. Triton has it not.

        >>> values, counts, n = tl.unique(x, return_counts=True)
    """

def median(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None = None) -> tensor:
    """The middle one of the elements along the last axis, the lower of two; NaN where there is one. Triton has it not.

        >>> m = tl.median(x)
    """

def bitonic_merge(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None = None, descending: bool = False) -> tensor:
    """The elements in order along the last axis, of which the one half goes up and the other down.

        >>> y = tl.bitonic_merge(x)
    """

def flip(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None = None) -> tensor:
    """The tile with the order of its elements along an axis turned round; dim: None for the last.

        >>> y = tl.flip(x)
    """

def interleave(a: tensor | int | float | bool | constexpr, b: tensor | int | float | bool | constexpr) -> tensor:
    """Two tiles of one shape with their elements in turns along the last axis, which becomes twice as long.

        >>> x = tl.interleave(even, odd)
    """

def squeeze(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None) -> tensor:
    """The tile without an axis of length 1.

        >>> y = tl.squeeze(x, 0)
    """

def unsqueeze(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None) -> tensor:
    """The tile with an axis of length 1 added at `dim`.

        >>> y = tl.unsqueeze(x, 0)
    """
