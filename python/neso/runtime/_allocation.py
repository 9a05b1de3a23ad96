"""Allocators of memory that kernels need besides their arguments. The interpreter needs none."""

from contextvars import ContextVar


class Buffer:
    """What an allocator gives: anything with this method."""

    def data_ptr(self):
        raise NotImplementedError


class Allocator:
    """Anything that can be called like this."""

    def __call__(self, size, alignment, stream):
        raise NotImplementedError


class NullAllocator:

    def __call__(self, size, alignment, stream):
        raise RuntimeError("the kernel needs memory of its own at run time, and triton.set_allocator gave no allocator")


_NULL_ALLOCATOR = NullAllocator()
_allocator = ContextVar("_allocator", default=_NULL_ALLOCATOR)


def set_allocator(allocator):
    """Says where kernels that need memory of their own get it: allocator(size, alignment, stream), of three ints, gives a buffer
    with a data_ptr(), such as a tensor of bytes. It holds for this context (contextvars).

    >>> triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    """
    if allocator is not None and not callable(allocator):
        raise TypeError(f"an allocator is a function of (size, alignment, stream), not {allocator!r}")
    _allocator.set(allocator)


class _Holder:

    def __init__(self, allocator):
        self._held = allocator

    def get(self):
        return self._held

    def set(self, allocator):
        self._held = allocator

    def __call__(self, size, alignment, stream):
        return self._held(size, alignment, stream)


_profile_allocator = _Holder(_NULL_ALLOCATOR)


def set_profile_allocator(allocator):
    _profile_allocator.set(allocator if allocator is not None else _NULL_ALLOCATOR)
