"""Warps with roles against all warps doing the same: products and attention on one GPU in one run, the same kernels.

    python3 bench/gpu/roles.py [--only WORD,...] [--repetitions 20] [--out results.json]

A row is a kernel of test/gpu/roles.py, a type and a size; each way takes the better of the row's tiles. Results are compared with
torch's, the L2 cache is flushed before each call, both ways and torch take turns. Behind each row: the model's cycles of an iteration
(`--why`), and those that the GPU took (at the clock that it is said to have), for the tile with roles.
"""
import argparse
import importlib.util
import itertools
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import torch

from run import DEVICE, Timer, cdiv

import neso

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp8": torch.float8_e4m3fn, "tf32": torch.float32}
# BM, BN, BK in 16-bit elements, stages, warps
TILES = [(128, 128, 64, 3, 4), (128, 128, 64, 4, 8), (128, 256, 64, 3, 8), (128, 256, 64, 4, 8), (256, 128, 64, 3, 8), (256, 128, 64, 4, 8)]
ATTENTION_TILES = [(128, 64, 2, 8), (128, 128, 2, 8), (128, 64, 3, 8), (64, 64, 3, 4)]


def load_kernels():
    path = os.path.join(HERE, "..", "..", "test", "gpu", "roles.py")
    sys.modules.setdefault("triton", neso)
    sys.modules.setdefault("triton.language", neso.language)
    spec = importlib.util.spec_from_file_location("roles_kernels", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def made(shape, dtype):
    return (torch.randn(shape, device="cuda") / 4).to(dtype)


class Product:

    def __init__(self, kernels, kind, name, m, n, k):
        self.name, self.flops = f"{kind} {name} {m}x{n}x{k}", 2 * m * n * k
        self.kind, self.kernel, self.size, self.type = kind, getattr(kernels, kind), (m, n, k), TYPES[name]
        self.along_k = name in ("fp8", "tf32")
        self.a, self.b = made((m, k), self.type), made((n, k) if self.along_k else (k, n), self.type)
        self.c = torch.empty((m, n), device="cuda", dtype=torch.float16)
        narrow = self.type.itemsize
        self.tiles = [(bm, bn, bk * 2 // narrow, stages, warps) for bm, bn, bk, stages, warps in TILES]

    def call(self, tile, roles, warmup=False):
        m, n, k = self.size
        bm, bn, bk, stages, warps = tile
        grid = (min(cdiv(m, bm) * cdiv(n, bn), torch.cuda.get_device_properties(0).multi_processor_count), ) if self.kind == "persistent" \
            else (cdiv(m, bm), cdiv(n, bn))
        more = (self.along_k, ) if self.kind == "product" else ()
        args = (self.a, self.b, self.c, m, n, k, bm, bn, bk) + more + (roles, stages)
        if warmup:
            return self.kernel.warmup(*args, grid=grid, num_warps=warps)
        return self.kernel[grid](*args, num_warps=warps)

    def torch(self):
        b = self.b.T if self.along_k else self.b
        if self.type == torch.float8_e4m3fn:
            one = torch.ones((), device="cuda")
            return torch._scaled_mm(self.a, b, one, one, out_dtype=torch.float16, use_fast_accum=True)
        return self.a @ b

    def right(self):
        exact = self.a.float() @ (self.b.T if self.along_k else self.b).float()
        # of fp8 products wgmma keeps fewer bits of a sum
        return ((self.c.float() - exact).abs().max() / exact.abs().max()).item() < (2e-2 if self.type == torch.float8_e4m3fn else 5e-3)

    def iterations(self, tile):
        m, n, k = self.size
        return cdiv(m, tile[0]) * cdiv(n, tile[1]) * cdiv(k, tile[2])


class Attention:

    def __init__(self, kernels, n, d):
        self.name, self.flops = f"attention one head {n}x{d}", 4 * n * n * d
        self.kernel, self.n, self.d, self.tiles = kernels.attention, n, d, ATTENTION_TILES
        self.q, self.k, self.v = (made((n, d), torch.float16) for _ in range(3))
        self.c = torch.empty((n, d), device="cuda", dtype=torch.float16)

    def call(self, tile, roles, warmup=False):
        bm, bn, stages, warps = tile
        args = (self.q, self.k, self.v, self.c, self.n, 1.4426950408889634 / self.d**0.5, bm, bn, self.d, roles, stages)
        if warmup:
            return self.kernel.warmup(*args, grid=(self.n // bm, ), num_warps=warps)
        return self.kernel[(self.n // bm, )](*args, num_warps=warps)

    def torch(self):
        return torch.nn.functional.scaled_dot_product_attention(self.q[None, None], self.k[None, None], self.v[None, None])[0, 0]

    def right(self):
        exact = self.torch().float()
        return (self.c.float() - exact).abs().max().item() < 1e-2

    def iterations(self, tile):
        return self.n // tile[0] * (self.n // tile[1])


def rows(kernels):
    for name in ("fp16", "bf16", "fp8"):
        for size in (2048, 4096, 8192):
            yield lambda name=name, size=size: Product(kernels, "product", name, size, size, size)
    for k in (512, 1024, 16384):
        yield lambda k=k: Product(kernels, "product", "fp16", 4096, 4096, k)
        yield lambda k=k: Product(kernels, "persistent", "fp16", 4096, 4096, k)
    for size in (2048, 4096, 8192):
        yield lambda size=size: Product(kernels, "persistent", "fp16", size, size, size)
        yield lambda size=size: Product(kernels, "pointers", "fp16", size, size, size)
    yield lambda: Product(kernels, "product", "tf32", 4096, 4096, 4096)
    for n, d in ((16384, 64), (16384, 128)):
        yield lambda n=n, d=d: Attention(kernels, n, d)


def figures(compiled):
    """Of the remark `loop specialised`: the model's cycles and CTAs on an SM; none where the loop has no roles."""
    for remark in compiled.remarks:
        if remark.rule == "specialised":
            return dict(remark.figures)
    return {}


def compile_all(problem):
    """Side by side; a tile that does not fit is told when it is measured."""

    def one(way):
        try:
            problem.call(*way, warmup=True)
        except Exception:
            pass

    with ThreadPoolExecutor() as pool:
        list(pool.map(one, itertools.product(problem.tiles, (False, True))))


def measure(problem, timer, repetitions):
    compile_all(problem)
    best = {}
    for roles in (False, True):
        for tile in problem.tiles:
            try:
                compiled = problem.call(tile, roles, warmup=True)
                problem.c.zero_()
                problem.call(tile, roles)
            except Exception as error:  # a tile that does not fit is none of the row's
                print(f"  {tile}, {'roles' if roles else 'plain'}: {str(error).splitlines()[0]}", file=sys.stderr)
                continue
            if not problem.right():
                raise SystemExit(f"{problem.name}, {tile}, {'roles' if roles else 'plain'}: wrong")
            took = timer.turns({0: lambda: problem.call(tile, roles)}, 5)[0]
            if roles not in best or took < best[roles][0]:
                best[roles] = (took, tile, figures(compiled))
    ways = {roles: (lambda tile=b[1], roles=roles: problem.call(tile, roles)) for roles, b in best.items()}
    ways["torch"] = problem.torch
    return best, timer.turns(ways, repetitions)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--out")
    options = parser.parse_args()
    kernels, timer = load_kernels(), Timer()
    words = [word for word in options.only.split(",") if word]
    clock, sms = torch.cuda.get_device_properties(0).clock_rate * 1e3, torch.cuda.get_device_properties(0).multi_processor_count
    results = []
    print(f"{DEVICE}\n| | plain | roles | torch | tile plain | tile roles | cycles: model, taken |\n|---|---:|---:|---:|---|---|---|")
    for make in rows(kernels):
        problem = make()
        if words and not any(word in problem.name for word in words):
            continue
        best, seconds = measure(problem, timer, options.repetitions)
        rate = {way: problem.flops / s / 1e12 for way, s in seconds.items()}
        tile, model = best[True][1], best[True][2]
        taken = seconds[True] * clock * sms * model.get("ctas", 1) / problem.iterations(tile)
        print(f"| {problem.name} | {rate[False]:.0f} | {rate[True]:.0f} | {rate['torch']:.0f} | {best[False][1]} | {tile} | "
              f"{model.get('cycles', '-')}, {taken:.0f} |", flush=True)
        results.append({"name": problem.name, "rate": {str(k): v for k, v in rate.items()}, "tiles": [best[False][1], tile], "model": model})
        del problem
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
