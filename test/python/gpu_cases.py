"""not a test by itself: launches on a fake driver (test/unit/fake), which test_gpu.py runs in a process of its own. What
is checked is what the driver is asked to launch: function, grid, stream, arguments."""

import ctypes
import os
import struct
import sys
import threading
import time
import unittest

import numpy as np

import neso as triton
import neso.language as tl
from neso import _native
from neso.runtime.errors import LaunchError, OutOfResources
from neso.tools.tensor_descriptor import TensorDescriptor


class Launch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("function", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("params", ctypes.c_void_p), ("attributes", ctypes.c_uint), ("cooperative", ctypes.c_uint),
                ("dependent", ctypes.c_uint), ("cluster", ctypes.c_uint), ("args", ctypes.c_uint64 * 64)]


class Fake(ctypes.Structure):
    _fields_ = [("reset", ctypes.c_void_p)] + [(n, ctypes.c_int) for n in (
        "devices", "version", "major", "minor", "sms", "shared_optin", "registers", "max_threads", "static_shared",
        "local", "blocks_per_sm")] + [("fail_call", ctypes.c_char_p)] + [(n, ctypes.c_int) for n in (
            "fail_result", "fail_always", "fail_skip", "pools", "capturing", "without")] + [
                ("missing", ctypes.c_char_p), ("allow_fork", ctypes.c_int), ("jit_info", ctypes.c_char_p),
                ("jit_error", ctypes.c_char_p)] + [(n, ctypes.c_int) for n in (
                    "jit_options", "arg_count", "quiet", "inits", "loads", "unloads", "contexts_retained", "launches",
                    "allocations", "frees", "pushes", "link_states")] + [
                        ("bytes", ctypes.c_size_t), ("capacity", ctypes.c_size_t), ("last", Launch)]


_library = ctypes.CDLL(os.environ["TRITON_LIBCUDA_PATH"])
_library.fake_cuda.restype = ctypes.POINTER(Fake)
fake = _library.fake_cuda().contents


class Device:
    type = "cuda"

    def __init__(self, index):
        self.index = index


class Tensor:
    """As torch's without the C table."""

    is_cuda = True

    def __init__(self, address, dtype="torch.float32", device=0):
        self.address, self.dtype, self.device = address, dtype, Device(device)

    def data_ptr(self):
        return self.address


class Counted(Tensor):
    """Counts copies to the host."""
    copies = 0

    def cpu(self):
        Counted.copies += 1
        raise NotImplementedError("a copy of what is on the GPU")


class Exchanged:
    """With DLPack's C table."""

    layout = None, None  # addresses of the shape and of the strides
    negated = False

    def is_neg(self):
        return self.negated

    def __init__(self, address, code=2, bits=32, place=2, device=0):
        self.address, self.code, self.bits, self.place, self.device = address, code, bits, place, device


class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("place", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DlTensor))
def _export(value, out):
    shape, strides = value.layout
    out[0] = DlTensor(value.address - 16, value.place, value.device, 1, value.code, value.bits, 1, shape, strides, 16)
    return 0


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
def _stream(place, device, out):
    out[0] = 0x500 + device
    return 0


class Table(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
                ("unused", ctypes.c_void_p * 3), ("tensor", ctypes.c_void_p), ("stream", ctypes.c_void_p)]


_name = ctypes.create_string_buffer(b"dlpack_exchange_api")
_table = Table(1, 3, None, (None, None, None), ctypes.cast(_export, ctypes.c_void_p), ctypes.cast(_stream, ctypes.c_void_p))
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
Exchanged.__dlpack_c_exchange_api__ = _capsule(ctypes.addressof(_table), ctypes.addressof(_name), None)
Exchanged.data_ptr = lambda self: self.address


class CuPy:
    """An array of the interface that CuPy and Numba have."""

    def __init__(self, address, typestr="<f4"):
        self.__cuda_array_interface__ = {"data": (address, False), "shape": (4, ), "typestr": typestr, "version": 3}


@triton.jit
def scale(x, y, n, a, B: tl.constexpr, MODE: tl.constexpr = None):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + at, tl.load(y + at, mask=at < n).to(tl.float32) * a, mask=at < n)


@triton.jit
def numbers(x, i, f: tl.float64, b, h: "fp16"):
    tl.store(x, i + f + b + h)


@triton.jit
def tiles(d, o, B: tl.constexpr):
    tl.store(o + tl.arange(0, B), d.load([0]))


@triton.jit
def fill(x, V: tl.constexpr, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), V)


@triton.jit(constexpr_policy="tiered")
def tiered(x, V: tl.constexpr, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), V)


FACTOR = tl.constexpr(3)


@triton.jit
def factor(x, y, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), tl.load(y + tl.arange(0, B)) * FACTOR)


@triton.jit
def nothing():
    pass


@triton.jit
def many(x, values):
    tl.store(x, values[0] + values[1])


@triton.jit
def batched(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j, at = tl.arange(0, BN), tl.program_id(1) * 4096
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        r = k + tl.arange(0, BK)
        acc = tl.dot(tl.load(a + (at + i)[:, None] * K + r[None, :]), tl.load(b + r[:, None] * BN + j[None, :]), acc)
    tl.store(c + (at + i)[:, None] * BN + j[None, :], acc.to(tl.float16))


def arguments(*sizes):
    """The launch's arguments, as many bytes of each as are meant."""
    return [value & (2**(8 * size) - 1) for value, size in zip(fake.last.args, sizes)]


def f32(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


class Case(unittest.TestCase):

    def setUp(self):
        fake.arg_count = 0
        fake.fail_call = None

    def launched(self, count):
        fake.arg_count = count
        return fake.last


class Arrays(Case):

    def test_values(self):
        self.launched(4)
        compiled = scale[(3, 2)](Tensor(0x1000), Tensor(0x2000), 7, 2.5, B=64)
        self.assertEqual(arguments(8, 8, 4, 4), [0x1000, 0x2000, 7, f32(2.5)])
        self.assertEqual(list(fake.last.grid), [3, 2, 1])
        self.assertEqual(fake.last.block[0], 128)
        self.assertEqual(compiled.metadata.target, triton.backends.compiler.GPUTarget("cuda", 90, 32))
        again = scale[lambda meta: (meta["B"] // 8, )](Tensor(0x3000), Tensor(0x2000), n=9, a=3.0, B=64)
        self.assertIs(again, compiled)
        self.assertEqual(arguments(8, 8, 4, 4), [0x3000, 0x2000, 9, f32(3)])
        self.assertEqual(fake.last.grid[0], 8)
        self.assertIsNot(scale[(1, )](Tensor(0x3000), Tensor(0x2000), 16, 3.0, B=64), compiled)
        self.assertIsNot(scale[(1, )](Tensor(0x3004), Tensor(0x2000), 7, 3.0, B=64), compiled)
        self.assertIsNot(scale[(1, )](Tensor(0x3000), Tensor(0x2000), 7, 3.0, B=64, num_warps=8), compiled)
        self.assertEqual(fake.last.block[0], 256)
        self.assertIsNot(scale[(1, )](Tensor(0x3000), Tensor(0x2000, "torch.float16"), 7, 3.0, B=64), compiled)

    def test_table(self):
        """The C table is what is asked, and for the stream too."""
        self.launched(4)
        compiled = scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        self.assertEqual(arguments(8, 8, 4, 4), [0x1000, 0x2000, 7, f32(2.5)])
        self.assertEqual(fake.last.stream, 0x500)
        self.assertIn("*fp32", compiled._key())
        for code, bits, name in ((2, 16, "*fp16"), (4, 16, "*bf16"), (6, 8, "*i1"), (0, 64, "*i64"), (10, 8, "*fp8e4nv")):
            self.assertIn(name, scale.warmup(Exchanged(0x1000), Exchanged(0x1000, code, bits), 7, 1.0, B=64,
                                             grid=(1, ))._key())
        odd = Exchanged(0x1000, 5, 64)
        odd.dtype = "torch.complex64"
        with self.assertRaisesRegex(TypeError, "complex64"):
            scale[(1, )](Exchanged(0x1000), odd, 7, 1.0, B=64)

    def test_negative_bit(self):
        """torch's, of x.conj().imag, which lies between other numbers: also where all else is as in the last call."""
        self.launched(4)
        shape, strides = (ctypes.c_int64 * 1)(8), (ctypes.c_int64 * 1)(2)
        layout = ctypes.addressof(shape), ctypes.addressof(strides)
        x, out = Exchanged(0x1000), Exchanged(0x2000)
        x.layout = layout
        for _ in range(2):
            compiled = scale[(1, )](x, out, 7, 2.5, B=64)
            other = Exchanged(0x3000)
            other.layout, other.negated = layout, True
            with self.assertRaisesRegex(TypeError, "negative bit.*resolve_neg"):
                scale[(1, )](other, out, 7, 2.5, B=64)
            self.assertEqual(arguments(8, 8), [0x1000, 0x2000])
            other.negated = False
            self.assertIs(scale[(1, )](other, out, 7, 2.5, B=64), compiled)
            self.assertEqual(arguments(8, 8), [0x3000, 0x2000])

    def test_same(self):
        """One object for several parameters, also beside what is made of it."""
        self.launched(4)
        x = Exchanged(0x1000, 1, 8)
        x.dtype, x.shape = tl.uint8, (4, )
        compiled = scale[(1, )](x, x, 7, 2.5, B=64)
        self.assertEqual(arguments(8, 8, 4, 4), [0x1000, 0x1000, 7, f32(2.5)])
        for pair in ((x, triton.reinterpret(x, tl.float8e5)), (triton.reinterpret(x, tl.float8e5), x)):
            other = scale[(1, )](*pair, 7, 2.5, B=64)
            self.assertEqual(arguments(8, 8), [0x1000, 0x1000])
            self.assertEqual(other._key().count("*fp8e5"), 1)
            self.assertEqual(other._key().count("*u8"), 1)
        x.address = 0x2008
        self.assertIsNot(scale[(1, )](x, x, 7, 2.5, B=64), compiled)
        self.assertEqual(arguments(8, 8), [0x2008, 0x2008])

    def test_devices(self):
        """A launch goes to the arrays' GPU, and what was current stays so."""
        scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        first = fake.last.context
        scale[(1, )](Exchanged(0x1000, device=1), Exchanged(0x2000, device=1), 7, 2.5, B=64)
        self.assertNotEqual(fake.last.context, first)
        self.assertEqual(fake.last.stream, 0x501)
        self.assertEqual(_native.gpu_current(), 0)
        scale[(1, )](Tensor(0x1000, device=1), Tensor(0x2000, device=1), 7, 2.5, B=64)
        self.assertNotEqual(fake.last.context, first)
        nothing[(1, )]()
        self.assertEqual(fake.last.context, first)

    def test_other_libraries(self):
        self.launched(4)
        scale[(1, )](CuPy(0x1000), CuPy(0x2010, "<i4"), 7, 2.5, B=64)
        self.assertEqual(arguments(8, 8, 4, 4), [0x1000, 0x2010, 7, f32(2.5)])
        base = Exchanged(0x2000, 1, 8)
        base.dtype, base.shape = tl.uint8, (4, )
        compiled = scale[(1, )](Exchanged(0x1000), triton.reinterpret(base, tl.float8e5), 7, 2.5, B=64)
        self.assertEqual(fake.last.args[1], 0x2000)
        self.assertIn("*fp8e5", compiled._key())

    def test_mixed(self):
        for error in (TypeError, ValueError):
            with self.assertRaisesRegex(error, "'x'.*Exchanged.*'y'.*ndarray"):
                scale[(1, )](Exchanged(0x1000), np.zeros(4, np.float32), 7, 2.5, B=64)
        with self.assertRaisesRegex(TypeError, "'y'.*'x'"):
            scale[(1, )](Exchanged(0x1000, place=1), Exchanged(0x2000), 7, 2.5, B=64)
        launches = fake.launches
        scale[(1, )](Exchanged(0x1000), Exchanged(0x2000, place=3), 7, 2.5, B=64)  # pinned
        self.assertEqual(fake.launches, launches + 1)

    def test_on_the_cpu(self):
        """Arrays of the CPU are interpreted, beside launches on the GPU."""
        x, y = np.zeros(4, np.float32), np.arange(4, dtype=np.float32)
        launches = fake.launches
        compiled = scale[(1, )](x, y, 4, 2.5, B=4)
        self.assertEqual(list(x), [0, 2.5, 5, 7.5])
        self.assertEqual(fake.launches, launches)
        self.assertEqual(compiled.metadata.target.backend, "cpu")

    def test_descriptors(self):
        self.launched(7)
        base = Exchanged(0x4000)
        base.dtype = tl.float32
        base.shape = (64, )
        descriptor = TensorDescriptor(base, [64], [1], [16])
        compiled = tiles[(1, )](descriptor, Exchanged(0x5000), 16)
        # the descriptor's own shape and strides, its padding, and those that the kernel reads
        self.assertEqual(arguments(8, 8, 8, 1, 4, 8, 8), [0x4000, 64, 1, 0, 64, 1, 0x5000])
        descriptor.shape = [32]
        self.assertIs(tiles[(1, )](descriptor, Exchanged(0x5000), 16), compiled)
        self.assertEqual(fake.last.args[1], 32)
        # A tensor map has no empty tensor: a variant with pointers takes that, again and again, and the first one the others.
        loads, launches = fake.loads, fake.launches
        for n in (0, 0, 48, 0):
            descriptor.shape = [n]
            tiles[(1, )](descriptor, Exchanged(0x5000), 16)
            self.assertEqual(arguments(8, 8, 8, 1, 4, 8, 8), [0x4000, n, 1, 0, n, 1, 0x5000])
        self.assertEqual((fake.loads, fake.launches), (loads + 1, launches + 4))
        self.assertIn("neso.map", compiled.asm["ttgir"])

    def test_grids_choose(self):
        """CTAs, all along the first axis, run several programs where a launch has many along all axes, from its
        first launch on."""
        arrays = [Tensor(n << 20, "torch.float16") for n in (1, 2, 3)]
        for stages, grids in ((3, ((32, 128), (1, 2), (32, 128))), (2, ((1, 2), (32, 128), (1, 2)))):
            for grid in grids:
                for given in (grid, lambda meta: grid):
                    batched[given](*arrays, 4096, 128, 256, 64, num_warps=8, num_stages=stages)
                    self.assertEqual(list(fake.last.grid), [4 * 132, 1, 1] if grid[0] == 32 else [1, 2, 1], (stages, grid))

    def test_tuples(self):
        self.launched(3)
        many[(1, )](Exchanged(0x1000), (2.5, 7))
        self.assertEqual(arguments(8, 4, 4), [0x1000, f32(2.5), 7])


class Values(Case):

    def test_numbers(self):
        self.launched(5)
        numbers[(1, )](Exchanged(0x1000), 2**40 + 3, 0.1, True, 1.5)
        self.assertEqual(arguments(8, 8, 8, 1, 2), [0x1000, 2**40 + 3, struct.unpack("<Q", struct.pack("<d", 0.1))[0], 1,
                                                   0x3E00])
        numbers[(1, )](Exchanged(0x1000), -5, 3, False, 2)
        self.assertEqual(arguments(8, 4, 8, 1, 2), [0x1000, 2**32 - 5, struct.unpack("<Q", struct.pack("<d", 3))[0], 0,
                                                   0x4000])
        numbers[(1, )](Exchanged(0x1000), np.int32(9), np.float32(0.5), np.bool_(True), 2)
        self.assertEqual(arguments(8, 4, 8, 1, 2), [0x1000, 9, struct.unpack("<Q", struct.pack("<d", 0.5))[0], 1, 0x4000])
        numbers[(1, )](Exchanged(0x1000), 2**63 + 5, 0.5, True, 2)
        self.assertEqual(fake.last.args[1], 2**63 + 5)
        with self.assertRaises(OverflowError):
            numbers[(1, )](Exchanged(0x1000), 2**64, 0.5, True, 2)
        self.launched(4)
        numbers[(1, )](Exchanged(0x1000), 1, 0.5, True, 2)  # the constant 1 is no argument
        self.assertEqual(arguments(8, 8), [0x1000, struct.unpack("<Q", struct.pack("<d", 0.5))[0]])

    def test_constants(self):
        """Equal constants find the variant again, whichever object they are; others do not."""
        def variant(mode):
            return scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64, MODE=mode)

        text = "".join(["re", "lu"])
        kinds = [None, True, 1, 1.0, 2, "relu", tl.float16, (1, 2), (1, 2.0), (1, "relu"), ((1, ), 2), scale, 2**63]
        found = [variant(kind) for kind in kinds]
        self.assertEqual(len({id(v) for v in found}), len(kinds))
        entries = len(scale._entries())
        for _ in range(2):
            for kind, compiled in zip(kinds, found):
                self.assertIs(variant(kind), compiled)
        self.assertIs(variant(text), found[5])
        self.assertIs(variant(tl.constexpr("relu")), variant(tl.constexpr(text)))
        self.assertIs(variant(tuple([1, text])), found[9])
        self.assertGreaterEqual(len(scale._entries()), entries)

    def test_generic(self):
        """A policy under which numbers are no constants: one variant, and values that are right."""
        self.launched(1)
        eager = {id(fill[(1, )](Exchanged(0x1000), V=v, B=32)) for v in (5, 6)}
        self.assertEqual(len(eager), 2)
        self.launched(2)
        found = []
        for v in (5, 6, 7, 4, 1000, -1, 16, 1):
            found.append(fill[(1, )](Exchanged(0x1000), V=v, B=32, constexpr_policy="generic"))
            self.assertEqual(arguments(8, 4), [0x1000, v & 0xFFFFFFFF])
        self.assertEqual(len({c._key() for c in found[:6]}), 1)
        self.assertIs(found[1], found[2])
        self.assertIs(found[1], found[3])
        fill[(1, )](Exchanged(0x1000), V=0.5, B=32, constexpr_policy="generic")
        self.assertEqual(arguments(8, 4), [0x1000, f32(0.5)])
        with self.assertRaisesRegex(ValueError, "'lazy'"):
            fill[(1, )](Exchanged(0x1000), V=0.5, B=32, constexpr_policy="lazy")

    def test_tiered(self):
        """A value that stays in use gets a variant of its own, made elsewhere; what is launched is right before and after."""
        _library.fake_first_is_slower()

        def launch(v):
            return tiered[(1, )](Exchanged(0x1000), V=v, B=32)

        self.launched(2)
        every = launch(1000)
        for v in range(2, 400):
            self.assertIs(launch(v), every)
            self.assertEqual(arguments(8, 4), [0x1000, v])
        self.assertEqual(tiered.tiers()["compiled"], 0)
        self.launched(1)
        for _ in range(20000):
            launch(1234)
            tiers = tiered.tiers()
            if tiers["special"] + tiers["generic"]:
                break
            time.sleep(0.001 if tiers["compiling"] else 0)
        self.assertEqual((tiers["special"], tiers["generic"], tiers["failed"]), (1, 0, 0))
        own = launch(1234)
        self.assertIn("V=1234", own._key())
        for _ in range(3):
            self.assertIs(launch(1235), every)
            self.assertIs(launch(1234), own)
            self.assertIs(launch(1234), own)

    def test_many_constants(self):
        """The table of calls is bounded; what is compiled stays."""
        first = scale.warmup(Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64, grid=(1, ))
        names = [f"name{i}" for i in range(40)]
        for name in names:
            scale.warmup(Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64, MODE=name, grid=(1, ))
        self.assertIs(scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64), first)

    def test_options(self):
        self.launched(4)
        one = scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        plain = scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64, enable_fp_fusion=False)
        self.assertIsNot(one, plain)
        self.assertFalse(plain.metadata.enable_fp_fusion)
        scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64, launch_cooperative_grid=True)
        self.assertEqual(fake.last.cooperative, 1)
        scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64, launch_pdl=True)
        self.assertEqual(fake.last.dependent, 1)
        few = scale.warmup(Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64, maxnreg=32, grid=(1, ))
        self.assertEqual(few.metadata.maxnreg, 32)
        os.environ["TRITON_DEBUG"] = "1"
        try:
            debug = scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        finally:
            del os.environ["TRITON_DEBUG"]
        self.assertTrue(debug.metadata.debug)
        self.assertIs(scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64), one)

    def test_threads(self):
        """Launches from threads, each with arguments of its own."""
        found, errors = [], []

        def work(k):
            try:
                for i in range(200):
                    found.append(scale[(1, )](Exchanged(0x1000 * k), Exchanged(0x2000), 7 + 16 * i, 2.5, B=64))
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(k + 1, )) for k in range(4)]
        launches = fake.launches
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(errors, [])
        self.assertEqual(fake.launches, launches + 800)
        self.assertEqual(len({id(c) for c in found}), 1)


class Again(Case):
    """Calls like the one before, and calls that differ from it in one thing."""

    def test_differences(self):
        self.launched(4)
        usual = {"x": Exchanged(0x1000), "y": Exchanged(0x2000), "n": 7, "a": 2.5, "B": 64, "MODE": None}
        first = scale[(1, )](**usual)
        other = [
            ("another address", {"x": Exchanged(0x3000)}, True), ("unaligned", {"x": Exchanged(0x3004)}, False),
            ("element type", {"y": Exchanged(0x2000, 2, 16)}, False), ("pinned", {"y": Exchanged(0x2000, place=3)}, True),
            ("no C table", {"y": Tensor(0x2000)}, True), ("another number", {"n": -9}, True),
            ("by 16", {"n": 32}, False), ("64 bits", {"n": 2**40 + 1}, False), ("uint64", {"n": 2**63 + 1}, False),
            ("True", {"n": True}, False), ("of numpy", {"n": np.int64(9)}, True), ("float", {"a": -0.5}, True),
            ("an integer for it", {"a": 3}, False), ("constant", {"B": 128}, False), ("equal constant", {"B": int("64")}, True),
            ("no number", {"B": 64, "MODE": "relu"}, False), ("None for a number", {"MODE": 0}, False),
            ("of floats", {"MODE": 0.0}, False), ("of minus 0", {"MODE": -0.0}, False), ("type", {"MODE": tl.float16}, False),
            ("warps", {"num_warps": 8}, False), ("fusion", {"enable_fp_fusion": False}, False),
        ]
        found = {}
        for what, changed, same in other:
            for _ in range(2):
                compiled = scale[(1, )](**usual)
                self.assertIs(compiled, first, what)
                self.assertEqual(arguments(8, 8, 4, 4), [0x1000, 0x2000, 7, f32(2.5)], what)
                compiled = scale[(1, )](**{**usual, **changed})
                self.assertEqual(compiled is first, same, what)
                self.assertIs(found.setdefault(what, compiled), compiled, what)
                again = scale[(1, )](**{**usual, **changed})
                self.assertIs(again, compiled, what)
                given = {**usual, **changed}
                got = fake.last.args
                self.assertEqual([got[0], got[1]], [given["x"].address, given["y"].address], what)
                bits = 64 if abs(given["n"]) >= 2**31 else 1 if given["n"] is True else 32
                self.assertEqual(got[2] & (2**bits - 1), int(given["n"]) & (2**bits - 1), what)
                want = given["a"] if isinstance(given["a"], int) else f32(given["a"])
                self.assertEqual(got[3] & 0xFFFFFFFF, want, what)
        self.assertEqual(len({id(c) for c in found.values()} | {id(first)}),
                         1 + sum(not same for _, _, same in other))

    def test_devices(self):
        self.launched(4)
        for device in (0, 0, 1, 1, 0):
            scale[(1, )](Exchanged(0x1000, device=device), Exchanged(0x2000, device=device), 7, 2.5, B=64)
            self.assertEqual(fake.last.stream, 0x500 + device)
            self.assertEqual(arguments(8, 8, 4, 4), [0x1000, 0x2000, 7, f32(2.5)])

    def test_globals(self):
        """A global that changes between calls, or while the values are looked at."""
        global FACTOR

        class Changes(Exchanged):
            changes = False

            @property
            def address(self):
                global FACTOR
                if self.changes:
                    FACTOR = tl.constexpr(5)
                return self.at

            @address.setter
            def address(self, at):
                self.at = at

        Changes.__dlpack_c_exchange_api__ = Exchanged.__dlpack_c_exchange_api__
        x = Changes(0x1000)
        first = factor[(1, )](x, x, 16)
        self.assertIs(factor[(1, )](x, Changes(0x2000), 16), first)
        x.changes = True
        with self.assertRaisesRegex(RuntimeError, "FACTOR"):
            factor[(1, )](x, Changes(0x2000), 16)
        FACTOR = tl.constexpr(3)
        x.changes = False
        self.assertIs(factor[(1, )](x, Changes(0x2000), 16), first)

    def test_settings(self):
        """However the environment, or a setting of the program's own, changes between two calls."""

        def debug():
            return scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64).metadata.debug

        name, before = "TRITON_DEBUG", dict(os.environ)
        ways = [lambda: os.environ.__setitem__(name, "1"), lambda: os.environ.update({name: "true"}),
                lambda: os.environ.setdefault(name, "1"), lambda: os.environ._data.__setitem__(name.encode(), b"on")]
        undo = [lambda: os.environ.__delitem__(name), lambda: os.environ.pop(name), lambda: os.environ.__setitem__(name, "0"),
                lambda: (os.environ.clear(), os.environ.update(before))]
        for change in ways:
            for back in undo:
                self.assertFalse(debug())
                change()
                self.assertTrue(debug())
                self.assertTrue(debug())
                back()
                self.assertFalse(debug())
                os.environ.pop(name, None)
        self.addCleanup(setattr, triton.knobs, "propagate_env", triton.knobs.propagate_env)
        triton.knobs.propagate_env = False
        with triton.knobs.runtime.scope():
            triton.knobs.runtime.debug = True
            self.assertTrue(debug())
            triton.knobs.runtime.debug = False
            self.assertFalse(debug())
            triton.knobs.runtime.debug = True
        self.assertFalse(debug())

    def test_globals_by_every_way(self):
        """However a global of the module changes between two calls."""
        here = globals()
        old = here["FACTOR"]
        ways = [lambda: here.update(FACTOR=tl.constexpr(5)), lambda: here.__setitem__("FACTOR", tl.constexpr(5)),
                lambda: exec("FACTOR = tl.constexpr(5)", here), lambda: here.pop("FACTOR"),
                lambda: setattr(sys.modules[__name__], "FACTOR", tl.constexpr(5))]
        x = Exchanged(0x1000)
        first = factor[(1, )](x, Exchanged(0x2000), 16)
        for change in ways:
            self.assertIs(factor[(1, )](x, Exchanged(0x2000), 16), first)
            change()
            try:
                with self.assertRaisesRegex((RuntimeError, NameError), "FACTOR"):
                    factor[(1, )](x, Exchanged(0x2000), 16)
            finally:
                here["FACTOR"] = old
        self.assertIs(factor[(1, )](x, Exchanged(0x2000), 16), first)

    def test_nested(self):
        """What tells of an array launches the same kernel."""

        class Nested(Exchanged):
            inner = None

            @property
            def address(self):
                inner, self.inner = self.inner, None
                if inner:
                    scale[(1, )](Exchanged(0x7000), Exchanged(0x8000), inner, 2.5, B=64)
                return self.at

            @address.setter
            def address(self, at):
                self.at = at

        self.launched(4)
        for inner in (None, 9, 64, 2**40, None):
            x = Nested(0x1000)
            x.inner = inner
            scale[(1, )](x, Exchanged(0x2000), 7, 2.5, B=64)
            self.assertEqual(arguments(8, 8, 4, 4), [0x1000, 0x2000, 7, f32(2.5)])


class Compiled(Case):

    def test_stages(self):
        compiled = scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        for stage, part in (("ttir", "tt.store"), ("ttgir", "#ttg."), ("llir", "define"), ("ptx", ".visible .entry")):
            self.assertIn(part, compiled.asm[stage])
        self.assertEqual(compiled.asm["cubin"][:4], b"\x7fELF")
        self.assertEqual(compiled.kernel, compiled.asm["cubin"])
        self.assertEqual(set(compiled.asm), {"source", "ttir-raw", "ttir", "ttgir", "llir", "ptx", "cubin", "sass"})
        self.assertGreater(compiled.n_regs, 4)
        self.assertEqual(compiled.n_spills, 0)
        self.assertEqual((compiled.metadata.num_warps, compiled.metadata.shared), (4, 0))
        with self.assertRaisesRegex(KeyError, "amdgcn"):
            compiled.asm["amdgcn"]

    def test_compile(self):
        """For a GPU that is not there."""
        source = triton.compiler.ASTSource(scale, {"x": "*fp32", "y": "*fp16", "n": "i32", "a": "fp32", "B": "constexpr"},
                                           {"B": 64})
        target = triton.backends.compiler.GPUTarget("cuda", 80, 32)
        compiled = triton.compile(source, target=target, options={"num_warps": 2})
        self.assertIn(".target sm_80", compiled.asm["ptx"])
        self.assertEqual(compiled.metadata.target, target)
        self.assertEqual(compiled.metadata.num_warps, 2)
        with self.assertRaisesRegex(ValueError, "NVIDIA"):
            triton.compile(source, target=triton.backends.compiler.GPUTarget("hip", "gfx942", 64))

    def test_driver(self):
        active = triton.runtime.driver.active
        self.assertEqual(active.get_current_target(), triton.backends.compiler.GPUTarget("cuda", 90, 32))
        self.assertEqual(active.get_device_capability(), (9, 0))
        self.assertEqual(active.utils.get_device_properties(0)["multiprocessor_count"], fake.sms)
        self.assertEqual(active.utils.get_device_properties(0)["max_shared_mem"], fake.shared_optin)
        self.assertEqual(active.utils.get_device_properties(0)["sm_clock_rate"], 1980000)
        self.assertEqual(active.utils.get_device_properties(0)["mem_clock_rate"], 3201000)
        self.assertEqual(active.get_current_device(), 0)
        self.assertEqual(active.get_current_stream(), 0)

    def test_hooks(self):
        seen = []

        def enter(metadata):
            seen.append((metadata.get()["name"], metadata.get()["stream"]))

        triton.knobs.runtime.launch_enter_hook.add(enter)
        try:
            scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        finally:
            triton.knobs.runtime.launch_enter_hook.remove(enter)
        self.assertEqual(seen, [("scale", 0x500)])

    def test_globals(self):
        scope = {"tl": tl, "triton": triton, "FACTOR": tl.constexpr(2)}
        text = "@triton.jit\ndef f(x):\n    tl.store(x, FACTOR)\n"
        exec(text, scope)
        scope["f"][(1, )](Exchanged(0x1000))
        scope["FACTOR"] = tl.constexpr(3)
        with self.assertRaisesRegex(RuntimeError, "FACTOR"):
            scope["f"][(1, )](Exchanged(0x1000))


class Failures(Case):

    def test_launch(self):
        scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        fake.fail_call, fake.fail_result = b"cuLaunchKernel", 719
        with self.assertRaisesRegex(RuntimeError, "CUDA_ERROR_LAUNCH_FAILED") as caught:
            scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        self.assertIsInstance(caught.exception, LaunchError)
        with self.assertRaisesRegex(RuntimeError, "1048576 programs along axis 1"):
            scale[(1, 2**20)](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        launches = fake.launches
        scale[(0, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)
        self.assertEqual(fake.launches, launches)

    def test_resources(self):
        fake.max_threads = 64
        try:
            with self.assertRaises(OutOfResources) as caught:
                scale[(1, )](Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=512)
        finally:
            fake.max_threads = 1024
        self.assertEqual((caught.exception.required, caught.exception.limit, caught.exception.name), (128, 64, "threads"))

    def test_compile_error(self):
        scope = {"tl": tl, "triton": triton}
        text = "@triton.jit\ndef f(x):\n    tl.store(x, nowhere)\n"
        exec(text, scope)
        with self.assertRaises(triton.CompilationError) as caught:
            scope["f"][(1, )](Exchanged(0x1000))
        self.assertIn("nowhere", str(caught.exception))

    def test_grid(self):
        with self.assertRaisesRegex(TypeError, "grid"):
            scale.run(Exchanged(0x1000), Exchanged(0x2000), 7, 2.5, B=64)


class Measuring(Case):

    def test_do_bench(self):
        launches = fake.launches
        time = triton.testing.do_bench(lambda: nothing[(1, )](), warmup=3, rep=6)
        self.assertAlmostEqual(time, 1.5)  # the fake's events are always so far apart
        self.assertGreater(fake.launches, launches + 5)

    def test_autotune(self):
        resets = []

        class Counted(Exchanged):

            def zero_(self):
                resets.append(self)

            def clone(self):
                return self

            def copy_(self, other):
                resets.append(None)

        tuned = triton.autotune([triton.Config({"B": 64}), triton.Config({"B": 128}, num_warps=8)], key=["n"],
                                reset_to_zero=["x"], restore_value=["y"],
                                do_bench=lambda call, quantiles: (call(), [fake.last.block[0]] * 3)[1])(scale)
        tuned[(1, )](Counted(0x1000), Counted(0x2000), 7, 2.5)
        self.assertEqual(tuned.best_config.kwargs, {"B": 64})
        self.assertEqual(fake.last.block[0], 128)
        self.assertTrue(any(resets) and None in resets)

    def test_compiled_first(self):
        """All configurations are compiled before the first is measured; one that cannot be is passed over."""
        seen = []

        def bench(call, quantiles):
            seen.append(len(tuned.fn._entries()))
            call()
            return [1.0] * 3

        scope = {"triton": triton, "tl": tl}
        exec("@triton.jit\ndef f(x, B: tl.constexpr):\n    tl.static_assert(B < 500)\n"
             "    tl.store(x + tl.arange(0, B), 1.0)\n", scope)
        configs = [triton.Config({"B": 2**i}) for i in range(4, 9)]
        tuned = triton.autotune(configs, key=["x"], do_bench=bench)(scope["f"])
        tuned[(1, )](Exchanged(0x1000))
        self.assertEqual(seen, [5] * 5)
        too_large = triton.Config({"B": 512})
        tuned = triton.autotune([too_large] + configs, key=["x"], do_bench=bench)(scope["f"])
        tuned[(1, )](Exchanged(0x1000))
        self.assertEqual(tuned.configs_timings[too_large], [float("inf")] * 3)
        self.assertIsNot(tuned.best_config, too_large)

    def test_out_of_resources(self):
        """Configurations that do not fit are passed over."""
        fake.max_threads = 128
        try:
            tuned = triton.autotune([triton.Config({"B": 256}, num_warps=16), triton.Config({"B": 32}, num_warps=1)],
                                    key=["n"])(scale)
            tuned[(1, )](Exchanged(0x1000), Exchanged(0x2000), 11, 2.5)
        finally:
            fake.max_threads = 1024
        self.assertEqual(tuned.best_config.num_warps, 1)
        self.assertEqual(min(tuned.configs_timings.values())[0], 1.5)

    def test_hooks_of_compiling_and_loading(self):
        told = []
        scope = {"triton": triton, "tl": tl}
        exec("@triton.jit\ndef hooked(x, i):\n    tl.store(x, i)\n", scope)
        kernel = scope["hooked"]

        def start(module, function, name, metadata_group, hash):
            told.append(("start", module, name, hash))

        def end(module, function, name, metadata_group, hash):
            told.append(("end", module is not None, name, hash))

        knobs = triton.knobs.runtime
        with knobs.scope():
            knobs.kernel_load_start_hook.add(start)
            knobs.kernel_load_end_hook.add(end)
            knobs.jit_cache_hook = lambda **words: told.append(words["is_manual_warmup"])
            try:
                for i in (3, 5, 16):
                    made = kernel[(1, )](Tensor(0x1000), i)
                    self.assertIn(made, list(kernel.device_caches[0][0].values()))
                    told.append(made.hash)
                knobs.jit_cache_hook = lambda **words: True
                launches = fake.launches
                self.assertIsNone(kernel[(1, )](Tensor(0x1004), 3))
                self.assertEqual(fake.launches, launches)
            finally:
                knobs.kernel_load_start_hook.remove(start)
                knobs.kernel_load_end_hook.remove(end)
        one, other = told[3], told[-1]
        loaded = lambda key: [False, ("start", None, "hooked", key), ("end", True, "hooked", key), key]
        self.assertEqual(told, loaded(one) + [one] + loaded(other))
        self.assertEqual(len(kernel.device_caches[0][0]), 2)
        kernel.device_caches[0][0].clear()
        self.assertEqual(len(kernel.device_caches[0][0]), 0)

    def test_compiled_kernels_are_launched_again(self):
        """On the GPU's own memory; what is simulated, on copies in the host's."""
        scope = {"triton": triton, "tl": tl}
        exec("@triton.jit\ndef again(x, i, B: tl.constexpr):\n    tl.store(x + tl.arange(0, B), i)\n", scope)
        for made in (scope["again"].warmup(triton.MockTensor(tl.float32), 3, 16, grid=(1, )),
                     scope["again"][(1, )](Counted(0x1000), 3, 16), scope["again"][(1, )](Counted(0x1000), 3, 16, num_warps=2)):
            self.launched(2)
            Counted.copies = 0
            launches = fake.launches
            made[(2, 1, 1)](Counted(0x2000), 5)
            self.assertEqual((fake.launches, Counted.copies, arguments(8, 4)), (launches + 1, 0, [0x2000, 5]))
            self.assertEqual((fake.last.grid[0], fake.last.block[0]), (2, 32 * made.metadata.num_warps))
        simulated = scope["again"].warmup(triton.MockTensor(tl.float32), 3, 16, grid=(1, ), neso_target="sim:sm_90a")
        launches = fake.launches
        out = np.zeros(16, np.float32)
        simulated[(1, 1, 1)](out, 5)
        self.assertEqual((fake.launches, list(out)), (launches, [5.0] * 16))

    def test_warmup_is_for_the_gpu(self):
        """What warmup compiles, and what preload compiles, is what a launch takes."""
        scope = {"triton": triton, "tl": tl}
        exec("@triton.jit\ndef early(x, i):\n    tl.store(x, i)\n", scope)
        kernel, told = scope["early"], []
        with triton.knobs.runtime.scope():
            triton.knobs.runtime.jit_cache_hook = lambda **words: told.append(words["compile"]["specialization_data"])
            made = kernel.warmup(triton.MockTensor(tl.float32), 3, grid=(1, ))
            self.assertEqual(made.metadata.target.backend, "cuda")
            self.assertIs(kernel[(1, )](Tensor(0x1000), 5), made)
            kernel.device_caches.clear()
            again = kernel.preload(told[0])
            self.assertEqual((again.hash, again.cache), (made.hash, "hit"))
            self.assertIs(kernel[(1, )](Tensor(0x1000), 5), again)
        self.assertEqual(len(told), 2)

    def test_what_upstreams_tests_ask(self):
        from neso import _internal_testing as asked
        self.assertTrue(asked.is_cuda() and asked.is_ampere_or_newer() and asked.is_hopper() and asked.is_hopper_or_newer())
        self.assertFalse(asked.is_blackwell() or asked.is_sm12x() or asked.is_hip() or asked.is_interpreter())

    def test_names_of_element_types_in_upstreams_tests(self):
        from neso._internal_testing import str_to_triton_dtype, torch_dtypes, torch_float8_dtypes
        for name in torch_dtypes + torch_float8_dtypes + ["uint16", "uint32", "uint64"]:
            self.assertIsInstance(str_to_triton_dtype(name), tl.dtype, name)
        for name, found in (("float8_e4m3fn", tl.float8e4nv), ("float8_e5m2", tl.float8e5), ("bool", tl.int1),
                            ("float32", tl.float32), ("bfloat16", tl.bfloat16), ("uint16", tl.uint16)):
            self.assertEqual(str_to_triton_dtype(name), found, name)

    def test_memory(self):
        used = fake.bytes
        address = _native.gpu_alloc(64)
        self.assertEqual(fake.bytes, used + 64)
        data = (ctypes.c_char * 64)(*b"abc")
        _native.gpu_copy(address, ctypes.addressof(data), 64)
        back = (ctypes.c_char * 64)()
        _native.gpu_copy(ctypes.addressof(back), address, 64)
        self.assertEqual(back.raw, data.raw)
        _native.gpu_free(address)
        self.assertEqual(fake.bytes, used)


if __name__ == "__main__":
    unittest.main()
