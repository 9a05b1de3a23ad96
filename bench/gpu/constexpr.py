"""What a new value of a constexpr costs: ragged_mask with a thousand values of MAXLEN.

    python3 bench/gpu/constexpr.py [--upstream] [--values 1000]

Neso under both policies (docs/variants.md), with --upstream also Triton, which compiles for each value: for those
20 values are taken. Prints, and as JSON on the last line: compilations, microseconds a call. On a machine without a GPU
the interpreter runs, with arrays of NumPy.
"""
import argparse
import importlib.util
import json
import os
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def kernels_for(package):
    """kernels.py as that package's, as run.py loads them."""
    os.environ["TILE_IMPL"] = package
    spec = importlib.util.spec_from_file_location(f"kernels_{package}", os.path.join(HERE, "kernels.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def arrays(rows, columns):
    try:
        import torch
        if torch.cuda.is_available():
            return (torch.zeros((rows, columns), dtype=torch.int8, device="cuda"),
                    torch.arange(rows, dtype=torch.int32, device="cuda") * 7, torch.cuda.synchronize)
    except ImportError:
        pass
    return np.zeros((rows, columns), np.int8), np.arange(rows, dtype=np.int32) * 7, lambda: None


def measure(kernel, values, count, **options):
    """(compilations, microseconds of a call): each value once, the first apart."""
    rows, columns, block = 64, 2048, 1024
    out, lens, wait = arrays(rows, columns)
    made = set()
    made.add(id(kernel[(rows, )](out, lens, columns, values[0], block, **options)))
    wait()
    began = time.perf_counter()
    kept = [kernel[(rows, )](out, lens, columns, v, block, **options) for v in values[1:]]
    wait()
    elapsed = time.perf_counter() - began
    made.update(id(k) for k in kept)
    return len(made) if count else None, elapsed / (len(values) - 1) * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upstream", action="store_true")
    parser.add_argument("--values", type=int, default=1000)
    options = parser.parse_args()
    many = list(range(1001, 1001 + options.values))
    kernel = kernels_for("neso").ragged_mask
    rows = {"neso, generic": measure(kernel, many, True, constexpr_policy="generic"),
            "neso, generic again": measure(kernel, many, True, constexpr_policy="generic"),
            "neso, eager": measure(kernel, many[:20], True, constexpr_policy="eager")}
    if options.upstream:
        rows["triton"] = measure(kernels_for("triton").ragged_mask, many[:20], False)
    for name, (made, us) in rows.items():
        print(f"{name:22} {made if made is not None else '-':>6} compiled {us:12.2f} us a call")
    print(json.dumps({name: {"compiled": made, "us": us} for name, (made, us) in rows.items()}))


if __name__ == "__main__":
    main()
