"""Arrays of other libraries, each as small as its protocol: DLPack (JAX), CuPy's and Numba's device arrays, torch's
tensors with their storage, on the host and on a device."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.runtime.errors import OutOfBoundsError  # noqa: E402


@triton.jit
def double_kernel(x_ptr, o_ptr, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(o_ptr + at, tl.load(x_ptr + at) * 2)


@triton.jit
def swap_kernel(a_ptr, b_ptr, stride, n: tl.constexpr):
    at = tl.arange(0, n) * stride
    a, b = tl.load(a_ptr + at), tl.load(b_ptr + at)
    tl.store(a_ptr + at, b)
    tl.store(b_ptr + at, a)


class Jax:
    """DLPack alone, and no __setitem__: its elements do not change."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


class Writable(Jax):

    def __setitem__(self, index, value):
        self.array[index] = value


class NewJax(Writable):
    """With a __setitem__, which raises."""
    __module__ = "jaxlib._jax"

    def __setitem__(self, index, value):
        raise TypeError("JAX arrays are immutable")


class OnDevice(Jax):

    def __dlpack_device__(self):
        return (2, 0)


class CuPy:

    def __init__(self, array):
        self.kept = array.copy()
        self.__cuda_array_interface__ = {"data": (16, False), "shape": array.shape, "typestr": array.dtype.str, "version": 3}

    def get(self):
        return self.kept.copy()

    def set(self, array):
        self.kept[...] = array


class Numba:

    def __init__(self, array):
        self.kept = array.copy()
        self.__cuda_array_interface__ = {"data": (16, False), "shape": array.shape, "typestr": array.dtype.str, "version": 3}

    def copy_to_host(self):
        return self.kept.copy()

    def copy_to_device(self, array):
        self.kept[...] = array


class Unreachable:
    __cuda_array_interface__ = {"data": (16, False), "shape": (4, ), "typestr": "<f4", "version": 3}


class Storage:
    """torch.UntypedStorage."""

    def __init__(self, array):
        self.array = array
        self.copies = 0

    def data_ptr(self):
        return self.array.__array_interface__["data"][0]

    def nbytes(self):
        return self.array.nbytes

    def cpu(self):
        self.copies += 1
        return Storage(self.array.copy())

    def copy_(self, other):
        self.array[...] = other.array


class Tensor:
    """torch.Tensor, of float32."""
    dtype = "torch.float32"

    def __init__(self, storage, offset=0, shape=None, is_cuda=False):
        self.storage, self.offset, self.is_cuda = storage, offset, is_cuda
        self.shape = (storage.array.size - offset, ) if shape is None else shape

    def data_ptr(self):
        return self.storage.data_ptr() + 4 * self.offset

    def stride(self):
        return (1, )

    def element_size(self):
        return 4

    def untyped_storage(self):
        return self.storage


class Arrays(unittest.TestCase):

    def setUp(self):
        self.x = np.arange(16, dtype=np.float32)
        self.o = np.zeros(16, np.float32)

    def test_a_pointer_with_a_shape(self):
        """What has no strides lies in one piece."""
        class Wrapped:
            dtype, shape = "float32", (2, 4)

            def __init__(self, array):
                self.array = array

            def data_ptr(self):
                return self.array.ctypes.data
        x, out = np.arange(8, dtype=np.float32), np.zeros(16, np.float32)
        double_kernel[(1, )](Wrapped(x), Wrapped(out), 8)
        self.assertEqual(out[:8].tolist(), (2 * x).tolist())
        with self.assertRaises(OutOfBoundsError):
            double_kernel[(1, )](out, Wrapped(x), 16)

    def test_a_sign_kept_beside_the_memory(self):
        """torch's negative bit, as of x.conj().imag."""
        class Negated(Tensor):

            def is_neg(self):
                return self.negated
        tensor = Negated(Storage(self.x))
        tensor.negated = True
        with self.assertRaisesRegex(TypeError, "negative bit.*resolve_neg"):
            double_kernel[(1, )](tensor, self.o, 16)
        tensor.negated = False
        double_kernel[(1, )](tensor, self.o, 16)
        np.testing.assert_array_equal(self.o, self.x * 2)

    def test_dlpack(self):
        double_kernel[(1, )](Jax(self.x), self.o, 16)
        np.testing.assert_array_equal(self.o, self.x * 2)
        double_kernel[(1, )](self.x, Writable(self.o), 8)
        with self.assertRaisesRegex(OutOfBoundsError, "read-only"):
            double_kernel[(1, )](self.x, Jax(self.o), 16)
        with self.assertRaisesRegex(OutOfBoundsError, "read-only"):
            double_kernel[(1, )](self.x, NewJax(self.o), 16)
        with self.assertRaisesRegex(OutOfBoundsError, "passes the end of 'x_ptr'"):
            double_kernel[(1, )](Jax(self.x), self.o, 32)

    def test_dlpack_of_each_type(self):
        for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16,
                      np.float32, np.float64):
            x, o = np.arange(16).astype(dtype), np.zeros(16, dtype)
            double_kernel[(1, )](Jax(x), Writable(o), 16)
            np.testing.assert_array_equal(o, x * 2)

    def test_dlpack_on_a_device(self):
        with self.assertRaisesRegex(TypeError, "OnDevice is on a device"):
            double_kernel[(1, )](OnDevice(self.x), self.o, 16)

    def test_device_arrays_are_copied_there_and_back(self):
        for kind in (CuPy, Numba):
            x, o = kind(self.x), kind(self.o)
            double_kernel[(1, )](x, o, 16)
            np.testing.assert_array_equal(o.kept, self.x * 2)
        with self.assertRaisesRegex(TypeError, "no way known to copy a .*Unreachable"):
            double_kernel[(1, )](Unreachable(), self.o, 16)

    def test_what_was_written_before_an_error_comes_back(self):
        a, b = CuPy(np.arange(8, dtype=np.float32)), CuPy(np.zeros(4, np.float32))
        with self.assertRaises(OutOfBoundsError):
            swap_kernel[(1, )](a, b, 1, 8)
        swap_kernel[(1, )](a, b, 1, 4)
        np.testing.assert_array_equal(b.kept, [0, 1, 2, 3])

    def test_views_reach_all_of_their_storage(self):
        storage = Storage(np.arange(16, dtype=np.float32))
        swap_kernel[(1, )](Tensor(storage, 0, (1, )), Tensor(storage, 1, (1, )), 2, 8)
        np.testing.assert_array_equal(storage.array, np.arange(16) ^ 1)
        with self.assertRaisesRegex(OutOfBoundsError, "64 bytes"):
            swap_kernel[(1, )](Tensor(storage, 0, (1, )), Tensor(storage, 1, (1, )), 2, 16)

    def test_tensors_of_one_storage_on_a_device_are_one_copy(self):
        storage = Storage(np.arange(16, dtype=np.float32))
        for turn in (1, 2):
            swap_kernel[(1, )](Tensor(storage, 0, is_cuda=True), Tensor(storage, 1, is_cuda=True), 2, 8)
            np.testing.assert_array_equal(storage.array, np.arange(16) ^ (turn & 1))
            self.assertEqual(storage.copies, turn)


if __name__ == "__main__":
    unittest.main()
