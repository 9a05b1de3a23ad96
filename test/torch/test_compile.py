"""torch.compile on the CPU, with Inductor's kernels in the tile language: programs of each kind against what torch gives without compiling."""

import importlib.util
import os
import sys
import unittest

import torch
import torch._inductor.config as inductor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernels  # noqa: E402
import programs  # noqa: E402
import triton  # noqa: E402

inductor.cpu_backend = "triton"
inductor.compile_threads = 1


def flat(values):
    return list(values) if isinstance(values, (tuple, list)) else [values]


def written(kernel, arguments):
    from torch._higher_order_ops import triton_kernel_wrap as wrap
    if hasattr(wrap, "identify_mutated_tensors"):
        return wrap.identify_mutated_tensors(kernel, arguments, {})
    return [access.name for access in wrap.identify_accessed_tensors(kernel, arguments, {}).read_writes.writes]  # torch 2.15


class Compile(unittest.TestCase):

    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)
        self.assertTrue(triton.__neso__)

    def check(self, name, run, arguments, keywords):
        compiled = getattr(run, "compiled", None) or torch.compile(run, **keywords)
        for got, wanted in zip(flat(compiled(*arguments)), flat(run(*arguments)), strict=True):
            bound = 1e-4 if got.dtype == torch.float32 else 2e-2
            torch.testing.assert_close(got, wanted, rtol=bound, atol=bound, equal_nan=True, msg=lambda text: f"{name}: {text}")
        return compiled

    def test_kernels_of_users(self):
        x, y = torch.randn(1000), torch.randn(1000)
        for run, arguments in ((kernels.add, (x, y)), (kernels.scale, (x, )), (kernels.negate, (x, )), (kernels.loop, (x, )),
                               (kernels.count, (x, )), (kernels.operator, (x, ))):
            with self.subTest(run.__name__):
                torch._dynamo.reset()
                self.check(run.__name__, run, arguments, {"fullgraph": True})

    def test_what_kernels_write(self):
        x, y, z = torch.randn(8), torch.randn(8), torch.randn(8)
        for kernel, arguments, wanted in (
            (kernels.add_kernel, {"x": x, "y": y, "out": z, "n": 8, "BLOCK": 8}, ["out"]),
            (kernels.scale_kernel, {"x": x, "out": y, "n": 8, "factor": 2.0}, ["out"]),
            (kernels.loop_kernel, {"x": x, "out": y, "n": 8, "BLOCK": 4}, ["out"]),
            (kernels.count_kernel, {"x": x, "counts": y, "n": 8, "BLOCK": 8}, ["counts"])):
            with self.assertNoLogs("torch._higher_order_ops.triton_kernel_wrap", "WARNING"):
                self.assertEqual(written(kernel, arguments), wanted)

    def test_dynamic_shapes_are_compiled_once(self):
        def run(x):
            return (x * 2).sum(0) + x.shape[0]
        compiled = torch.compile(run, dynamic=True)
        for size in (40, 41, 64, 1000):
            torch._dynamo.config.error_on_recompile = size > 40
            x = torch.randn(size, 3)
            torch.testing.assert_close(compiled(x), run(x), rtol=1e-4, atol=1e-4)
        torch._dynamo.config.error_on_recompile = False

    def test_workers(self):
        """Kernels are compiled by other processes, and come from there."""
        from torch._inductor.async_compile import AsyncCompile

        def run(x, y):
            return torch.relu(x * 2 + y).sin().sum(-1), torch.softmax(x, -1) * 3
        with inductor.patch(compile_threads=2, force_disable_caches=True):
            AsyncCompile.process_pool.cache_clear()
            AsyncCompile.process_pool()
            AsyncCompile.wait_pool_ready()
            self.assertTrue(AsyncCompile.use_process_pool())
            self.check("workers", run, (torch.randn(100, 64), torch.randn(100, 64)), {})

    def test_the_cache_of_graphs(self):
        """A graph that was compiled is taken from torch's cache, kernels and all."""
        from torch._dynamo.utils import counters

        def run(x):
            return (x + 7).tan().sum(0)
        x = torch.randn(50, 6)
        counters.clear()
        for hits in (0, 1):
            torch._dynamo.reset()
            with inductor.patch(fx_graph_cache=True):
                self.check("cached", run, (x, ), {})
        self.assertEqual(counters["inductor"]["fxgraph_cache_hit"], 1)

    def test_what_was_compiled_elsewhere(self):
        """Graphs, kernels and the autotuner's choices, from one machine's folder into another's."""
        from torch._dynamo.utils import counters
        from torch._inductor.utils import fresh_cache

        def run(x):
            return (x + 3).cos().sum(0)
        x = torch.randn(30, 20)
        with fresh_cache():
            self.check("made", run, (x, ), {})
            artifacts, _ = torch.compiler.save_cache_artifacts()
        torch._dynamo.reset()
        with fresh_cache():
            torch.compiler.load_cache_artifacts(artifacts)
            counters.clear()
            self.check("taken", run, (x, ), {})
        self.assertEqual(counters["inductor"]["fxgraph_cache_hit"], 1)

    def test_ways_of_writing_kernels(self):
        """Settings of Inductor that give other kernels for the same program, or choose among them."""
        def run(x, y):
            return torch.softmax(x, 1), x.sum(0), (x + 1).t().contiguous(), y * 2, x.sum(), x.cumsum(1)
        given = torch.randn(64, 48), torch.randn(7)
        for settings in ({"coordinate_descent_tuning": True}, {"max_autotune_pointwise": True},
                         {"triton.force_cooperative_reductions": True}, {"triton.multi_kernel": 1},
                         {"triton.persistent_reductions": False}, {"combo_kernels": True}, {"triton.use_block_ptr": True},
                         {"triton.use_tensor_descriptor": True, "assume_aligned_inputs": True},
                         {"triton.prefer_nd_tiling": True, "triton.tile_reductions": True}):
            if "combo_kernels" in settings and torch.__version__.startswith("2.9."):
                continue  # torch leaves the function of a scan out of the kernel's module
            with self.subTest(**settings), inductor.patch(settings), inductor.patch(force_disable_caches=True):
                torch._dynamo.reset()
                self.check("ways", run, given, {})

    def test_a_check_of_indices(self):
        """An index that is out of range is Inductor's assertion, at its line."""
        import neso
        x, at = torch.randn(20), torch.tensor([3, 40])
        with inductor.patch(assert_indirect_indexing=True), \
                self.assertRaisesRegex(neso.runtime.errors.DeviceAssertError, "index out of bounds: 0 <= tmp.* < 20"):
            torch.compile(lambda x, at: x[at] + 1)(x, at)


def _test_of(name, make):
    def test(self):
        self.check(name, *make("cpu"))
    return test


for _name, _make in programs.PROGRAMS.items():
    setattr(Compile, f"test_{_name}", _test_of(_name, _make))

if __name__ == "__main__":
    unittest.main()
