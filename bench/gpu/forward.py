"""Attention forward on one GPU in one run, in cycles: Neso, Triton and cuDNN by torch; head sizes, causal or not, values of 16 and 8 bits.

    python3 bench/gpu/forward.py [--out results.json] [--only WORD,...] [--impl neso,triton] [--repetitions 11] [--threads 8]

Both compilers have the same configurations (BM, BN, warps, stages); those whose first and last head are what torch computes in fp32 take
turns, and the one of fewest cycles takes turns with the others' and cuDNN (cycles.py). Of 8 bits cuDNN has the same numbers as fp16.
"""
import sys
from concurrent.futures import ThreadPoolExecutor

import torch

from cycles import Cycles
from run import DEVICE, arguments, chosen_rows, geometric, keep, launch, load_all, load_kernels

CONFIGS = {64: [(64, 128, 4, 2), (128, 64, 4, 3), (128, 128, 8, 2), (128, 128, 4, 2), (64, 64, 4, 3)],
           96: [(128, 128, 8, 2), (128, 64, 8, 3), (64, 64, 4, 3)],
           128: [(128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3)],
           192: [(128, 64, 8, 2), (128, 64, 8, 3), (64, 64, 4, 2)],
           256: [(128, 64, 8, 2), (128, 32, 8, 3), (64, 64, 4, 2)]}
MOST_ROWS = 4096  # of a head that are compared


class Row:
    def __init__(self, kind, d, causal, n, heads):
        self.kind, self.d, self.causal, self.n, self.heads = kind, d, causal, n, heads
        self.name = f"{kind} D{d}{' causal' if causal else ''} N{n}"
        self.flops = 4 * n * n * d * heads / (2 if causal else 1)

    def make(self):
        shape = (1, self.heads, self.n, self.d)
        self.q, self.k, self.v = (torch.randn(shape, device=DEVICE, dtype=torch.float16) for _ in range(3))
        if self.kind == "fp8":
            self.q, self.k, self.v = (t.to(torch.float8_e4m3fn) for t in (self.q, self.k, self.v))
        self.o = torch.empty(shape, device=DEVICE, dtype=torch.float16)

    def call(self, kernels, config, **run):
        bm, bn, warps, stages = config
        wide = 1 << (self.d - 1).bit_length()
        kernel, more = (kernels.attention, {}) if wide == self.d else (kernels.attention_padded, {"HEAD": self.d})
        return launch(kernel, (self.n // bm, self.heads), self.q, self.k, self.v, self.o, self.d**-0.5, self.n, self.heads,
                      *self.q.stride()[:3], D=wide, **more, BM=bm, BN=bn, CAUSAL=self.causal, num_warps=warps, num_stages=stages, **run)

    def exact(self):
        found, first = [], max(0, self.n - MOST_ROWS)
        for head in (0, self.heads - 1):
            q, k, v = (t[0, head].float() for t in (self.q, self.k, self.v))
            s = q[first:] @ k.T * self.d**-0.5
            if self.causal:
                s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu_(1 + first), float("-inf"))
            found.append((head, first, s.softmax(-1) @ v))
            del s
        return found

    def error(self, exact):
        return max(((self.o[0, head, first:].float() - want).norm() / want.norm()).item() for head, first, want in exact)

    def vendor(self):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        inputs = [t.half() for t in (self.q, self.k, self.v)]

        def call():
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=self.causal)
        try:
            call()
        except RuntimeError:
            return None
        return call


def try_configs(row, name, kernels, exact, timer, threads, failures):
    def compile_one(config):
        try:
            made = row.call(kernels, config, warmup=True)
            return config, {"registers": getattr(made, "n_regs", None), "spills": getattr(made, "n_spills", None)}
        except Exception as error:
            return config, {"fault": f"{type(error).__name__}: {str(error)[:200]}"}
    with ThreadPoolExecutor(threads if name == "neso" else 1) as pool:
        tried = dict(pool.map(compile_one, CONFIGS[row.d]))
    calls = {}
    for config, found in tried.items():
        try:
            if "fault" in found:
                raise RuntimeError(found["fault"])
            row.o.fill_(float("nan"))
            row.call(kernels, config)
            torch.cuda.synchronize()
            found["error"] = row.error(exact)
            if not found["error"] <= (5e-2 if row.kind == "fp8" else 3e-3):
                failures.append(f"{row.name}: {name} {config}: error {found['error']:.2e}")
                continue
            calls[config] = lambda config=config: row.call(kernels, config)
        except Exception as error:
            found["fault"] = f"{type(error).__name__}: {str(error)[:200]}"
            if "out of resource" not in found["fault"].lower() and "shared memory" not in found["fault"]:
                failures.append(f"{row.name}: {name} {config}: {found['fault']}")
    for config, taken in timer.turns(calls, 3).items():
        tried[config].update(taken)
    return tried


def measure(row, modules, timer, args, failures):
    row.make()
    exact = row.exact()
    result, calls, best = {"name": row.name, "flops": row.flops, "tried": {}}, {}, {}
    for name, kernels in modules.items():
        tried = try_configs(row, name, kernels, exact, timer, args.threads, failures)
        result["tried"][name] = [{"config": config, **found} for config, found in tried.items()]
        good = [c for c in tried if "cycles" in tried[c]]
        if good:
            best[name] = min(good, key=lambda c: tried[c]["cycles"])
            calls[name] = lambda kernels=kernels, config=best[name]: row.call(kernels, config)
    vendor = row.vendor()
    if vendor:
        calls["cuDNN"] = vendor
    result["turns"] = turns = timer.turns(calls, args.repetitions)
    result["best"] = best
    text = f"{row.name:24s}"
    for name, t in turns.items():
        text += f" {name} {row.flops / t['seconds'] / 1e12:5.0f} at {t['ghz']:.2f} GHz"
    for name, t in turns.items():
        if name != "neso" and "neso" in turns:
            text += f"  /{name} {t['seconds'] / turns['neso']['seconds']:.3f}, by cycles {t['cycles'] / turns['neso']['cycles']:.3f}"
    print(text, best, flush=True)
    return result


def main():
    args = arguments(__doc__, 11, threads=8).parse_args()
    rows = [Row(kind, d, causal, n, heads) for kind, n, heads, sizes in (("fp16", 4096, 64, CONFIGS), ("fp16", 16384, 8, (64, 128, 256)),
                                                                         ("fp8", 4096, 64, (64, 128, 256)))
            for d in sizes for causal in (False, True)]
    rows = chosen_rows(rows, args.only)
    torch.manual_seed(0)
    failures, results = [], []
    modules, missing = load_all(args.impl, "dot_kernels")
    for text in missing:
        print("without", text)
    timer = Cycles(load_kernels(next(iter(modules)), "cycle_kernels").stamp)
    for row in rows:
        results.append(measure(row, modules, timer, args, failures))
        row.__dict__ = {"name": row.name}
        torch.cuda.empty_cache()
        keep(args.out, rows=results, failures=failures)
    for other in ("triton", "cuDNN"):
        ratios = [r["turns"][other]["seconds"] / r["turns"]["neso"]["seconds"] for r in results if {other, "neso"} <= set(r["turns"])]
        if ratios:
            print(f"Neso over {other}: geometric mean {geometric(ratios):.3f}")
    for failure in failures[:40]:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
