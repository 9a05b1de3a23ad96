"""Attention's backward on one GPU in one run: Neso, Triton where it can be imported, cuDNN by torch; the kernels of backward_kernels.py.

    python3 bench/gpu/backward.py [--out results.json] [--only WORD,...] [--impl neso,triton] [--repetitions 15] [--threads 8]

A row is a head size, causal or not, and a length. Every implementation compiles each way (one kernel for all three gradients, a loop
that adds to dQ, one kernel for keys and one for rows) in all its configurations; those that give the gradients that torch computes in fp32
take turns, and the one of fewest cycles is the way's best (cycles.py says why not of least time). Of the two kernels each has its own
best. Then the best of each way and cuDNN take turns, with the L2 cache flushed before each call. A call is all that one backward takes:
sums of o * do, K times its scale where a kernel wants it, zeros and the cast of dQ where programs add to it. Rates count five
products, whatever a way computes twice.
"""
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import torch

from cycles import Cycles
from run import DEVICE, arguments, chosen_rows, geometric, keep, launch, load_all, load_kernels

LOG2_E = 1.4426950408889634
# BM1 = BN2, BN1 = BM2, warps, stages: the first is what Triton's tutorial takes.
SPLIT = [(32, 128, 4, 5), (32, 128, 8, 3), (32, 128, 8, 5), (64, 128, 8, 2), (64, 128, 8, 3), (32, 64, 4, 3), (64, 64, 4, 2)]
# BM, BN, warps, stages
ADDING = [(64, 64, 4, 2), (64, 64, 8, 2), (64, 128, 8, 1), (64, 128, 8, 2), (64, 128, 8, 3), (128, 64, 8, 2), (128, 128, 8, 2)]
KEYS = [(64, 64, 4, 2), (64, 64, 4, 3), (64, 128, 8, 2), (128, 128, 8, 2), (32, 128, 8, 3)]
ROWS = [(64, 64, 4, 2), (64, 64, 4, 3), (128, 64, 8, 2), (128, 128, 8, 2)]


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

    def error(self, exact, which=(0, 1, 2)):
        """which: of dQ, dK, dV."""
        worst = 0.0
        for head, *wanted in exact:
            for i in which:
                got, want = (self.dq, self.dk, self.dv)[i].flatten(0, 1)[head].float(), wanted[i]
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


def keys(p, kernels, config, **run):
    bm, bn, warps, stages = config
    return launch(kernels.backward_keys, (p.n // bn, p.heads()), p.q, p.k, p.v, p.do, p.dk, p.dv, p.lse, p.delta, p.scale, p.scale * LOG2_E,
                  p.n, D=p.d, BM=bm, BN=bn, CAUSAL=p.causal, num_warps=warps, num_stages=stages, **run)


def rows(p, kernels, config, **run):
    bm, bn, warps, stages = config
    return launch(kernels.backward_rows, (p.n // bm, p.heads()), p.q, p.k, p.v, p.do, p.dq, p.lse, p.delta, p.scale, p.scale * LOG2_E, p.n,
                  D=p.d, BM=bm, BN=bn, CAUSAL=p.causal, num_warps=warps, num_stages=stages, **run)


def two(p, kernels, config, **run):
    """config: that of keys, that of rows."""
    p.prepare(kernels, **run)
    keys(p, kernels, config[0], **run)
    return rows(p, kernels, config[1], **run)


# How, in which configurations, and which of dQ, dK, dV come of it.
WAYS = {"split": (split, SPLIT, (0, 1, 2)), "adding": (adding, ADDING, (0, 1, 2)), "keys": (keys, KEYS, (1, 2)), "rows": (rows, ROWS, (0,))}


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
    todo = [(way, config) for way, (_, configs, _) in WAYS.items() for config in configs]
    if threads < 2:
        return dict(map(one, todo))
    with ThreadPoolExecutor(threads) as pool:
        return dict(pool.map(one, todo))


def try_configs(p, name, kernels, exact, timer, threads, failures):
    """Rows of all configurations, with cycles where they are right."""
    tried, calls = [], {}
    for (way, config), row in compile_all(p, kernels, threads if name == "neso" else 1).items():
        row.update(way=way, config=config)
        tried.append(row)
        run, _, which = WAYS[way]
        call = lambda run=run, config=config: run(p, kernels, config)
        try:
            if "fault" in row:
                raise RuntimeError(row["fault"])
            for t in (p.dq, p.dk, p.dv):
                t.fill_(float("nan"))
            call()
            torch.cuda.synchronize()
            row["error"] = p.error(exact, which)
            if not row["error"] <= 5e-3:
                failures.append(f"{p.name}: {name} {way} {config}: error {row['error']:.2e}")
                continue
            calls[len(tried) - 1] = call
        except Exception as error:
            row["fault"] = f"{type(error).__name__}: {str(error)[:200]}"
            if "out of resource" not in row["fault"].lower() and "shared memory" not in row["fault"]:
                failures.append(f"{p.name}: {name} {way} {config}: {row['fault']}")
    for i, taken in timer.turns(calls, 7).items():
        tried[i].update(taken)
    return tried


def best_calls(p, name, kernels, tried, best):
    """{way: call}; best gets the rows of each."""
    calls, found = {}, {}
    for way, (run, _, _) in WAYS.items():
        good = [t for t in tried if t["way"] == way and "cycles" in t]
        if good:
            found[way] = min(good, key=lambda t: t["cycles"])
            calls[way] = lambda run=run, c=found[way]["config"]: run(p, kernels, c)
    if "keys" in found and "rows" in found:
        pair = found["keys"]["config"], found["rows"]["config"]
        calls["two"] = lambda: two(p, kernels, pair)
        found["two"] = {"config": pair, **{k: max(found["keys"][k], found["rows"][k]) for k in ("registers", "spills", "error")}}
    for part in ("keys", "rows"):
        calls.pop(part, None)
    tutorial = [t for t in tried if t["way"] == "split" and t["config"] == SPLIT[0] and "cycles" in t]
    if tutorial:
        found["tutorial"] = tutorial[0]
        calls["tutorial"] = lambda: split(p, kernels, SPLIT[0])
    best.update((f"{name} {way}", row) for way, row in found.items())
    return {f"{name} {way}": call for way, call in calls.items()}


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
        calls.update(best_calls(p, name, kernels, tried, result["best"]))
    name, call = vendor(p)
    if call:
        calls[name] = call
    result["turns"] = timer.turns(calls, args.repetitions)
    result["seconds"] = {n: t["seconds"] for n, t in result["turns"].items()}
    print_row(result, name)
    return result


def text_of(config):
    return " + ".join(map(text_of, config)) if isinstance(config[0], tuple) else "x".join(map(str, config))


def print_row(r, vendor_name):
    turns = r["turns"]
    for name, t in sorted(turns.items(), key=lambda item: item[1]["seconds"]):
        b, of = r["best"].get(name, {}), turns.get(vendor_name)
        ratio = f"{of['seconds'] / t['seconds']:6.3f} of {vendor_name}, by cycles {of['cycles'] / t['cycles']:5.3f}" if of else ""
        more = f"  [{text_of(b['config'])} r{b['registers']} s{b['spills']} error {b['error']:.1e}]" if b else ""
        print(f"{r['name']:22s} {name:18s} {r['flops'] / t['seconds'] / 1e12:7.1f} TFLOP/s at {t['ghz']:.2f} GHz {ratio}{more}", flush=True)


def ratios(results, a, b):
    """How much faster a is than b, each the best of its ways."""
    least = lambda r, word: min((t for n, t in r["seconds"].items() if n.startswith(word)), default=None)
    pairs = [(least(r, a), least(r, b)) for r in results]
    return geometric(y / x for x, y in pairs if x and y)


def main():
    args = arguments(__doc__, 15, threads=8).parse_args()
    problems = [Problem(4, 32, n, d, causal) if n < 8192 else Problem(1, 32, n, d, causal)
                for d in (64, 128) for causal in (False, True) for n in (4096, 16384)]
    problems = chosen_rows(problems, args.only)
    torch.manual_seed(0)
    failures, results = [], []
    modules, missing = load_all(args.impl, "backward_kernels")
    for text in missing:
        print("without", text)
    timer = Cycles(load_kernels(next(iter(modules)), "cycle_kernels").stamp)
    for p in problems:
        try:
            results.append(measure(p, modules, timer, args, failures))
        except Exception as error:
            failures.append(f"{p.name}: {type(error).__name__}: {str(error)[:300]}")
        p.__dict__ = {"name": p.name}
        torch.cuda.empty_cache()
        keep(args.out, rows=results, failures=failures)
    for other in ("triton", "cuDNN", "flash"):
        if any(n.startswith(other) for r in results for n in r["seconds"]):
            print(f"Neso over {other}: geometric mean {ratios(results, 'neso', other):.3f}")
    for failure in failures[:40]:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
