"""Inductor's code for an H200 where there is none: its kernels are written for a device that only says what it is, and compiled for sm_90a. Nothing
is launched on a GPU; what torch's static launcher takes of a compiled kernel is taken, and templates run in the simulator."""

import os
import re
import sys
import types
import unittest
from unittest import mock

import torch
import torch._inductor.config as inductor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs  # noqa: E402
from neso import _native  # noqa: E402
from triton.backends import backends  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402

H200 = types.SimpleNamespace(
    name="NVIDIA H200", major=9, minor=0, total_memory=150_000_000_000, multi_processor_count=132, regs_per_multiprocessor=65536,
    max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32, shared_memory_per_block=49152,
    shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472, L2_cache_size=60 << 20, gcnArchName="")


def pretend():
    """torch believes that there is a GPU, as long as it does not ask it to do anything."""
    import torch._dynamo.device_interface as interface
    import torch._subclasses.fake_tensor as fake
    cuda, state = torch.cuda, torch.zeros(16, dtype=torch.uint8)
    for name, value in {"is_available": True, "device_count": 1, "current_device": 0, "get_device_properties": H200,
                        "get_device_capability": (9, 0), "get_device_name": H200.name, "_lazy_init": None, "synchronize": None,
                        "is_initialized": True, "get_rng_state": state, "set_rng_state": None, "_exchange_device": 0,
                        "_maybe_exchange_device": 0}.items():
        setattr(cuda, name, lambda *given, value=value, **words: value)
    torch._C._cuda_getCurrentRawStream = lambda index: 0
    fake.init_gpu_context = lambda *given: None
    for place in (interface.CudaInterface, interface.CudaInterface.Worker):
        for name, value in {"is_available": True, "get_device_properties": H200, "current_device": 0, "get_compute_capability": 90}.items():
            setattr(place, name, staticmethod(lambda *given, value=value: value))
    driver = backends["nvidia"].driver
    driver.is_active = classmethod(lambda cls: True)
    driver.get_current_target = lambda self: GPUTarget("cuda", 90, 32)


@unittest.skipUnless(torch.version.cuda, "torch was built without CUDA")
@unittest.skipIf((_native.info("ptxas") or "none").startswith("none"), "there is no ptxas")
class GpuCode(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        import torch._inductor.runtime.triton_heuristics as heuristics
        pretend()
        cls.found, cls.tuners = [], []

        def precompile(tuner, *given, **words):
            tuner._precompile_worker()
            cls.found += [(tuner.fn.__name__, result) for result in tuner.compile_results]
            cls.tuners.append(tuner)
        heuristics.CachingAutotuner.precompile = precompile
        inductor.compile_threads = 1
        inductor.force_disable_caches = True

    def compiled(self, run, arguments):
        from torch._inductor.compile_fx import compile_fx_inner
        from torch._inductor.decomposition import select_decomp_table
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.fx.experimental.proxy_tensor import make_fx
        self.found.clear()
        self.tuners.clear()

        def whole(*given):
            made = run(*given)
            return tuple(made) if isinstance(made, (tuple, list)) else (made, )
        with FakeTensorMode():
            fake = [torch.empty_strided(a.shape, a.stride(), dtype=a.dtype, device="cuda") for a in arguments]
            graph = make_fx(whole, tracing_mode="fake", decomposition_table=select_decomp_table())(*fake)
            graph.graph.set_codegen(torch.fx.graph.CodeGen())
            compile_fx_inner(graph, fake)
        return list(self.found)

    def test_kernels(self):
        for name in ("pointwise", "integers", "reductions", "long_reduction", "softmax", "layer_norm", "scan", "sort", "half_types"):
            with self.subTest(name):
                found = self.compiled(*programs.PROGRAMS[name]("cpu")[:2])
                self.assertTrue(found)
                for kernel, result in found:
                    self.assertEqual(type(result).__name__, "StaticTritonCompileResult", kernel)
                    static = result.kernel
                    self.assertEqual((static.name, static.cubin_raw[:4]), (kernel, b"\x7fELF"))
                    self.assertEqual((static.has_global_scratch, static.has_profile_scratch), (True, True))
                    self.assertTrue(os.path.exists(static.cubin_path))
                    self.assertEqual(static.arg_tys.strip("OilfId"), "")

    def simulated(self, grid, **given):
        """Runs the one kernel that was compiled in the simulator, as it was configured; `grid` takes its tile's rows and columns."""
        (tuner, ) = self.tuners
        config = tuner.compile_results[0].config
        tile = (int(re.search(rf"BLOCK_{side} *: *tl.constexpr = (\d+)", tuner.fn.src)[1]) for side in "MN")
        tuner.fn[grid(*tile)](*(given[name] for name in tuner.fn.arg_names), num_warps=config.num_warps,
                             num_stages=config.num_stages, neso_target="sim:sm_90a", neso_check=True)

    def test_flex_attention(self):
        """With a mask of blocks and a score that is changed, beside the same by torch."""
        from torch.nn.attention.flex_attention import create_block_mask
        module = sys.modules["torch._higher_order_ops.flex_attention"]
        module._permute_strides = lambda out, strides: out  # it copies, for which torch asks the driver

        def causal(b, h, i, j):
            return i >= j

        def score(s, b, h, i, j):
            return s + (i - j) * 0.01
        q, k, v = torch.randn(3, 1, 2, 256, 64, generator=torch.Generator().manual_seed(1)).half()
        mask = create_block_mask(causal, None, None, 256, 256, device="cpu").as_tuple()
        blocks = [m for m in mask if isinstance(m, torch.Tensor)]

        def run(q, k, v, *blocks):
            blocks = iter(blocks)
            whole = tuple(next(blocks) if isinstance(m, torch.Tensor) else m for m in mask)
            options = {"PRESCALE_QK": False, "ROWS_GUARANTEED_SAFE": False, "BLOCKS_ARE_CONTIGUOUS": False, "WRITE_DQ": True,
                       "OUTPUT_LOGSUMEXP": True, "OUTPUT_MAX": False}
            return module.flex_attention(q, k, v, score, whole, 0.125, options, (), ())[0]
        self.compiled(run, (q, k, v, *blocks))
        i, j = torch.arange(256)[:, None], torch.arange(256)[None, :]
        scores = (q.float() @ k.float().transpose(-1, -2) * 0.125 + (i - j) * 0.01).masked_fill(i < j, float("-inf"))
        out, sums, most = torch.zeros_like(q), torch.zeros(1, 2, 256), torch.zeros(1, 2, 256)
        self.simulated(lambda rows, columns: (256 // rows, 1, 2), arg_Q=q, arg_K=k, arg_V=v, arg_LSE=sums, arg_MAX=most, out_ptr0=out,
                       **dict(zip(("arg_KV_NUM_BLKS", "arg_KV_IDX", "arg_FULL_KV_NUM_BLKS", "arg_FULL_KV_IDX"), blocks)))
        torch.testing.assert_close(out.float(), scores.softmax(-1) @ v.float(), rtol=1e-2, atol=1e-2)

    def test_products(self):
        """Templates of max-autotune, one configuration of each; nothing is timed."""
        import torch._inductor.select_algorithm as select
        x = torch.randn(128, 64, generator=torch.Generator().manual_seed(2)).half()
        y = torch.randn(64, 128, generator=torch.Generator().manual_seed(3)).half()
        strided = torch.empty_strided

        def on_some_device(*given, **words):
            """torch 2.10 and older make room for descriptors where the kernel would be timed."""
            try:
                return strided(*given, **words)
            except RuntimeError as error:
                if "no NVIDIA driver" not in str(error):
                    raise
                return strided(*given, **{**words, "device": "cpu"})
        for name in ("triton_mm", "triton_mm_persistent_tma"):
            def first(cache, name, inputs, layout, *given, choices=None, **words):
                choices = choices or next(g for g in given if isinstance(g, list))
                return {c: float(i) for i, c in enumerate(choices)}
            settings = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "TRITON",
                        "test_configs.autotune_choice_name_regex": rf"^{name}_\d+$", "test_configs.max_mm_configs": 1,
                        "triton.enable_persistent_tma_matmul": "tma" in name}
            with self.subTest(name), inductor.patch(settings), mock.patch.object(torch, "empty_strided", on_some_device), \
                    mock.patch.object(select.AlgorithmSelectorCache, "do_autotuning", first):
                self.compiled(lambda x, y: torch.relu(x @ y), (x, y))
                out, descriptors = torch.zeros(128, 128).half(), torch.zeros(1 << 16, dtype=torch.uint8)
                self.simulated(lambda rows, columns: (128 // rows * 128 // columns, ), arg_A=x, arg_B=y, out_ptr1=out,
                               ws_ptr=descriptors)
                torch.testing.assert_close(out.float(), torch.relu(x.float() @ y.float()), rtol=1e-2, atol=1e-2)
                self.assertEqual("make_tensor_descriptor" in self.tuners[0].fn.src, "tma" in name)


if __name__ == "__main__":
    unittest.main()
