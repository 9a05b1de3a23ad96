"""Vector addition: neso against NumPy (and torch, where it is there), from 4 K to 128 K elements.

    python examples/python/vector_add.py [FOLDER for table and plot]"""

import sys

import numpy as np

import neso as triton
import neso.language as tl

try:
    import torch
except ImportError:
    torch = None


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=mask) + tl.load(y_ptr + at, mask=mask), mask=mask)


def add(x, y):
    out = np.empty_like(x) if isinstance(x, np.ndarray) else torch.empty_like(x)
    n = x.size if isinstance(x, np.ndarray) else x.numel()
    add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]), )](x, y, out, n, BLOCK=1024)
    return out


providers = ["neso", "numpy"] + (["torch"] if torch else [])


@triton.testing.perf_report(
    triton.testing.Benchmark(x_names=["size"], x_vals=[2**i for i in range(12, 18)], x_log=True, line_arg="provider",
                             line_vals=providers, line_names=providers, ylabel="GB/s", plot_name="vector-add", args={}))
def benchmark(size, provider):
    x, y = (np.random.rand(size).astype(np.float32) for _ in range(2))
    if provider == "torch":
        x, y = torch.from_numpy(x), torch.from_numpy(y)
    run = {"neso": lambda: add(x, y), "numpy": lambda: x + y, "torch": lambda: x + y}[provider]
    ms, low, high = triton.testing.do_bench(run, warmup=5, rep=20, quantiles=[0.5, 0.2, 0.8])
    return tuple(3 * size * 4 / t * 1e-6 for t in (ms, high, low))


if __name__ == "__main__":
    x, y = (np.random.rand(98432).astype(np.float32) for _ in range(2))
    np.testing.assert_array_equal(add(x, y), x + y)
    if torch:
        a, b = torch.from_numpy(x), torch.from_numpy(y)
        assert torch.equal(add(a, b), a + b)
    benchmark.run(print_data=True, save_path=sys.argv[1] if len(sys.argv) > 1 else "")
