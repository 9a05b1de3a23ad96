"""libtriton.nvidia.cublas: what it tells cuBLAS, by a stand-in that multiplies as it is told; and what it says where there is none."""

import os
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

from neso._C.libtriton import nvidia  # noqa: E402

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


class Tensor:
    """As much of torch's as is asked for."""

    def __init__(self, array, dtype=None):
        self.array, self.dtype, self.shape = array, dtype or f"torch.{array.dtype}", array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def numel(self):
        return self.array.size

    def element_size(self):
        return self.array.itemsize


class Cublas(unittest.TestCase):

    def test_without_one(self):
        with mock.patch.object(nvidia, "_paths", lambda: ["/nowhere/libcublasLt.so.13"]):
            with self.assertRaisesRegex(RuntimeError, "there is no cuBLAS, libcublasLt.so .*pip install nvidia-cublas.*nowhere"):
                nvidia.cublas.CublasLt(Tensor(np.zeros(64, np.int8)))
        with self.assertRaisesRegex(AttributeError, "neso has no libtriton.nvidia.passes"):
            nvidia.passes

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_products(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "libcublasLt.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_cublas.c")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", path, source], check=True)
        with mock.patch.object(nvidia, "_paths", lambda: [path]):
            lib = nvidia.cublas.CublasLt(Tensor(np.zeros(64, np.int8)))
        rng = np.random.default_rng(1)
        a, b, c, d = (rng.standard_normal(shape).astype(np.float32) for shape in ((5, 7), (3, 7), (5, 3), (5, 3)))
        lib.matmul(Tensor(a), Tensor(b), Tensor(d))
        np.testing.assert_allclose(d, a @ b.T, rtol=1e-5)
        lib.gemm(Tensor(a), Tensor(b), Tensor(c), Tensor(d), 2.0, 0.5)
        np.testing.assert_allclose(d, 2 * a @ b.T + 0.5 * c, rtol=1e-4, atol=1e-5)
        with self.assertRaisesRegex(RuntimeError, r"a is \(5, 7\), b \(7, 3\)"):
            lib.matmul(Tensor(a), Tensor(b.T), Tensor(d))
        with self.assertRaisesRegex(RuntimeError, "not given torch.int32: it takes float32"):
            lib.matmul(Tensor(a.astype(np.int32)), Tensor(b), Tensor(d))
        wide = np.zeros((5, 2000), np.float32)
        with self.assertRaisesRegex(RuntimeError, "no product of 5x2000 by 2000x5 of float32"):
            lib.matmul(Tensor(wide), Tensor(wide), Tensor(np.zeros((5, 5), np.float32)))
        with self.assertRaisesRegex(RuntimeError, "cublasLtMatmul fails with status 7"):
            lib.matmul(Tensor(a.astype(np.float16)), Tensor(b.astype(np.float16)), Tensor(d))


if __name__ == "__main__":
    unittest.main()
