"""Stand-ins for tensors: a type alone, and memory under another element type."""

from ..language import core


class MockTensor:
    """A tensor that is only a type, for warmup; its pointer is taken for one of 16 bytes' alignment.

    >>> @triton.jit
    ... def one(out):
    ...     tl.store(out, 1.0)
    >>> made = one.warmup(triton.MockTensor(tl.float32), grid=(1, ))
    """

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    @staticmethod
    def wrap_dtype(arg):
        is_torch = type(arg).__name__ == "dtype" and type(arg).__module__ == "torch"
        return MockTensor(arg) if is_torch else arg

    def stride(self):
        strides = [1]
        for size in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * size)
        return tuple(strides)

    @staticmethod
    def data_ptr():
        return 0

    @staticmethod
    def ptr_range():
        return 0


class Memory(MockTensor):
    """What compiling looks at of an array: its element type, as signatures have it, and its place."""

    def __init__(self, dtype, address):
        kind = {"i": "int", "u": "uint"}.get(dtype[0])
        super().__init__(core.dtype("int1" if dtype[1:] == "1" else kind + dtype[1:] if kind else dtype))
        self._address = address

    def data_ptr(self):
        return self._address


class TensorWrapper:
    """A tensor under another element type: what reinterpret() gives. .base is the tensor, .dtype the type.

    >>> x = np.array([1.0], np.float32)
    >>> triton.reinterpret(x, tl.int32).base is x
    True
    """

    def __init__(self, base, dtype):
        self.dtype = dtype
        self.base = base
        self.data = getattr(base, "data", base)
        self.device = getattr(base, "device", None)
        self.shape = base.shape

    @property
    def is_cuda(self):
        return bool(getattr(self.base, "is_cuda", False))

    def data_ptr(self):
        return self.base.data_ptr()

    def is_neg(self):
        """Is a sign kept beside the memory, as of torch's x.conj().imag?"""
        return getattr(self.base, "is_neg", bool)()

    def stride(self, *args):
        return self.base.stride(*args)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"

    def element_size(self):
        return self.base.element_size()

    def untyped_storage(self):
        return self.base.untyped_storage()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)


class _ArrayWrapper(TensorWrapper):
    """The same for arrays without data_ptr()."""

    def data_ptr(self):
        return self.base.__array_interface__["data"][0]

    def stride(self, *args):
        return tuple(s // self.base.itemsize for s in self.base.strides)

    def element_size(self):
        return self.base.itemsize

    def clone(self):
        return _ArrayWrapper(self.base.copy(), self.dtype)

    def copy_(self, other):
        self.base[...] = other.base


def reinterpret(tensor, dtype):
    """The same memory (an array, or a tensor) under another dtype of tl, whose elements are of the same size.

    >>> triton.reinterpret(np.zeros(16, np.int8), tl.float8e5).dtype
    triton.language.float8e5
    """
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else type(tensor)(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    if hasattr(tensor, "__array_interface__"):
        return _ArrayWrapper(tensor, dtype)
    raise TypeError(f"Cannot reinterpret a {type(tensor)}.")
