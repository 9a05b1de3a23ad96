"""What torch's Inductor asks of a Triton, name by name and in its order, without torch: test/torch runs the whole of it where torch is there."""

import base64
import collections
import copy
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso import _native  # noqa: E402
from neso._C.libtriton import ir, native_specialize_impl  # noqa: E402
from neso.backends.amd.compiler import HIPBackend  # noqa: E402
from neso.experimental.gluon.language._layouts import NVMMASharedLayout  # noqa: E402
from neso.experimental.gluon.nvidia.hopper import TensorDescriptor as GluonDescriptor  # noqa: E402
from neso.backends import BaseBackend, backends  # noqa: E402
from neso.backends.compiler import GPUTarget  # noqa: E402
from neso.compiler import ASTSource, CompiledKernel, make_backend  # noqa: E402
from neso.runtime.cache import get_cache_manager  # noqa: E402

CPU, GPU = GPUTarget("cpu", 0, 32), GPUTarget("cuda", 90, 32)
HAS_PTXAS = not (_native.info("ptxas") or "none").startswith("none")


@triton.jit
def scaled(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=mask) * factor, mask=mask)


@triton.jit
def helper(p, v):
    tl.store(p, v)


@triton.jit
def writes(x_ptr, y_ptr, z_ptr, n):
    p = y_ptr
    for i in range(n):
        helper(p, tl.load(x_ptr + i))
        p += 1
    if n > 3:
        tl.atomic_add(z_ptr, 1.0)


@triton.jit
def grows(p, n):
    tl.store(p, n * n)


@triton.jit
def checks(p, n):
    tl.device_assert(n < 7, "too many")
    tl.store(p, n * n)


SIGNATURE = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i64", "factor": "fp32", "BLOCK": "constexpr"}
HINTS = {(0, ): [["tt.divisibility", 16]], (1, ): [["tt.divisibility", 16]]}


def compiled(target=CPU, signature=SIGNATURE, constants=None, attrs=None, **options):
    return triton.compile(ASTSource(scaled, signature, constants or {"BLOCK": 64}, attrs), target=target, options=options)


def aligned(count, dtype=np.float32):
    room = np.zeros(count + 16, dtype)
    at = -room.__array_interface__["data"][0] % 16 // room.itemsize
    return room[at:at + count]


def run(kernel, grid, *args):
    kernel.run(*grid, 0, kernel.function, kernel.packed_metadata, None, None, None, *args)


def sent(kernel):
    """The kernel as torch sends it from one process to another."""
    state = {**kernel.__dict__, "metadata": kernel.metadata._asdict(), "packed_metadata": kernel.packed_metadata,
             "module": None, "function": None, "run": None}
    state = pickle.loads(pickle.dumps(state))
    made = CompiledKernel.__new__(CompiledKernel)
    made.__dict__.update({**state, "metadata": type(kernel.metadata)(**state["metadata"])})
    return made


@triton.jit
def half_kernel(x_ptr, o_ptr, big, n):
    at = tl.arange(0, 8)
    mask = at < n
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=mask) // 2 + (big // 2 % 256).to(tl.uint8), mask=mask)


@triton.jit(repr=lambda _: "triton_poi_" + "fused_" * 50)
def named_kernel(x_ptr, o_ptr, big, n):
    at = tl.arange(0, 8)
    mask = at < n
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=mask) // 2 + (big // 2 % 256).to(tl.uint8), mask=mask)


class Sent(unittest.TestCase):

    def test_unsigned_arguments(self):
        """It is sent as TTIR, which has no signs."""
        x, o, big = np.arange(250, 256, dtype=np.uint8), np.zeros(8, np.uint8), 2**64 - 6
        kernel = sent(half_kernel.warmup(x, o, big, 6, grid=(1, )))
        run(kernel, (1, 1, 1), x, o, big, 6)
        np.testing.assert_array_equal(o, [*((x.astype(int) // 2 + big // 2 % 256) % 256), 0, 0])
        with self.assertRaisesRegex(triton.TritonError, "wants [*]i8 for 'x_ptr', but is given a [*]u16"):
            run(kernel, (1, 1, 1), x.astype(np.uint16), o, big, 6)


    def test_a_name_that_is_too_long_for_a_file(self):
        """Inductor's names have all that a kernel computes in them."""
        o = np.zeros(8, np.uint8)
        kernel = sent(named_kernel.warmup(o, o, 2**64 - 6, 6, grid=(1, )))
        self.assertEqual(len(kernel.name), 311)
        run(kernel, (1, 1, 1), np.full(8, 20, np.uint8), o, 4, 6)
        np.testing.assert_array_equal(o, [12] * 6 + [0, 0])


class Backends(unittest.TestCase):

    def test_names_of_other_versions_are_not_there(self):
        """torch takes their presence for an old Triton."""
        for module in (triton.backends.compiler, triton.compiler.compiler):
            self.assertFalse(hasattr(module, "AttrsDescriptor"))
        self.assertFalse(hasattr(triton.runtime.jit, "create_specialize_impl"))
        self.assertFalse(hasattr(CompiledKernel, "num_ctas"))

    def test_drivers(self):
        self.assertEqual(set(backends), {"nvidia", "cpu"})
        for there in (False, True):
            with mock.patch.object(backends["nvidia"].driver, "is_active", lambda: there):
                self.assertEqual([b.driver.is_active() for b in backends.values()].count(True), 1)
                self.assertIs(backends["cpu"].driver.is_active(), not there)
        config = triton.runtime.driver
        before = config.active
        try:
            config.set_active(backends["cpu"].driver())
            self.assertIsInstance(config.active, backends["cpu"].driver)
            self.assertEqual(config.active.get_current_target(), CPU)
        finally:
            config.reset_active()
        self.assertIs(config.active, before)

    def test_no_driver_is_started_to_see_that_there_is_a_gpu(self):
        """CUDA_VISIBLE_DEVICES hides what the system shows."""
        program = "from neso.backends.nvidia.driver import CudaDriver; print(CudaDriver.is_active())"
        done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, stdout=subprocess.PIPE)
        self.assertEqual(done.stdout, b"False\n")

    def test_make_backend(self):
        for target, name in ((CPU, "cpu"), (GPU, "cuda-90")):
            backend = make_backend(target)
            self.assertIsInstance(backend, BaseBackend)
            self.assertEqual(backend.hash(), name)
            options = backend.parse_options({"num_warps": 8, "unknown": 1})
            self.assertEqual((options.num_warps, options.num_stages, options.num_ctas), (8, 3, 1))
            self.assertIn("enable_fp_fusion", options.__dict__)
            self.assertEqual(backend.parse_attr("D"), [["tt.divisibility", 16]])
            self.assertEqual(backend.parse_attr(""), [])
            self.assertIn("triton.language.extra.libdevice", backend.get_module_map())
        with self.assertRaisesRegex(RuntimeError, "0 compatible backends for target \\(hip\\)"):
            make_backend(GPUTarget("hip", "gfx942", 64))
        with self.assertRaisesRegex(ValueError, "num_warps must be a power of 2, and is 3"):
            make_backend(GPU).parse_options({"num_warps": 3})
        with self.assertRaisesRegex(NotImplementedError, "no stages in Python"):
            make_backend(GPU).add_stages({}, None)

    def test_key(self):
        from neso.runtime.cache import triton_key
        self.assertIs(triton.compiler.compiler.triton_key, triton_key)
        self.assertTrue(triton_key().startswith("neso-"))

    def test_specialisation(self):
        array = aligned(4)

        class Tensor:
            dtype, shape = "float32", (4, )

            def data_ptr(self):
                return array.__array_interface__["data"][0]
        for value, wanted in ((Tensor(), ("*fp32", "D")), (16, ("i32", "D")), (7, ("i32", "")), (1, ("constexpr", 1)), (2**40 + 1, ("i64", "")),
                              (2.5, ("fp32", None)), (True, ("u1", None)), (None, ("constexpr", None))):
            self.assertEqual(native_specialize_impl(BaseBackend, value, False, True, True), wanted)
            extra = make_backend(CPU).get_arg_specialization
            self.assertEqual(triton.runtime.jit.specialize_impl(value, specialize_extra=extra, is_const=False, specialize_value=True, align=True),
                             wanted)
        self.assertEqual(native_specialize_impl(BaseBackend, 16, False, False, True), ("i32", None))
        self.assertEqual(native_specialize_impl(BaseBackend, (1, 16), True, False, False), (("constexpr", "i32"), (1, "D")))
        for value, wanted in ((np.bool_(True), ("u1", None)), (np.int32(16), ("i32", "D")), (np.float32(2), ("fp32", None))):
            self.assertEqual(native_specialize_impl(BaseBackend, value, False, True, True), wanted)
        pair = collections.namedtuple("pair", "x y")(1, 16)
        found = native_specialize_impl(BaseBackend, pair)
        self.assertEqual((found[0].x, found[1].y), ("constexpr", "D"))
        for value in (object(), {}, 1j, b"bytes", range(3)):
            with self.assertRaisesRegex(TypeError, "failed to specialize argument of type: " + type(value).__name__):
                native_specialize_impl(BaseBackend, value, False, True, True)

    def test_specialisation_for_others(self):
        array = aligned(64)

        class Tensor:
            dtype, shape, device = np.dtype("float32"), (64, ), "cpu"

            def data_ptr(self):
                return array.__array_interface__["data"][0]

            def stride(self):
                return (1, )

            def untyped_storage(self):
                return self

            def size(self):
                return 256
        tensor = Tensor()
        for align, known in ((True, "DS"), (False, "S")):
            self.assertEqual(native_specialize_impl(HIPBackend, tensor, True, True, align), ("*kfp32", known))
        self.assertEqual(native_specialize_impl(HIPBackend, tensor, False, False, True), ("*fp32", None))
        self.assertEqual(native_specialize_impl(HIPBackend, 16, False, True, True), ("i32", "D"))
        layout = NVMMASharedLayout(0, 32, 1)
        described = GluonDescriptor.from_tensor(tensor, [16], layout)
        self.assertEqual(native_specialize_impl(BaseBackend, described), (f"tensordesc<fp32[16],{layout!r}>", None))
        for value in (2**64, -2**63 - 1):
            with self.assertRaises(OverflowError):
                native_specialize_impl(BaseBackend, value, False, True, True)
        self.assertEqual([BaseBackend.get_arg_specialization(value, "int", align=True) for value in (16, 17)], ["D", ""])
        self.assertEqual(BaseBackend.get_arg_specialization(Tensor(), "tensor", align=True), "D")


class Compiling(unittest.TestCase):

    def setUp(self):
        self.x = aligned(200)
        self.x[:] = np.arange(200)
        self.out = aligned(200)

    def test_what_is_compiled_is_launched_without_looking_at_values(self):
        """n is an i64 that fits 32 bits and is divisible by 16: the signature knows better."""
        kernel = compiled(attrs=HINTS)
        before = len(scaled._entries())
        run(kernel, (3, 1, 1), self.x, self.out, 160, 3, 64)
        np.testing.assert_array_equal(self.out[:160], self.x[:160] * 3)
        self.assertEqual(self.out[160:].sum(), 0)
        self.assertEqual(len(scaled._entries()), before)

    def test_constants_of_parameters_that_are_none(self):
        """As torch gives what equals 1, and all scalars of kernels that it looks into."""
        signature = {**SIGNATURE, "n": "constexpr", "factor": "i32"}
        kernel = compiled(signature=signature, constants={"BLOCK": 64, "n": 100, "factor": 2})
        self.assertIn("@scaled(%x_ptr: !tt.ptr<f32>", kernel.asm["ttir"].replace("arg0", "x_ptr"))
        run(kernel, (2, 1, 1), self.x, self.out, 100, 2, 64)
        np.testing.assert_array_equal(self.out[:100], self.x[:100] * 2)

    def test_what_the_signature_promises_is_looked_at(self):
        kernel = compiled(attrs=HINTS)
        with self.assertRaisesRegex(triton.runtime.errors.ArgumentError, "divisible by 16"):
            run(kernel, (1, 1, 1), self.x[1:], self.out, 1, 1.0, 64)
        with self.assertRaisesRegex(TypeError, "takes 5 arguments but 4 were given"):
            run(kernel, (1, 1, 1), self.x, self.out, 1, 1.0)
        with self.assertRaisesRegex(TypeError, "compiled for a GPU|no GPU|driver|is compiled for sm_90a"):
            try:
                run(compiled(GPU), (1, 1, 1), self.x, self.out, 1, 1.0, 64)
            except (RuntimeError, triton.TritonError) as error:
                raise TypeError(str(error)) from None

    def test_fields_that_launchers_read(self):
        for target in (CPU, GPU):
            kernel = compiled(target, attrs=HINTS, num_warps=8, num_stages=2, debug=True, sanitize_overflow=False)
            metadata = kernel.metadata
            self.assertEqual((metadata.name, metadata.num_warps, metadata.num_stages, metadata.num_ctas), ("scaled", 8, 2, 1))
            self.assertEqual((metadata.debug, metadata.sanitize_overflow), (True, False))
            self.assertEqual((metadata.target, metadata.cluster_dims), (target, (1, 1, 1)))
            self.assertEqual((metadata.global_scratch_size, metadata.profile_scratch_size, metadata.shared), (0, 0, kernel.shared))
            self.assertFalse(metadata.launch_pdl or metadata.launch_cooperative_grid)
            self.assertEqual(kernel.packed_metadata, (8, 1, kernel.shared))
            self.assertEqual(kernel.src.signature, SIGNATURE)
            self.assertEqual((kernel.src.constants, kernel.src.fn), ({(4, ): 64}, scaled))
            self.assertEqual(kernel.src.language.name, "TRITON")
            self.assertRegex(kernel.hash, "^[0-9a-f]{64}$")

    def test_overflow_is_looked_for_unless_it_says_not_to(self):
        """Inductor compiles with device_assert, and lets integers wrap."""
        out = np.zeros(1, np.int32)
        signature = {"p": "*i32", "n": "i32"}
        for kernel, n, sanitize, wanted in ((grows, 70000, True, "overflow detected"), (grows, 70000, False, None), (checks, 9, False, "too many")):
            made = triton.compile(ASTSource(kernel, signature), target=CPU, options={"debug": True, "sanitize_overflow": sanitize})
            if wanted is None:
                run(made, (1, 1, 1), out, n)
                self.assertEqual(out[0], np.int64(70000 * 70000).astype(np.int32))
                continue
            with self.assertRaisesRegex(triton.runtime.errors.DeviceAssertError, wanted):
                run(made, (1, 1, 1), out, n)
        with self.assertRaisesRegex(triton.runtime.errors.DeviceAssertError, "overflow detected"):
            grows[(1, )](out, 70000, debug=True)
        grows[(1, )](out, 70000, debug=True, sanitize_overflow=False)

    @unittest.skipUnless(HAS_PTXAS, "there is no ptxas")
    def test_the_cubin_lies_where_upstream_has_it(self):
        """torch's static launcher loads it from there."""
        with tempfile.TemporaryDirectory() as folder, triton.knobs.cache.scope():
            triton.knobs.cache.dir = folder
            kernel = compiled(GPU, attrs=HINTS)
            path = os.path.join(folder, base64.b32encode(bytes.fromhex(kernel.hash)).decode().rstrip("="), "scaled.cubin")
            with open(path, "rb") as file:
                self.assertEqual(file.read(), kernel.asm["cubin"])
            self.assertGreater(kernel.n_regs, 0)
            self.assertEqual(kernel.n_spills, 0)


class Pickling(unittest.TestCase):

    def test_kernels_by_name(self):
        self.assertIs(pickle.loads(pickle.dumps(scaled)), scaled)
        self.assertIs(copy.deepcopy({"k": scaled})["k"], scaled)

        @triton.jit
        def local(p):
            tl.store(p, 1)
        with self.assertRaisesRegex(pickle.PicklingError, "it's not found as"):
            pickle.dumps(local)

    def test_kernels_whose_function_was_taken_away(self):
        """As torch does before it sends them."""
        scope = {"triton": triton, "tl": tl}
        text = "@triton.jit\ndef small(p, n, B: tl.constexpr = 4):\n    tl.store(p, n)\n"
        exec(text, scope)
        kernel = scope["small"]
        kernel.repr = None
        kernel.fn = kernel.__globals__ = kernel.used_global_vals = kernel._hash_lock = None
        for made in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
            self.assertEqual((made.__name__, made.arg_names, made.src), ("small", ["p", "n", "B"], kernel.src))
            self.assertEqual([p.num for p in made.params if p.is_constexpr], [2])
            self.assertEqual(made.params[2].default, 4)
            with self.assertRaisesRegex(RuntimeError, "pickled without its function"):
                made[(1, )](np.zeros(1, np.int32), 3)

    def test_compiled_kernels(self):
        x, out = aligned(100), aligned(100)
        x[:] = np.arange(100)
        kernel = sent(compiled(attrs=HINTS))
        kernel._init_handles()
        run(kernel, (2, 1, 1), x, out, 100, 2.0, 64)
        np.testing.assert_array_equal(out, x * 2)
        self.assertEqual((kernel.name, kernel.metadata.num_warps, kernel.src.fn.arg_names[0]), ("scaled", 4, "x_ptr"))

    @unittest.skipUnless(HAS_PTXAS, "there is no ptxas")
    def test_compiled_kernels_for_a_gpu_are_not_compiled_again(self):
        kernel = compiled(GPU, attrs=HINTS)
        cubin = kernel.asm["cubin"]
        made = sent(kernel)
        made._init_handles()
        self.assertEqual((made._cubin(), made.n_regs, made.hash), (cubin, kernel.n_regs, kernel.hash))
        self.assertEqual(made._info()["cache"], "hit")

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_what_was_compiled_before_a_fork_runs_behind_it(self):
        kernel = compiled(attrs=HINTS, num_warps=2)  # of which no text was made yet
        child = os.fork()
        if child == 0:
            try:
                x, out = aligned(10), aligned(10)
                x[:] = 3
                run(kernel, (1, 1, 1), x, out, 10, 2.0, 64)
                os._exit(0 if (out == 6).all() else 1)
            except BaseException:
                import traceback
                traceback.print_exc()
                os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


class Ir(unittest.TestCase):
    """What torch finds out what a kernel writes with."""

    def module(self, kernel, *args, **constants):
        signature = {name: native_specialize_impl(BaseBackend, value)[0] for name, value in zip(kernel.arg_names, args)}
        return ASTSource(kernel, signature, constants).make_ir(CPU, make_backend(CPU).parse_options({}), {}, {}, ir.context())

    def test_functions_and_calls(self):
        module = self.module(writes, *[np.zeros(1, np.float32)] * 3, 5)
        self.assertTrue(module.verify())
        names = []
        module.walk(lambda op: names.append(op.get_name()))
        self.assertEqual(names[-1], "builtin.module")
        self.assertLess(names.index("tt.call"), names.index("scf.for"))
        self.assertEqual(module.get_entry_func_name(), "writes")
        calls = [op for op in module._ops if op.get_name() == "tt.call"]
        self.assertTrue(module.has_function(calls[0].get_flat_symbol_ref_attr("callee")))
        with self.assertRaisesRegex(ValueError, "no function nothing"):
            module.get_function("nothing")

    def test_values_blocks_and_regions(self):
        module = self.module(writes, *[np.zeros(1, np.float32)] * 3, 5)
        loop = next(op for op in module._ops if op.get_name() == "scf.for")
        self.assertEqual((loop.get_num_regions(), loop.get_num_results()), (1, 1))
        inner = next(op for op in module._ops if op.get_parent_op() is loop)
        block = inner.get_block()
        self.assertEqual(block.get_num_arguments(), 2)
        self.assertEqual(block.get_parent().id(), loop.get_region(0).id())
        self.assertEqual(loop.get_num_operands(), 4)
        call = next(op for op in module._ops if op.get_name() == "tt.call")
        self.assertEqual(call.get_operand(0), block.get_argument(1))
        self.assertEqual(call.get_operand(0).get_type(), "!tt.ptr<f32>")
        self.assertIsNone(module.get_operation().get_block())
        self.assertEqual(call.line(), writes._line + 3)

    def test_attributes(self):
        text = self.module(writes, *[np.zeros(1, np.float32)] * 3, 5)
        atomic = next(op for op in text._ops if op.get_name() == "tt.atomic_rmw")
        self.assertIsInstance(atomic.get_int_attr("sem"), (int, type(None)))
        self.assertIsNone(atomic.get_str_attr("nothing"))
        self.assertIn("sym_name", text.get_function("writes").get_attributes())

    def test_text_that_is_wrong(self):
        with self.assertRaises(triton.CompilationError):
            ir.parse_text("module { tt.nothing }", ir.context())

    def test_what_is_not_there_says_so(self):
        from neso._C import libtriton
        with self.assertRaisesRegex(AttributeError, "neso has no libtriton.passes"):
            libtriton.passes
        with self.assertRaisesRegex(AttributeError, "IR is made and changed by its library"):
            ir.builder


if __name__ == "__main__":
    unittest.main()
