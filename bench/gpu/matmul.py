"""Neso, Triton and torch on one GPU in one run: products of matrices and attention, beside what the matrix instruction reaches alone.

    python3 bench/gpu/matmul.py [--out results.json] [--only WORD,...] [--impl neso,triton] [--repetitions 20] [--threads 8] [--list]

A row is a problem with several configurations (tiles, stages, warps). Every implementation compiles all of them, each is checked against
torch and timed a few times; then the best one of each and torch take turns, with the L2 cache flushed before each call. The
peak is that of peak.py: a loop of mma.sync on registers, all SMs. --only takes rows whose name holds one of the words.
"""
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import torch

import peak
from run import DEVICE, Timer, arguments, cdiv, chosen_rows, geometric, keep, launch, load_all

TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp8": torch.float8_e4m3fn, "tf32": torch.float32, "int8": torch.int8,
         "fp32": torch.float32}
# BM, BN, BK in 16-bit elements, stages, warps
TILES = [(128, 128, 32, 4, 4), (128, 128, 64, 3, 4), (128, 128, 64, 3, 8), (128, 256, 32, 4, 8), (128, 256, 64, 3, 8),
         (256, 128, 64, 3, 8), (64, 128, 64, 4, 4)]
ATTENTION_TILES = [(128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2), (64, 64, 4, 3), (128, 32, 4, 3)]


class Problem:
    """call(kernels, config, **run) launches, or with warmup=True compiles alone; reference() is torch's way, exact() what results are
    compared with."""

    def __init__(self, name, flops, kind, configs, call, out, reference, exact=None, tolerance=2e-3):
        self.name, self.flops, self.kind, self.configs, self.call = name, flops, kind, configs, call
        self.out, self.reference, self.exact, self.tolerance = out, reference, exact or reference, tolerance


class Lazy:
    """Tensors are made when the row is measured and freed behind it."""

    def __init__(self, make):
        self.make, self.value = make, None

    def get(self):
        if self.value is None:
            self.value = self.make()
        return self.value


def numbers(shape, kind):
    if kind == "int8":
        return torch.randint(-128, 128, shape, device=DEVICE, dtype=torch.int8)
    return torch.randn(shape, device=DEVICE).to(TYPES[kind])


def torch_product(a, b, kind):
    if kind == "int8":
        return torch._int_mm(a, b)
    if kind == "fp8":
        one = torch.tensor(1.0, device=DEVICE)
        return torch._scaled_mm(a, b, one, one, out_dtype=torch.float16)
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    return torch.matmul(a, b)


def exact_product(a, b, kind):
    if kind == "int8":
        return torch._int_mm(a, b)
    torch.backends.cuda.matmul.allow_tf32 = False
    return torch.matmul(a.float(), b.float())


def product(name, kind, n, order="NN", tiles=TILES, exact=True):
    """order: N for rows that are contiguous, T for columns, of A and of B."""
    def make():
        a, b = numbers((n, n), kind), numbers((n, n), kind)
        a = a.T.contiguous().T if order[0] == "T" else a
        b = b.T.contiguous().T if order[1] == "T" else b
        c = torch.empty(n, n, device=DEVICE, dtype={"int8": torch.int32, "fp8": torch.float16}.get(kind, TYPES[kind]))
        return a, b, c
    data = Lazy(make)

    def call(k, config, **run):
        a, b, c = data.get()
        bm, bn, bk, stages, warps = config
        bk = bk * 2 // a.element_size()
        return launch(k.matmul, (cdiv(n, bm) * cdiv(n, bn),), a, b, c, n, n, n, *a.stride(), *b.stride(), *c.stride(), BM=bm, BN=bn, BK=bk,
                      GROUP=8, ACC=k.tl.int32 if kind == "int8" else k.tl.float32, PRECISION="ieee" if kind == "fp32" else "tf32",
                      num_stages=stages, num_warps=warps, **run)
    # The matrix instruction adds products of fp8 up with fewer bits than fp32 has, the more of them the more.
    tolerance = {"int8": 0, "bf16": 8e-3, "fp8": 2e-3 * max(1, n / 4096), "fp32": 1e-5}.get(kind, 2e-3)
    made = Problem(name, 2 * n**3, kind, tiles, call, lambda: data.get()[2], lambda: torch_product(*data.get()[:2], kind),
                   lambda: exact_product(*data.get()[:2], kind), tolerance)
    made.data = data
    return made


def product_rows(rows):
    for kind in ("fp16", "bf16"):
        for order in ("NN", "NT", "TN", "TT"):
            rows.append(product(f"order {order} {kind} 4096", kind, 4096, order))
    for order in ("NN", "TN", "TT"):
        rows.append(product(f"order {order} tf32 4096", "tf32", 4096, order))
    rows.append(product("order NT tf32 4096", "tf32", 4096, "NT"))
    for kind in ("fp8", "int8"):
        for order in ("NN", "TN", "TT"):
            rows.append(product(f"order {order} {kind} 4096", kind, 4096, order))
            rows[-1].reference = None
    for bm, bn, bk, warps, most in ((128, 128, 32, 4, 5), (128, 128, 64, 8, 5), (128, 256, 32, 8, 5)):
        for stages in range(1, most + 1):
            rows.append(product(f"stages {stages} fp16 4096 {bm}x{bn}x{bk} w{warps}", "fp16", 4096,
                                tiles=[(bm, bn, bk, stages, warps)]))
            rows[-1].reference = None
    for kind in ("fp16", "bf16", "fp8", "tf32", "int8"):
        for n in (4096, 2048, 8192):
            # Eight bits: torch has B by columns alone.
            rows.append(product(f"matmul {kind} {n}", kind, n, "NT" if kind in ("fp8", "int8") else "NN"))
    rows.append(product("matmul fp32 ieee 2048", "fp32", 2048,
                        tiles=[(64, 64, 32, 2, 4), (128, 64, 32, 2, 4), (128, 128, 32, 2, 8), (128, 128, 32, 3, 8)]))


def batched_rows(rows):
    for z, n in ((64, 512), (32, 1024), (16, 2048)):
        data = Lazy(lambda z=z, n=n: [torch.randn(z, n, n, device=DEVICE, dtype=torch.float16) for _ in range(3)])

        def call(k, config, z=z, n=n, data=data, **run):
            bm, bn, bk, stages, warps = config
            return launch(k.batched, (cdiv(n, bm) * cdiv(n, bn), z), *data.get(), n, n, n, BM=bm, BN=bn, BK=bk, GROUP=8,
                          num_stages=stages, num_warps=warps, **run)
        rows.append(Problem(f"batched fp16 {z}x{n}", 2 * z * n**3, "fp16", TILES, call, lambda data=data: data.get()[2],
                            lambda data=data: torch.bmm(*data.get()[:2])))
        rows[-1].data = data
    z, n = 4096, 64
    data = Lazy(lambda: [torch.randn(z, n, n, device=DEVICE, dtype=torch.float16) for _ in range(3)])

    def call3(k, config, **run):
        bb, bm, bk, stages, warps = config
        return launch(k.batched3d, (n // bm, n // bm, z // bb), *data.get(), n, n, n, BB=bb, BM=bm, BN=bm, BK=bk, num_stages=stages,
                      num_warps=warps, **run)
    rows.append(Problem(f"dot of rank 3 fp16 {z}x{n}", 2 * z * n**3, "fp16", [(2, 64, 32, 2, 4), (4, 32, 32, 2, 4), (1, 64, 64, 2, 4)],
                        call3, lambda: data.get()[2], lambda: torch.bmm(*data.get()[:2])))
    rows[-1].data = data


def dequantising_rows(rows):
    for m, tiles in ((4096, TILES), (16, [(16, 64, 128, 4, 4), (16, 128, 64, 4, 4), (16, 32, 128, 4, 4), (16, 64, 64, 5, 4)])):
        n = k = 4096

        def make8(m=m):
            a, w = numbers((m, k), "fp16"), numbers((k, n), "int8")
            scale = torch.rand(n, device=DEVICE) / 64
            return a, w, scale, torch.empty(m, n, device=DEVICE, dtype=torch.float16)
        data = Lazy(make8)

        def call8(kernels, config, m=m, data=data, **run):
            bm, bn, bk, stages, warps = config
            return launch(kernels.dequant8, (cdiv(m, bm) * cdiv(n, bn),), *data.get(), m, n, k, BM=bm, BN=bn, BK=bk, GROUP=8,
                          num_stages=stages, num_warps=warps, **run)

        def torch8(data=data):
            a, w, scale, _ = data.get()
            return torch.matmul(a, (w * scale).half())

        def exact8(data=data):
            a, w, scale, _ = data.get()
            return exact_product(a, w, "fp16") * scale
        rows.append(Problem(f"dequantising int8 {m}x{n}x{k}", 2 * m * n * k, "fp16", tiles, call8, lambda data=data: data.get()[3], torch8, exact8))
        rows[-1].data = data

        def make4(m=m):
            a = numbers((m, k), "fp16")
            w = torch.randint(-2**31, 2**31, (k // 8, n), device=DEVICE, dtype=torch.int64).int()
            scale = torch.rand(k // 128, n, device=DEVICE).half() / 8
            zero = torch.randint(0, 16, (k // 128, n), device=DEVICE).half()
            return a, w, scale, zero, torch.empty(m, n, device=DEVICE, dtype=torch.float16)
        data = Lazy(make4)

        def call4(kernels, config, m=m, data=data, **run):
            bm, bn, bk, stages, warps = config
            return launch(kernels.dequant4, (cdiv(m, bm) * cdiv(n, bn),), *data.get(), m, n, k, BM=bm, BN=bn, BK=bk, PER=128, GROUP=8,
                          num_stages=stages, num_warps=warps, **run)

        def weights(data=data):
            _, w, scale, zero, _ = data.get()
            shift = torch.arange(0, 32, 4, device=DEVICE, dtype=torch.int32)
            v = ((w[:, None, :] >> shift[None, :, None]) & 15).reshape(k, n).half()
            return (v - zero.repeat_interleave(128, 0)) * scale.repeat_interleave(128, 0)
        rows.append(Problem(f"dequantising int4 {m}x{n}x{k}", 2 * m * n * k, "fp16", tiles, call4, lambda data=data: data.get()[4],
                            lambda data=data, weights=weights: torch.matmul(data.get()[0], weights()),
                            lambda data=data, weights=weights: exact_product(data.get()[0], weights(), "fp16")))
        rows[-1].data = data


def attention_rows(rows):
    z, h, n = 4, 32, 4096
    for d in (64, 128):
        data = Lazy(lambda d=d: [torch.randn(z, h, n, d, device=DEVICE, dtype=torch.float16) for _ in range(4)])
        for causal in (False, True):
            for kernel in ("attention", "attention_staged"):
                def call(k, config, d=d, causal=causal, kernel=kernel, data=data, **run):
                    q, kk, v, o = data.get()
                    bm, bn, warps, stages = config
                    return launch(getattr(k, kernel), (n // bm, z * h), q, kk, v, o, d**-0.5, n, h, *q.stride()[:3], D=d, BM=bm, BN=bn,
                                  CAUSAL=causal, num_stages=stages, num_warps=warps, **run)
                rows.append(Problem(f"{kernel} D{d}{' causal' if causal else ''}", 4 * z * h * n * n * d / (2 if causal else 1), "fp16",
                                    ATTENTION_TILES, call, lambda data=data: data.get()[3],
                                    lambda data=data, causal=causal:
                                    torch.nn.functional.scaled_dot_product_attention(*data.get()[:3], is_causal=causal)))
                rows[-1].data = data


# ---- measuring


def error_of(problem, wanted):
    got = problem.out().float()
    return ((got - wanted).norm() / wanted.norm()).item() if got.isfinite().all() else float("inf")


def compile_all(problem, kernels, threads):
    """Compiles every configuration on several threads; {config: what went wrong}."""
    def one(config):
        began = time.perf_counter()
        try:
            made = problem.call(kernels, config, warmup=True)
            return config, None, time.perf_counter() - began, getattr(made, "n_regs", None), getattr(made, "n_spills", None)
        except Exception as error:
            return config, f"{type(error).__name__}: {str(error)[:200]}", 0, None, None
    if threads < 2:
        return [one(c) for c in problem.configs]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, problem.configs))


def try_configs(problem, name, kernels, timer, threads, failures):
    """Every configuration that gives the right result, with its seconds."""
    wanted = problem.exact().float()
    tried = []
    for config, fault, seconds, registers, spills in compile_all(problem, kernels, threads if name == "neso" else 1):
        row = {"config": config, "compile_seconds": seconds, "registers": registers, "spills": spills}
        try:
            if fault:
                raise RuntimeError(fault)
            problem.out().fill_(0 if problem.kind == "int8" else float("nan"))
            problem.call(kernels, config)
            torch.cuda.synchronize()
            row["error"] = error_of(problem, wanted)
            if not row["error"] <= problem.tolerance:
                failures.append(f"{problem.name}: {name} {config}: error {row['error']:.2e}")
                continue
            row["seconds"] = timer.turns({0: lambda: problem.call(kernels, config)}, 5)[0]
        except Exception as error:
            row["fault"] = f"{type(error).__name__}: {str(error)[:200]}"
            if "out of resource" not in row["fault"]:
                failures.append(f"{problem.name}: {name} {config}: {row['fault']}")
        tried.append(row)
    return tried


def choose(problem, kernels, timer, good):
    """Of those that come near the fastest one, the one that is so in turns: a few calls one after the other may be disturbed."""
    least = min(t["seconds"] for t in good)
    near = [t for t in good if t["seconds"] <= 1.1 * least]
    if len(near) > 1:
        turns = timer.turns({i: lambda t=t: problem.call(kernels, t["config"]) for i, t in enumerate(near)}, 9)
        for i, t in enumerate(near):
            t["seconds"] = turns[i]
    return min(near, key=lambda t: t["seconds"])


def measure(problem, modules, timer, args, peaks, failures):
    result = {"name": problem.name, "flops": problem.flops, "tried": {}, "best": {}}
    calls = {}
    for name, kernels in modules.items():
        result["tried"][name] = tried = try_configs(problem, name, kernels, timer, args.threads, failures)
        good = [t for t in tried if "seconds" in t]
        if not good:
            continue
        best = choose(problem, kernels, timer, good)
        result["best"][name] = best
        calls[name] = lambda kernels=kernels, config=best["config"]: problem.call(kernels, config)
    if problem.reference:
        calls["torch"] = problem.reference
    result["seconds"] = timer.turns(calls, args.repetitions)
    result["peak"] = peaks.get(problem.kind)
    print_row(result)
    return result


def text_of(config):
    return "x".join(map(str, config))


def print_row(r):
    s = r["seconds"]
    rates = "  ".join(f"{name} {r['flops'] / t / 1e12:6.1f}" for name, t in s.items())
    more = "".join(f"  /{name} {s[name] / s['neso']:.3f}" for name in s if "neso" in s and name != "neso")
    if "neso" in s and r["peak"]:
        more += f"  of peak {r['flops'] / s['neso'] / r['peak']:.3f}"
    best = "  ".join(f"{n} {text_of(b['config'])} r{b['registers']} s{b['spills']}" for n, b in r["best"].items())
    print(f"{r['name']:36s} {rates}  TFLOP/s {more}  [{best}]", flush=True)


def orders_text(results):
    out = []
    for kind in ("fp16", "bf16"):
        t = [r["seconds"]["neso"] for r in results if r["name"].startswith("order") and kind in r["name"] and "neso" in r["seconds"]]
        if t:
            out.append(f"{kind}: slowest order / fastest {max(t) / min(t):.3f}")
    return ", ".join(out)


def main():
    parser = arguments(__doc__, 20, threads=8)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    rows = []
    for make in (product_rows, batched_rows, dequantising_rows, attention_rows):
        make(rows)
    rows = chosen_rows(rows, args.only)
    if args.list:
        print("\n".join(f"{r.name}: {' '.join(map(text_of, r.configs))}" for r in rows))
        return 0
    torch.manual_seed(0)
    peaks, timer = {}, Timer()
    modules, failures = load_all(args.impl, "dot_kernels")
    kinds = {r.kind for r in rows} | ({"fp16 acc"} if not args.only else set())
    for kind in sorted(kinds):
        peaks[kind], warps = peak.measure(kind, timer)
        print(f"peak {kind:10s} {peaks[kind] / 1e12:7.1f} TFLOP/s with {warps} warps on an SM", flush=True)
    results = []
    for problem in rows:
        try:
            results.append(measure(problem, modules, timer, args, peaks, failures))
        except Exception as error:
            failures.append(f"{problem.name}: {type(error).__name__}: {str(error)[:300]}")
        problem.data.value = None
        torch.cuda.empty_cache()
        keep(args.out, peaks=peaks, rows=results, failures=failures)
    both = [r["seconds"]["triton"] / r["seconds"]["neso"] for r in results if {"neso", "triton"} <= set(r["seconds"])]
    if both:
        print(f"Neso over Triton: geometric mean {geometric(both):.3f} of {len(both)} rows")
    print(orders_text(results))
    for failure in failures[:40]:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
