"""Persistent products with one loop over the steps of all tiles against those with two, by several implementations in one run.

    python3 bench/gpu/one_loop.py --impl neso=FOLDER --impl main=FOLDER --impl triton [--only WORD,...] [--repetitions 20] [--seconds S]

FOLDER goes in front of PYTHONPATH; "triton" is the installed one. Each implementation has a process of its own, which compiles first,
several at once; then they take turns for each row, twice. Results are compared with torch's, the L2 cache is flushed before each call.
The first implementation's share of the speed of the others is last; `compile` in place of a GPU says what is compiled, without times.
"""
import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# BM, BN, BK in bytes, stages, warps
TILES = [(128, 128, 128, 3, 4), (128, 128, 128, 4, 8), (128, 256, 128, 3, 8)]
KS = (512, 1024, 4096)
KERNELS = ("one_pointers", "one_carried", "one_device", "one_device flatten", "two_pointers", "two_device", "two_device flatten",
           "two_pointers flatten")
SMS = 132


def rows():
    """Most important first: (kernel, flatten, type, M, N, K, tile)."""
    for tile, kernel, k in itertools.product(TILES[1:], KERNELS, KS):
        yield kernel, "fp16", 4096, 4096, k, tile
    for tile, kernel, k in itertools.product(TILES[2:], ("one_device", "one_device flatten", "two_device", "two_device flatten", "one_scaled"), KS):
        yield kernel, "fp8", 4096, 4096, k, tile
    for kernel, k in itertools.product(KERNELS, KS):
        yield kernel, "fp16", 4096, 4096, k, TILES[0]
    for kernel, k in itertools.product(KERNELS[:4], KS):
        yield kernel, "fp16", 3072, 4096, k, TILES[2]


def name_of(row):
    kernel, kind, m, n, k, tile = row
    return f"{kind} {m}x{n}x{k} {tile[0]}x{tile[1]} s{tile[3]} w{tile[4]} {kernel}"


# ---- one implementation's process


class Worker:

    def __init__(self, impl):
        if impl != "triton":
            import neso
            sys.modules["triton"], sys.modules["triton.language"] = neso, neso.language
        sys.path.insert(0, HERE)
        import one_loop_kernels
        import torch
        self.torch, self.kernels, self.impl, self.made = torch, one_loop_kernels, impl, {}
        if impl == "triton":
            one_loop_kernels.triton.set_allocator(lambda size, align, stream: torch.empty(size, device="cuda", dtype=torch.int8))
        self.flush = None

    def arrays(self, kind, m, n, k, transposed):
        torch = self.torch
        key = kind, m, n, k, transposed
        if key not in self.made:
            self.made.clear()
            torch.manual_seed(m + n + k)
            dtype = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp8": torch.float8_e4m3fn}[kind]
            a = (torch.randn((m, k), device="cuda") / 4).to(dtype)
            b = (torch.randn((n, k) if transposed else (k, n), device="cuda") / 4).to(dtype)
            bias = torch.randn(n, device="cuda").to(torch.float16)
            c = torch.empty((m, n), device="cuda", dtype=torch.float16)
            exact = a.float() @ (b.float().T if transposed else b.float())
            self.made[key] = a, b, c, bias, exact
        return self.made[key]

    def call(self, row, warm=False):
        kernel, kind, m, n, k, (bm, bn, bk, stages, warps) = row
        kernel, _, flatten = kernel.partition(" ")
        device = kernel.endswith(("device", "scaled"))
        a, b, c, bias, _ = self.arrays(kind, m, n, k, device)
        bk = bk // a.element_size()
        arrays = (a, b, c, bias) if kernel == "one_carried" else (a, b, c)
        arrays += self.scales(bias, m) if kernel == "one_scaled" else ()
        strides = () if device else (a.stride(0), 1, b.stride(0), 1, c.stride(0), 1)
        tiles = -(-m // bm) * -(-n // bn)
        function = getattr(self.kernels, kernel)
        args = (*arrays, m, n, k, *strides, bm, bn, bk, 8, SMS, bool(flatten))
        if warm:
            return function.warmup(*args, grid=(min(SMS, tiles), ), num_warps=warps, num_stages=stages)
        return function[(min(SMS, tiles), )](*args, num_warps=warps, num_stages=stages)

    def scales(self, bias, m):
        """Of rows and of columns; made once, as it is timed what takes them."""
        if self.made.get("of") is not bias:
            self.made.update(of=bias, scales=(bias[:m].float(), bias.float()))
        return self.made["scales"]

    def compile(self, row):
        self.call(row, warm=True)
        return {}

    def check(self, row):
        kernel, kind, m, n, k, _ = row
        _, _, c, bias, exact = self.arrays(kind, m, n, k, kernel.split()[0].endswith(("device", "scaled")))
        c.zero_()
        self.call(row)
        if kernel == "one_carried":
            exact = exact + bias.float()
            exact = self.torch.where(exact > 0, exact, 0.01 * exact)
        if kernel == "one_scaled":
            exact = exact * bias[:m].float()[:, None] * bias.float()
        # of fp8 products wgmma keeps fewer bits of a sum
        far = ((c.float() - exact).abs().max() / exact.abs().max()).item()
        return {} if far < (2e-2 if kind == "fp8" else 5e-3) else {"wrong": far}

    def time(self, row, repetitions):
        torch = self.torch
        if self.flush is None:
            self.flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        pairs = []
        for i in range(2 + repetitions):
            self.flush.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            self.call(row)
            end.record()
            pairs.append((begin, end))
        torch.cuda.synchronize()
        return {"us": statistics.median(1e3 * begin.elapsed_time(end) for begin, end in pairs[2:])}

    def serve(self):
        answers = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)
        for line in sys.stdin:
            what, row, repetitions = json.loads(line)
            try:
                answer = self.time(row, repetitions) if what == "time" else getattr(self, what)(row)
            except Exception as error:  # told with the results
                answer = {"error": f"{type(error).__name__}: {error}"[:300]}
            print(json.dumps(answer), file=answers, flush=True)


# ---- all of them


class Implementation:

    def __init__(self, name, folder, processes):
        environment = dict(os.environ)
        if folder:
            environment["PYTHONPATH"] = folder + os.pathsep + environment.get("PYTHONPATH", "")
        for variable in ("NESO_CACHE_DIR", "TRITON_CACHE_DIR"):
            environment[variable] = os.path.join(os.environ.get("ONE_LOOP_CACHE", "/tmp/one_loop"), name)
        command = [sys.executable, os.path.abspath(__file__), "--worker", "triton" if name == "triton" else "neso"]
        self.name = name
        self.workers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
                        for _ in range(processes)]

    def ask(self, what, row, repetitions=0, worker=0):
        self.workers[worker].stdin.write(json.dumps([what, row, repetitions]) + "\n")
        self.workers[worker].stdin.flush()

    def answer(self, worker=0):
        line = self.workers[worker].stdout.readline()
        return json.loads(line) if line else {"error": "the process ended"}

    def asked(self, what, row, repetitions=0):
        try:
            self.ask(what, row, repetitions)
            return self.answer()
        except BrokenPipeError:
            return {"error": "the process ended"}

    def end(self, first=0):
        for worker in self.workers[first:]:
            worker.stdin.close()
            worker.wait()
        del self.workers[first:]


def compile_all(impls, wanted):
    """Each process has its share, and leaves what it compiled in the caches."""
    for impl in impls:
        for i, row in enumerate(wanted):
            impl.ask("compile", row, worker=i % len(impl.workers))
    for impl in impls:
        for i, row in enumerate(wanted):
            told = impl.answer(i % len(impl.workers)).get("error")
            if told:
                print(f"{impl.name}: {name_of(row)}: {told}", flush=True)
        impl.end(first=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--impl", action="append", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--processes", type=int, default=4, help="that compile, of each implementation")
    parser.add_argument("--out")
    parser.add_argument("--worker")
    args = parser.parse_args()
    if args.worker:
        return Worker(args.worker).serve()
    began = time.time()
    words = [word for word in args.only.split(",") if word]
    wanted = [row for row in rows() if all(any(part in name_of(row) for part in word.split("|")) for word in words)]
    impls = [Implementation(*(impl.split("=", 1) + [""])[:2], args.processes) for impl in args.impl or ["triton"]]
    compile_all(impls, wanted)
    print(f"compiled in {time.time() - began:.0f} s", flush=True)
    results = {}
    for row in wanted:
        if time.time() - began > args.seconds:
            print("out of time", flush=True)
            break
        found = {impl.name: impl.asked("check", row) for impl in impls}
        for turn in range(2):
            for impl in impls:
                told = impl.asked("time", row, args.repetitions) if "error" not in found[impl.name] else {}
                found[impl.name]["us"] = min(found[impl.name].get("us", 1e9), told.get("us", 1e9))
        results[name_of(row)] = found
        first = found[impls[0].name]["us"]
        told = " ".join(f"{name} {has['us']:8.1f}{' WRONG' if 'wrong' in has else ''}{' ' + has['error'] if 'error' in has else ''}"
                        for name, has in found.items())
        shares = " ".join(f"{found[impl.name]['us'] / first:5.2f}" for impl in impls[1:])
        print(f"{name_of(row):58} {told} | {shares}", flush=True)
        if args.out:
            with open(args.out, "w") as file:
                json.dump(results, file, indent=1)
    for impl in impls:
        impl.end()
    return summary(results, impls)


def summary(results, impls):
    """By kernel and K: the others' time over the first one's, geometric mean over tiles and types."""
    groups = {}
    for name, found in results.items():
        kind, size, tile, stages, warps, *kernel = name.split()
        groups.setdefault((" ".join(kernel), size.split("x")[2]), []).append(found)
    for (kernel, k), all_found in groups.items():
        shares = []
        for impl in impls[1:]:
            ratios = [found[impl.name]["us"] / found[impls[0].name]["us"] for found in all_found
                      if max(found[impl.name]["us"], found[impls[0].name]["us"]) < 1e9]
            shares.append(f"{impl.name} {statistics.geometric_mean(ratios):5.2f}" if ratios else f"{impl.name} -")
        print(f"{kernel:24} K {k:>5} ({len(all_found)}): {', '.join(shares)}")


if __name__ == "__main__":
    sys.exit(main())
