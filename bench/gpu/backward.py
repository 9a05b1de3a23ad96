"""Attention's backward on one GPU in one run: Neso, Triton where it can be imported, cuDNN by torch; the kernels of backward_kernels.py.

    python3 bench/gpu/backward.py [--out results.json] [--only WORD,...] [--impl neso,triton] [--repetitions 15] [--threads 8]

A row is a head size, causal or not, and a length. Every implementation compiles each way (one kernel for all three gradients, a loop
that adds to dQ, two kernels) in all its configurations; what gives the gradients that torch computes in fp32 is timed a few times, then the
best of each way and cuDNN take turns, with the L2 cache flushed before each call. A call is all that one backward takes:
sums of o * do, K times its scale where a kernel wants it, zeros and the cast of dQ where programs add to it. Rates count five
products, whatever a way computes twice.
"""
import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import torch

from run import DEVICE, Timer, geometric, launch, load_kernels

LOG2_E = 1.4426950408889634
# BM1 = BN2, BN1 = BM2, warps, stages: the first is what Triton's tutorial takes.
SPLIT = [(32, 128, 4, 5), (32, 128, 8, 3), (32, 128, 8, 5), (64, 128, 8, 2), (64, 128, 8, 3), (32, 64, 4, 3), (64, 64, 4, 2)]
# BM, BN, warps, stages
ADDING = [(64, 64, 4, 2), (64, 64, 8, 2), (64, 128, 8, 1), (64, 128, 8, 2), (64, 128, 8, 3), (128, 64, 8, 2), (128, 128, 8, 2)]
KEYS = [(64, 64, 4, 2), (64, 64, 4, 3), (64, 128, 8, 2), (64, 128, 8, 3), (128, 128, 8, 2), (32, 128, 8, 3)]
# Of the kernel for dQ beside each of KEYS.
ROWS = {4: (64, 64, 4, 3), 8: (128, 64, 8, 3)}


class Problem:
    """What one row reads and writes, and what its gradients are."""

    def __init__(self, z, h, n, d, causal):
        self.z, self.h, self.n, self.d, self.causal = z, h, n, d, causal
        self.name = f"D{d}{' causal' if causal else ''} N{n}"
        self.scale = d**-0.5
        self.flops = 10 * z * h * n * n * d / (2 if causal else 1)

    def make(self):
        shape = (self.z, self.h, self.n, self.d)
        self.q, self.k, self.v, self.do = (torch.randn(shape, device=DEVICE, dtype=torch.float16) for _ in range(4))
        self.dq, self.dk, self.dv, self.o = (torch.empty_like(self.q) for _ in range(4))
        self.sum = torch.empty(shape, device=DEVICE, dtype=torch.float32)
        self.lse, self.delta = (torch.empty(shape[:3], device=DEVICE, dtype=torch.float32) for _ in range(2))

    def heads(self):
        return self.z * self.h

    def forward(self, kernels):
        grid = (self.n // 64, self.heads())
        kernels.forward[grid](self.q, self.k, self.v, self.o, self.lse, self.scale * LOG2_E, self.n, D=self.d, BM=64, BN=64,
                              CAUSAL=self.causal, num_warps=4, num_stages=2)

    def prepare(self, kernels, **run):
        return launch(kernels.prepare, (self.n // 64, self.heads()), self.o, self.do, self.delta, self.n, D=self.d, BM=64, **run)

    def exact(self):
        """dQ, dK, dV of the first and the last head in fp32."""
        found = []
        for head in (0, self.heads() - 1):
            q, k, v, do = (t.flatten(0, 1)[head].float() for t in (self.q, self.k, self.v, self.do))
            s = q @ k.T * self.scale
            if self.causal:
                s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu_(1), float("-inf"))
            p = s.softmax(-1)
            del s
            dp = do @ v.T
            ds = p * (dp - (p * dp).sum(-1, keepdim=True)) * self.scale
            found.append((head, ds @ k, ds.T @ q, p.T @ do))
        return found

    def error(self, exact):
        worst = 0.0
        for head, *wanted in exact:
            for got, want in zip((self.dq, self.dk, self.dv), wanted):
                got = got.flatten(0, 1)[head].float()
                if not got.isfinite().all():
                    return float("inf")
                worst = max(worst, ((got - want).norm() / want.norm()).item())
        return worst


def split(p, kernels, config, **run):
    bm, bn, warps, stages = config
    p.prepare(kernels, **run)
    scaled = p.k if run else p.k * (p.scale * LOG2_E)
    return launch(kernels.backward, (p.n // bn, p.heads()), p.q, scaled, p.v, p.do, p.dq, p.dk, p.dv, p.lse, p.delta, p.scale, p.n, D=p.d,
                  BM1=bm, BN1=bn, BM2=bn, BN2=bm, SLICE=2, CAUSAL=p.causal, num_warps=warps, num_stages=stages, **run)


def adding(p, kernels, config, **run):
    bm, bn, warps, stages = config
    p.prepare(kernels, **run)
    if not run:
        p.sum.zero_()
    made = launch(kernels.backward_adding, (p.n // bn, p.heads()), p.q, p.k, p.v, p.do, p.sum, p.dk, p.dv, p.lse, p.delta, p.scale,
                  p.scale * LOG2_E, p.n, D=p.d, BM=bm, BN=bn, CAUSAL=p.causal, num_warps=warps, num_stages=stages, **run)
    if not run:
        p.dq.copy_(p.sum)
    return made


def two(p, kernels, config, **run):
    bm, bn, warps, stages = config
    p.prepare(kernels, **run)
    made = launch(kernels.backward_keys, (p.n // bn, p.heads()), p.q, p.k, p.v, p.do, p.dk, p.dv, p.lse, p.delta, p.scale, p.scale * LOG2_E,
                  p.n, D=p.d, BM=bm, BN=bn, CAUSAL=p.causal, num_warps=warps, num_stages=stages, **run)
    bm, bn, warps, stages = ROWS[warps]
    launch(kernels.backward_rows, (p.n // bm, p.heads()), p.q, p.k, p.v, p.do, p.dq, p.lse, p.delta, p.scale, p.scale * LOG2_E, p.n, D=p.d,
           BM=bm, BN=bn, CAUSAL=p.causal, num_warps=warps, num_stages=stages, **run)
    return made


WAYS = {"split": (split, SPLIT), "adding": (adding, ADDING), "two": (two, KEYS)}


def vendor(p):
    """cuDNN's backward, or torch's choice where it refuses."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    inputs = [t.detach().requires_grad_() for t in (p.q, p.k, p.v)]
    for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        try:
            with sdpa_kernel(backend):
                out = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=p.causal)
            grads = lambda: torch.autograd.grad(out, inputs, p.do, retain_graph=True)
            grads()
            return name, grads
        except RuntimeError:
            continue
    return None, None


def compile_all(p, kernels, threads):
    """{(way, config): registers, spills, seconds, or what went wrong}"""
    def one(key):
        way, config = key
        began = time.perf_counter()
        try:
            made = WAYS[way][0](p, kernels, config, warmup=True)
            return key, {"registers": getattr(made, "n_regs", None), "spills": getattr(made, "n_spills", None),
                         "compile_seconds": time.perf_counter() - began}
        except Exception as error:
            return key, {"fault": f"{type(error).__name__}: {str(error)[:200]}"}
    keys = [(way, config) for way, (_, configs) in WAYS.items() for config in configs]
    if threads < 2:
        return dict(map(one, keys))
    with ThreadPoolExecutor(threads) as pool:
        return dict(pool.map(one, keys))


def try_configs(p, name, kernels, exact, timer, threads, failures):
    tried = []
    for (way, config), row in compile_all(p, kernels, threads if name == "neso" else 1).items():
        row.update(way=way, config=config)
        tried.append(row)
        call = lambda: WAYS[way][0](p, kernels, config)
        try:
            if "fault" in row:
                raise RuntimeError(row["fault"])
            for t in (p.dq, p.dk, p.dv):
                t.fill_(float("nan"))
            call()
            torch.cuda.synchronize()
            row["error"] = p.error(exact)
            if not row["error"] <= 5e-3:
                failures.append(f"{p.name}: {name} {way} {config}: error {row['error']:.2e}")
                continue
            row["seconds"] = timer.turns({0: call}, 3)[0]
        except Exception as error:
            row["fault"] = f"{type(error).__name__}: {str(error)[:200]}"
            if "out of resource" not in row["fault"].lower() and "shared memory" not in row["fault"]:
                failures.append(f"{p.name}: {name} {way} {config}: {row['fault']}")
    return tried


def measure(p, modules, timer, args, failures):
    p.make()
    first = next(iter(modules.values()))
    p.forward(first)
    p.prepare(first)
    exact = p.exact()
    result = {"name": p.name, "flops": p.flops, "tried": {}, "best": {}}
    calls = {}
    for name, kernels in modules.items():
        tried = result["tried"][name] = try_configs(p, name, kernels, exact, timer, args.threads, failures)
        for way in WAYS:
            good = [t for t in tried if t["way"] == way and "seconds" in t]
            if good:
                best = result["best"][f"{name} {way}"] = min(good, key=lambda t: t["seconds"])
                calls[f"{name} {way}"] = lambda kernels=kernels, way=way, c=best["config"]: WAYS[way][0](p, kernels, c)
        tutorial = [t for t in tried if t["way"] == "split" and t["config"] == SPLIT[0] and "seconds" in t]
        if tutorial:
            result["best"][f"{name} tutorial"] = tutorial[0]
            calls[f"{name} tutorial"] = lambda kernels=kernels: split(p, kernels, SPLIT[0])
    name, call = vendor(p)
    if call:
        calls[name] = call
    result["seconds"] = timer.turns(calls, args.repetitions)
    print_row(result, name)
    return result


def print_row(r, vendor_name):
    s = r["seconds"]
    for name, t in sorted(s.items(), key=lambda item: item[1]):
        b = r["best"].get(name, {})
        ratio = f"{s[vendor_name] / t:6.3f} of {vendor_name}" if vendor_name in s else ""
        more = f"  [{'x'.join(map(str, b['config']))} r{b['registers']} s{b['spills']} error {b['error']:.1e}]" if b else ""
        print(f"{r['name']:22s} {name:18s} {r['flops'] / t / 1e12:7.1f} TFLOP/s {ratio}{more}", flush=True)


def ratios(results, a, b):
    """How much faster a is than b, each the best of its ways."""
    least = lambda r, word: min((t for n, t in r["seconds"].items() if n.startswith(word)), default=None)
    pairs = [(least(r, a), least(r, b)) for r in results]
    return geometric(y / x for x, y in pairs if x and y)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out")
    parser.add_argument("--only", default="")
    parser.add_argument("--impl", default="neso,triton")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--threads", type=int, default=8)
    args = parser.parse_args()
    words = [w for w in args.only.split(",") if w]
    rows = [Problem(4, 32, n, d, causal) if n < 8192 else Problem(1, 32, n, d, causal)
            for d in (64, 128) for causal in (False, True) for n in (4096, 16384)]
    rows = [r for r in rows if not words or any(w in r.name for w in words)]
    torch.manual_seed(0)
    modules, failures, timer, results = {}, [], Timer(), []
    for name in args.impl.split(","):
        try:
            modules[name] = load_kernels(name, "backward_kernels")
        except ImportError as error:
            print(f"without {name}: {error}")
    for p in rows:
        try:
            results.append(measure(p, modules, timer, args, failures))
        except Exception as error:
            failures.append(f"{p.name}: {type(error).__name__}: {str(error)[:300]}")
        p.__dict__ = {"name": p.name}
        torch.cuda.empty_cache()
        if args.out:  # what is there stays if time runs out
            with open(args.out, "w") as file:
                json.dump({"gpu": torch.cuda.get_device_name(), "rows": results, "failures": failures}, file, indent=1)
    for other in ("triton", "cuDNN", "flash"):
        if any(n.startswith(other) for r in results for n in r["seconds"]):
            print(f"Neso over {other}: geometric mean {ratios(results, 'neso', other):.3f}")
    for failure in failures[:40]:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
