"""Launches: arguments of every kind, grids, options, errors."""

import array
import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.runtime.errors import ArgumentError, DeviceAssertError, OutOfBoundsError  # noqa: E402


@triton.jit
def add_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask) + tl.load(y_ptr + at, mask), mask)


@triton.jit
def scale_kernel(x_ptr, o_ptr, factor, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(o_ptr + at, tl.load(x_ptr + at) * factor)


@triton.jit
def twice_and_one(x):
    return x * 2 + 1


@triton.jit
def kernel_with_helper(x_ptr, o_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(o_ptr + at, twice_and_one(tl.load(x_ptr + at)))


@triton.jit
def kinds_kernel(o_ptr, a, b, c, KIND: tl.constexpr, EXTRA: tl.constexpr = 3):
    if KIND == "sum":
        tl.store(o_ptr, a + b)
    elif KIND is None:
        tl.store(o_ptr, EXTRA)
    else:
        if c is not None:
            tl.store(o_ptr, c)


@triton.jit
def cast_kernel(o_ptr, value, TYPE: tl.constexpr):
    tl.store(o_ptr, value.to(TYPE).to(tl.float32))


@triton.jit
def assert_kernel(o_ptr, n):
    tl.device_assert(n > 5, "n is small")
    tl.store(o_ptr, n)


@triton.jit
def matrix_kernel(x_ptr, o_ptr, sx, sy, N: tl.constexpr):
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tl.store(o_ptr + r * N + c, tl.load(x_ptr + r * sx + c * sy))


@triton.jit
def tuple_kernel(pointers, values, nested, n):
    tl.store(pointers[0], values[0] + n)
    tl.store(pointers[1], values[1] + nested[1][0])
    if nested[0] is None:
        tl.store(pointers[0] + 1, len(values))


@triton.jit
def pointer_kernel(addresses, o_ptr, N: tl.constexpr):
    for i in tl.static_range(N):
        p = tl.load(addresses + i).to(tl.pointer_type(tl.float32))
        tl.store(o_ptr + i, tl.load(p))


@triton.jit
def dot_kernel(x_ptr, o_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(o_ptr + at, tl.dot(x, x, input_precision=None))


class FakeTensor:
    """What torch's tensors look like to a launch."""

    class dtype:

        def __init__(self, name):
            self.name = name

        def __str__(self):
            return "torch." + self.name

    def __init__(self, array, name=None, strides=None):
        self.array = array
        self.dtype = FakeTensor.dtype(name or array.dtype.name)
        self.shape = array.shape
        self.is_cuda = False

    def data_ptr(self):
        return self.array.__array_interface__["data"][0]

    def stride(self):
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def element_size(self):
        return self.array.itemsize


class DeviceArray:
    """An array whose memory kernels cannot reach, with CuPy's interface."""

    def __init__(self, array):
        self.kept = array.copy()
        self.__cuda_array_interface__ = {}

    def get(self):
        return self.kept.copy()

    def set(self, array):
        self.kept[...] = array


class Launch(unittest.TestCase):

    def test_values(self):
        for n in (1, 1000, 4096):
            x, y = np.random.rand(n).astype(np.float32), np.random.rand(n).astype(np.float32)
            o = np.zeros_like(x)
            add_kernel[(triton.cdiv(n, 256), )](x, y, o, n, BLOCK=256)
            np.testing.assert_array_equal(o, x + y)

    def test_grids(self):
        x = np.arange(512, dtype=np.int32)
        for grid in ((2, ), [2], 2, lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]), ), (2, 1), (2, 1, 1), (2, 1, 1, 1)):
            o = np.zeros_like(x)
            add_kernel[grid](x, x, o, 512, BLOCK=256)
            np.testing.assert_array_equal(o, 2 * x)
        o = np.zeros_like(x)
        add_kernel[(0, )](x, x, o, 512, BLOCK=256)
        self.assertFalse(o.any())
        with self.assertRaises(ValueError):
            add_kernel[(1, 1, 1, 2)](x, x, o, 512, BLOCK=256)
        with self.assertRaises(ValueError):
            add_kernel[(-1, )](x, x, o, 512, BLOCK=256)

    def test_dtypes(self):
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
                     "float64"):
            x = np.arange(16).astype(name)
            o = np.zeros_like(x)
            scale_kernel[(1, )](x, o, 2, 16)
            np.testing.assert_array_equal(o, x * 2, err_msg=name)

    def test_scalars(self):
        o = np.zeros(1, np.float64)
        for a, b in ((1, 2), (2**31, 1), (2**40, 2**41), (-5, 16), (1.5, 2), (np.int64(7), np.float32(0.5)), (True, 3),
                     (np.bool_(True), 3), (np.bool_(False), np.bool_(True))):
            kinds_kernel[(1, )](o, a, b, None, "sum")
            self.assertEqual(o[0], a + b, (a, b))
        kinds_kernel[(1, )](o, 0, 0, None, None)
        self.assertEqual(o[0], 3)
        kinds_kernel[(1, )](o, 0, 0, None, KIND=None, EXTRA=8)
        self.assertEqual(o[0], 8)
        kinds_kernel[(1, )](o, 0, 0, c=4.25, KIND="other")
        self.assertEqual(o[0], 4.25)
        big = np.zeros(1, np.uint64)
        kinds_kernel[(1, )](big, 2**64 - 2, 1, None, "sum")
        self.assertEqual(big[0], 2**64 - 1)

    def test_dtype_as_constexpr(self):
        o = np.zeros(1, np.float32)
        cast_kernel[(1, )](o, 0.1, tl.float16)
        self.assertEqual(o[0], np.float32(np.float16(0.1)))
        cast_kernel[(1, )](o, 7.9, TYPE=tl.int32)
        self.assertEqual(o[0], 7)

    def test_views(self):
        base = np.arange(64, dtype=np.float32).reshape(8, 8)
        for x in (base, base.T, base[::-1], base[:, ::-1], base[::-1, ::-1]):
            o = np.zeros((8, 8), np.float32)
            matrix_kernel[(1, )](x, o, x.strides[0] // 4, x.strides[1] // 4, 8)
            np.testing.assert_array_equal(o, x)

    def test_tensors(self):
        x, o = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
        scale_kernel[(1, )](FakeTensor(x), FakeTensor(o), 3.0, 16)
        np.testing.assert_array_equal(o, 3 * x)
        bf = (x.view(np.uint32) >> 16).astype(np.uint16)
        scale_kernel[(1, )](FakeTensor(bf, "bfloat16"), FakeTensor(o), 2.0, 16)
        np.testing.assert_array_equal(o, 2 * x)

    def test_other_arrays(self):
        x, o = array.array("f", range(16)), array.array("f", [0] * 16)
        scale_kernel[(1, )](x, o, 2.0, 16)
        self.assertEqual(list(o), [2.0 * i for i in range(16)])
        device = DeviceArray(np.zeros(16, np.float32))
        scale_kernel[(1, )](np.ones(16, np.float32), device, 5.0, 16)
        np.testing.assert_array_equal(device.kept, 5)

    def test_tuples(self):
        a, b = np.zeros(2, np.float32), np.zeros(1, np.float32)
        for third in (4.5, 8):
            tuple_kernel[(1, )]((a, b), (3, third), (None, (2, )), 10)
            self.assertEqual((a[0], a[1], b[0]), (13, 2, third + 2))
        tuple_kernel[lambda meta: (meta["n"], )](pointers=(a, b), values=[1, 2], nested=(7, (5, )), n=1)
        self.assertEqual((a[0], b[0]), (2, 7))

    def test_addresses(self):
        arrays = [np.full(1, i + 0.5, np.float32) for i in range(3)]
        addresses = np.array([a.__array_interface__["data"][0] for a in arrays], np.int64)
        o = np.zeros(3, np.float32)
        pointer_kernel[(1, )](addresses, o, 3)
        np.testing.assert_array_equal(o, [0.5, 1.5, 2.5])
        with self.assertRaises(OutOfBoundsError):
            pointer_kernel[(1, )](np.zeros(3, np.int64), o, 3)

    def test_precision_variable(self):
        x = np.random.RandomState(0).rand(16, 16).astype(np.float32)
        results = []
        for precision in ("ieee", "tf32"):
            os.environ["TRITON_F32_DEFAULT"] = precision
            try:
                o = np.zeros_like(x)
                dot_kernel[(1, )](x, o, 16)
            finally:
                del os.environ["TRITON_F32_DEFAULT"]
            results.append(abs(o - x.astype(np.float64) @ x.astype(np.float64)).max())
        self.assertLess(results[0], 1e-5)
        self.assertGreater(results[1], 1e-5)

    def test_read_only(self):
        x, o = np.ones(16, np.float32), np.zeros(16, np.float32)
        o.flags.writeable = False
        with self.assertRaises(OutOfBoundsError) as raised:
            scale_kernel[(1, )](x, o, 2.0, 16)
        self.assertIn("read-only", str(raised.exception))
        self.assertFalse(o.any())

    def test_out_of_bounds(self):
        x, o = np.ones(16, np.float32), np.zeros(8, np.float32)
        with self.assertRaises(OutOfBoundsError) as raised:
            scale_kernel[(1, )](x, o, 2.0, 16)
        error = raised.exception
        self.assertEqual(error.file, __file__)
        with open(__file__) as file:
            self.assertIn("tl.load(x_ptr + at) * factor", file.readlines()[error.line - 1])
        self.assertIn("o_ptr", str(error))

    def test_assert(self):
        o = np.zeros(1, np.int32)
        assert_kernel[(1, )](o, 3)
        with self.assertRaises(DeviceAssertError):
            assert_kernel[(1, )](o, 3, debug=True)
        assert_kernel[(1, )](o, 7, debug=True)
        self.assertEqual(o[0], 7)
        # A launch decides what jit(debug=True) leaves to it.
        asserting = triton.jit(debug=True)(assert_kernel.fn)
        with self.assertRaises(DeviceAssertError):
            asserting[(1, )](o, 3)
        asserting[(1, )](o, 4, debug=False)
        self.assertEqual(o[0], 4)

    def test_wrong_calls(self):
        x = np.ones(16, np.float32)
        with self.assertRaisesRegex(TypeError, "'n'"):
            add_kernel[(1, )](x, x, x, BLOCK=16)
        with self.assertRaisesRegex(TypeError, "multiple values"):
            add_kernel[(1, )](x, x, x, 16, 16, BLOCK=16)
        with self.assertRaisesRegex(TypeError, "positional"):
            add_kernel[(1, )](x, x, x, 16, 16, 17)
        with self.assertRaises(KeyError):
            add_kernel[(1, )](x, x, x, 16, 16, blok=3)
        with self.assertRaises(TypeError):
            add_kernel[(1, )](np.ones(16, np.complex64), x, x, 16, 16)
        with self.assertRaises(RuntimeError):
            add_kernel(x, x, x, 16, 16)
        with self.assertRaises((ArgumentError, ValueError)):
            add_kernel[(1, )](x, x, x, 16, 16, num_warps=3)

    def test_compiled(self):
        x = np.ones(16, np.float32)
        compiled = add_kernel[(1, )](x, x, x, 16, 16, num_warps=2)
        self.assertIn("tt.func public @add_kernel", compiled.asm["ttir"])
        self.assertEqual(compiled.metadata.num_warps, 2)
        with self.assertRaisesRegex(KeyError, "ptx"):
            compiled.asm["ptx"]
        self.assertIs(add_kernel[(1, )](x, x, x, 16, 16, num_warps=2), compiled)
        x[:] = 1
        compiled[(1, )](x, x, x, 16)
        np.testing.assert_array_equal(x, 2)

    def test_parameter_named_as_an_option(self):
        # Upstream's softmax tutorial has a constexpr num_stages.
        @triton.jit
        def kernel(x, n, BLOCK: tl.constexpr, num_stages: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(x + i, i + num_stages, mask=i < n)

        x = np.zeros(16, np.int32)
        compiled = kernel.warmup(x, 16, BLOCK=16, num_stages=2, num_warps=8, grid=(1, ))
        compiled[(1, 1, 1)](x, 16, 16, 2)
        self.assertEqual(x.tolist(), [i + 2 for i in range(16)])

    def test_warmup(self):
        x = np.zeros(16, np.float32)
        compiled = add_kernel.warmup(triton.MockTensor(tl.float32), triton.MockTensor(tl.float32), x, 16, BLOCK=16,
                                     grid=(1, ))
        self.assertIn("!tt.ptr<f32>", compiled.asm["ttir"])
        self.assertFalse(x.any())

    def test_hooks(self):
        from neso import knobs
        calls, x = [], np.ones(16, np.float32)
        enter, leave = (lambda m: calls.append(("enter", m.get()["name"]))), (lambda m: calls.append(("exit", )))
        knobs.runtime.launch_enter_hook.add(enter)
        knobs.runtime.launch_exit_hook.add(leave)
        try:
            add_kernel[(1, )](x, x, x, 16, 16)
        finally:
            knobs.runtime.launch_enter_hook.remove(enter)
            knobs.runtime.launch_exit_hook.remove(leave)
        add_kernel[(1, )](x, x, x, 16, 16)
        self.assertEqual(calls, [("enter", "add_kernel"), ("exit", )])

    def test_threads_describe_once(self):
        """Threads whose first launches meet compile the same text: its path is what the compiler asks names by."""
        import threading
        import time
        from neso.runtime import describe
        made, errors = describe.Source.__init__, []
        gate = threading.Barrier(4)

        def slowly(source, *args):
            time.sleep(0.02)
            made(source, *args)

        def work(block):
            try:
                x, o = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
                gate.wait()
                kernel_with_helper[(1, )](x, o, BLOCK=block)
                np.testing.assert_array_equal(o[:block], x[:block] * 2 + 1)
            except Exception as error:
                errors.append(error)

        describe.Source.__init__ = slowly
        try:
            threads = [threading.Thread(target=work, args=(8 << i, )) for i in range(4)]
            [t.start() for t in threads]
            [t.join() for t in threads]
        finally:
            describe.Source.__init__ = made
        self.assertEqual(errors, [])

    def test_threads_and_fork(self):
        import threading
        errors = []

        def work(seed):
            try:
                x = np.random.RandomState(seed).rand(2000).astype(np.float32)
                for block in (64, 128, 256):
                    o = np.zeros_like(x)
                    add_kernel[(triton.cdiv(2000, block), )](x, x, o, 2000, BLOCK=block)
                    np.testing.assert_array_equal(o, x + x)
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(i, )) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        pid = os.fork()
        if pid == 0:
            work(9)
            os._exit(1 if errors else 0)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
