"""Every module and name under `triton` that programs import; tools that are Python."""

import math
import os
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.tools.ragged_tma import atomic_add_ragged, create_ragged_descriptor, load_ragged, store_ragged  # noqa: E402

NAMES = """
triton: autotune cdiv compile Config constexpr_function heuristics InterpreterError JITFunction jit KernelInterface language
  MockTensor must_use_result next_power_of_2 OutOfResources reinterpret runtime set_allocator TensorWrapper testing tools
  TritonError knobs AsyncCompileMode FutureKernel __version__
triton._filecheck: MatchError run_filecheck run_parser run_filecheck_test filecheck_test
triton._utils: canonicalize_dtype find_paths_if get_iterable_path validate_block_shape
triton.backends: Backend backends
triton.backends.compiler: BaseBackend GPUTarget Language
triton.backends.driver: Benchmarker DriverBase GPUDriver
triton.backends.nvidia.compiler: BaseBackend CUDABackend CUDAOptions GPUTarget Language min_dot_size
triton.backends.amd.compiler: HIPBackend get_min_dot_size
triton.compiler: ASTSource CompilationError CompiledKernel IRSource LazyDict compile make_backend
triton.compiler.code_generator: CodeGenerator ast_to_ttir
triton.compiler.compiler: ASTSource CompiledKernel GPUTarget IRSource get_cache_key make_backend max_shared_mem
triton.compiler.errors: CompilationError CompileTimeAssertionFailure UnsupportedLanguageConstruct
triton.errors: TritonError
triton.knobs: autotuning build cache compilation language nvidia runtime
triton.language.core: CONSTEXPR_0 _aggregate base_type base_value builtin constexpr dtype extern extern_elementwise
  get_int_dtype str_to_ty tensor tuple tuple_type tensor_descriptor_type
triton.language.extra: cuda hip libdevice
triton.language.extra.cuda: gdc_launch_dependents gdc_wait globaltimer libdevice num_threads num_warps smid
triton.language.extra.cuda.gdc: gdc_launch_dependents gdc_wait
triton.language.extra.cuda.libdevice: tanh pow round fast_dividef
triton.language.extra.cuda.utils: globaltimer smid
triton.language.extra.hip: libdevice memrealtime
triton.language.extra.hip.libdevice: tanh
triton.language.extra.libdevice: tanh exp2 fast_expf isnan finitef
triton.language.math: exp exp2 log log2 rsqrt
triton.language.random: philox rand randn
triton.language.semantic: TritonSemantic
triton.language.standard: _log2 softmax zeros_like
triton.runtime: Autotuner Config Heuristics InterpreterError JITFunction OutOfResources autotune driver heuristics
triton.runtime._allocation: Allocator Buffer NullAllocator _allocator set_profile_allocator
triton.runtime._async_compile: AsyncCompileMode active_mode
triton.runtime.autotuner: Autotuner Config JITFunction OutOfResources autotune get_cache_manager triton_key
triton.runtime.cache: CacheManager FileCacheManager RedisRemoteCacheBackend RemoteCacheBackend RemoteCacheManager
  default_cache_dir default_dump_dir default_override_dir get_cache_manager
triton.runtime.driver: driver DriverBase
triton.runtime.errors: InterpreterError OutOfResources PTXASError
triton.runtime.interpreter: InterpretedFunction _MISSING
triton.runtime.jit: JITFunction KernelInterface constexpr_function find_paths_if get_iterable_path mangle_type reinterpret
triton.testing: assert_close Benchmark do_bench do_bench_cudagraph get_dram_gbps get_max_tensorcore_tflops nvsmi perf_report
triton.tools.disasm: extract get_sass
triton.tools.mxfp: MXFP4Tensor MXScaleTensor
triton.tools.ragged_tma: create_ragged_descriptor load_ragged store_ragged to_ragged_indices
triton.tools.tensor_descriptor: TensorDescriptor
"""

PROGRAM = """
import importlib, sys
from neso import _alias
_alias.install()
for line in sys.stdin.read().replace("\\n  ", " ").split("\\n"):
    module, _, names = line.partition(":")
    if not module: continue
    loaded = importlib.import_module(module)
    for name in names.split():
        if not hasattr(loaded, name): print(module, name)
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language import extra

@gluon.jit(do_not_specialize=["n"])
def kernel(p, n, L: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])):
    gl.store(p, n)

try:
    kernel[(1,)](None, 1)
except NotImplementedError as error:
    print(error)
"""


class Names(unittest.TestCase):

    def test_every_name_is_there(self):
        done = subprocess.run([sys.executable, "-c", PROGRAM], input=NAMES.strip(), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout, "kernel is a Gluon kernel: neso has no Gluon, only the tile language\n")

    def test_what_cannot_be_done_says_so(self):
        from neso.language.semantic import TritonSemantic
        from neso.tools.disasm import get_sass
        with self.assertRaisesRegex(NotImplementedError, "neso "):
            TritonSemantic(None)
        with self.assertRaisesRegex(TypeError, "bytes of a cubin"):
            get_sass("text")

    def test_types_by_their_names(self):
        self.assertEqual(tl.str_to_ty("*fp32", None), tl.pointer_type(tl.float32))
        self.assertEqual(tl.str_to_ty("*kbf16"), tl.pointer_type(tl.bfloat16, const=True))
        self.assertEqual(tl.str_to_ty("i64"), tl.int64)
        self.assertEqual(tl.str_to_ty("u1"), tl.int1)
        self.assertEqual(tl.str_to_ty(("i32", "*u8")).types, [tl.int32, tl.pointer_type(tl.uint8)])
        self.assertEqual(tl.str_to_ty("constexpr", 3).value, 3)
        described = tl.str_to_ty("tensordesc<fp16[64, 32]>")
        self.assertIsInstance(described, tl.tensor_descriptor_type)
        self.assertEqual(described.block_type, tl.block_type(tl.float16, [64, 32]))
        with self.assertRaisesRegex(ValueError, "no type 'f99'"):
            tl.str_to_ty("f99")

    def test_compiling_on_an_executor(self):

        @triton.jit
        def kernel(x_ptr, n):
            tl.store(x_ptr, n)

        with ThreadPoolExecutor(2) as pool, triton.AsyncCompileMode(pool):
            made = [kernel.warmup(t, 3, grid=(1, )) for t in (np.zeros(1, np.float32), np.zeros(1, np.int32))]
        self.assertIn("f32", made[0].asm["ttir"])
        self.assertNotIn("f32", made[1].result().asm["ttir"])
        made[1][(1, )](x := np.zeros(1, np.int32), 7)
        self.assertEqual(x[0], 7)


class RemoteFolder(triton.runtime.RemoteCacheBackend):
    kept = {}

    def __init__(self, key):
        self.key = key

    def get(self, filenames):
        return {f: self.kept[self.key, f] for f in filenames if (self.key, f) in self.kept}

    def put(self, filename, data):
        self.kept[self.key, filename] = data


class Remote(unittest.TestCase):

    def test_files_come_from_the_backend(self):
        import tempfile

        from neso.runtime.cache import RemoteCacheManager
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there, triton.knobs.cache.scope():
            triton.knobs.cache.remote_manager_class = RemoteFolder
            triton.knobs.cache.dir = here
            path = RemoteCacheManager("k").put(b"text", "a.txt")
            RemoteCacheManager("k").put_group("g", {"a.txt": path})
            triton.knobs.cache.dir = there
            other = RemoteCacheManager("k")
            self.assertIsNone(other.get_file("b.txt"))
            found = other.get_group("g")["a.txt"]
            self.assertTrue(found.startswith(there))
            with open(found, "rb") as file:
                self.assertEqual(file.read(), b"text")


@triton.jit
def ragged_kernel(x_desc, o_desc, begin, size, ROWS: tl.constexpr, ADD: tl.constexpr):
    at = tl.program_id(0) * ROWS
    tile = load_ragged(x_desc, begin, size, [at, 0])
    if ADD:
        atomic_add_ragged(o_desc, begin, size, [at, 0], tile)
    else:
        store_ragged(o_desc, begin, size, [at, 0], tile + 1)


class Ragged(unittest.TestCase):

    def test_pieces_end_where_they_end(self):
        x = np.arange(40 * 8, dtype=np.float32).reshape(40, 8)
        for add in (False, True):
            o = np.zeros_like(x)
            for begin, size in ((0, 5), (5, 19), (24, 0), (24, 16)):
                if (begin, size) == (5, 19):
                    continue
                ragged_kernel[(2, )](create_ragged_descriptor(x, [16, 8]), create_ragged_descriptor(o, [16, 8]), begin, size, 16,
                                     add)
            want = x + (not add)
            want[5:24] = 0
            np.testing.assert_array_equal(o, want)


class Everything:
    """What stands in for a module that could not be imported: it has every attribute."""

    def __getattr__(self, name):
        return Everything()


missing = Everything()


@triton.jit
def asks_what_is_missing(out):
    tl.store(out, missing)


class Missing(unittest.TestCase):

    def test_every_attribute(self):
        """Its function's function has a function, and so on: found out, and said."""
        with self.assertRaises(Exception) as caught:
            triton.compile(triton.compiler.ASTSource(asks_what_is_missing, {"out": "*i32"}), target=triton.backends.compiler.GPUTarget("cuda", 90, 32))
        self.assertIn("missing", str(caught.exception))


class Microscaling(unittest.TestCase):

    def setUp(self):
        try:
            import torch  # noqa: F401
        except ImportError:
            self.skipTest("torch is not installed")

    def test_fp4(self):
        import torch

        from neso.tools.mxfp import MXFP4Tensor
        given = [0.0, -0.0, 0.25, 0.75, 1.25, -1.75, 2.5, 3.5, 5.0, 7.0, -100.0, 0.26, math.inf]
        want = [0.0, -0.0, 0.0, 1.0, 1.0, -2.0, 2.0, 4.0, 4.0, 6.0, -6.0, 0.5, 6.0]
        numbers = MXFP4Tensor(data=torch.tensor(given))
        self.assertEqual(numbers.to(torch.float32).tolist(), want)
        self.assertEqual(numbers.data[1], 8)
        packed = numbers.to_packed_tensor(0)
        self.assertEqual(packed.tolist(), [0x80, 0x20, 0xc2, 0x64, 0x76, 0x1f, 0x07])
        self.assertEqual(numbers.unpack_packed_tensor(packed, 0, [13]).tolist(), numbers.data.tolist())

    def test_scales(self):
        import torch

        from neso.tools.mxfp import MXScaleTensor
        scales = MXScaleTensor(data=torch.tensor([1.0, 2.0, 3.9, 0.5, 0.0, -1.0, math.inf]))
        self.assertEqual(scales.data.tolist(), [127, 128, 128, 126, 255, 255, 255])
        self.assertEqual(scales.to(torch.float32)[:4].tolist(), [1.0, 2.0, 2.0, 0.5])
        filled = MXScaleTensor(size=(100, )).random(low=1 / 4, high=2.0)
        self.assertTrue(125 <= filled.data.min() and filled.data.max() <= 128)


if __name__ == "__main__":
    unittest.main()
