"""Inductor's code for an H200 where there is none: its kernels are written for a device that only says what it is, and compiled for sm_90a. Nothing
is launched; what torch's static launcher takes of a compiled kernel is taken."""

import os
import sys
import types
import unittest

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
        cls.found = []

        def precompile(tuner, *given, **words):
            tuner._precompile_worker()
            cls.found += [(tuner.fn.__name__, result) for result in tuner.compile_results]
        heuristics.CachingAutotuner.precompile = precompile
        inductor.compile_threads = 1
        inductor.force_disable_caches = True

    def compiled(self, run, arguments):
        from torch._inductor.compile_fx import compile_fx_inner
        from torch._inductor.decomposition import select_decomp_table
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.fx.experimental.proxy_tensor import make_fx
        self.found.clear()

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


if __name__ == "__main__":
    unittest.main()
