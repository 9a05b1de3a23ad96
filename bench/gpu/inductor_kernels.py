"""Inductor's kernels one by one, by Neso and by Triton: microseconds on the device, L2 flushed, and results beside torch's.

    python3 inductor_kernels.py --neso PYTHONPATH_OF_NESO --out FOLDER      # both; the table is last
    python3 inductor_kernels.py --table FOLDER                              # the table again, also of a run that was ended

PYTHONPATH_OF_NESO is the folder that has neso/. Needs torch with Triton and a GPU. The models are shared out to --jobs
processes of each side, which compile at the same time; what runs on the GPU (a compiled call with its autotuning, what torch
computes without compiling, timing) runs under one lock, so that it has the GPU for itself. A kernel's time is the median of what
the profiler saw; "whole" is the compiled call in a CUDA graph. Each model's line is written as soon as it is there."""

import argparse
import contextlib
import fcntl
import json
import math
import os
import subprocess
import sys
import tempfile
import time

CALLS = 9


@contextlib.contextmanager
def alone(path):
    """The GPU for this process alone: others wait until what is queued here is done."""
    import torch
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            torch.cuda.synchronize()
            fcntl.flock(file, fcntl.LOCK_UN)


def _made(torch, shapes):
    torch.manual_seed(0)
    return [torch.rand(shape, device="cuda").to(dtype) if dtype.is_floating_point else torch.randint(0, 5, shape, device="cuda").to(dtype)
            for shape, dtype in shapes]


def _worst(got, wanted):
    """The greatest difference, by the size of what is wanted; what is not a number must be none there either."""
    worst = 0.0
    flat = lambda values: list(values) if isinstance(values, (tuple, list)) else [values]
    for g, w in zip(flat(got), flat(wanted), strict=True):
        g, w = g.detach().float(), w.detach().float()
        g, w = g.nan_to_num(nan=12345.0), w.nan_to_num(nan=12345.0)
        both = g == w
        difference = (g - w).abs_().masked_fill_(both, 0)
        finite = w.masked_fill(w.isinf(), 0).abs().max()
        worst = max(worst, (difference.max() / (finite + 1e-30)).item())
    return worst


def _profiled(torch, run, flush):
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for _ in range(CALLS):
            flush.zero_()
            run()
        torch.cuda.synchronize()
    kernels = {}
    for event in seen.profiler.kineto_results.events():
        if event.name().startswith("triton_"):
            kernels.setdefault(event.name(), []).append(event.duration_ns() / 1000)
    return {name: sorted(took)[len(took) // 2] for name, took in kernels.items()}


def _whole(torch, run, flush):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    samples = []
    for _ in range(CALLS):
        flush.zero_()
        began, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        began.record()
        graph.replay()
        ended.record()
        torch.cuda.synchronize()
        samples.append(began.elapsed_time(ended) * 1000)
    return sorted(samples)[len(samples) // 2]


def child(out, lock, names):
    import torch
    import torch._inductor.config as config
    from torch._inductor.output_code import CompiledFxGraph
    config.compile_threads = 1
    from inductor_models import MODELS as models
    inner, inside = CompiledFxGraph.__call__, [False]

    def call(self, inputs):
        if inside[0]:
            return inner(self, inputs)
        with alone(lock):
            return inner(self, inputs)
    CompiledFxGraph.__call__ = call
    flush = torch.empty(1 << 27, dtype=torch.int8, device="cuda")
    _profiled(torch, flush.zero_, flush)
    for name in names:
        run, shapes = models[name]
        row = {"model": name}
        try:
            torch._dynamo.reset()
            with alone(lock):
                made = _made(torch, shapes)
            compiled = torch.compile(run)
            began = time.time()
            with torch.no_grad():
                got = compiled(*made)
                row["first"] = time.time() - began
                with alone(lock):
                    inside[0] = True
                    row["worst"] = _worst(got, run(*made))
                    got = None
                    compiled(*made)
                    row["kernels"] = _profiled(torch, lambda: compiled(*made), flush)
                    row["whole"] = _whole(torch, lambda: compiled(*made), flush)
                    inside[0] = False
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {error}"[:2000]
        inside[0] = False
        made = compiled = got = None
        torch.cuda.empty_cache()
        with open(out, "a") as file:
            file.write(json.dumps(row) + "\n")


def _rows(folder, who):
    rows = {}
    for file in sorted(os.listdir(folder)):
        if file.startswith(who + "-") and file.endswith(".jsonl"):
            with open(os.path.join(folder, file)) as lines:
                rows.update((row["model"], row) for row in map(json.loads, lines))
    return rows


def _mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def table(folder):
    neso, triton = _rows(folder, "neso"), _rows(folder, "triton")
    kernels, wholes = [], []
    for name in sorted(set(neso) | set(triton)):
        mine, theirs = neso.get(name), triton.get(name)
        if not mine or not theirs or "error" in mine or "error" in theirs:
            print(f"{name:18} {(mine or {}).get('error', 'there' if mine else 'missing')[:70]!r} {(theirs or {}).get('error', 'there' if theirs else 'missing')[:70]!r}")
            continue
        wholes.append(theirs["whole"] / mine["whole"])
        print(f"{name:18} whole {mine['whole']:8.1f} {theirs['whole']:8.1f} {wholes[-1]:6.3f}  differs {mine['worst']:.0e}, {theirs['worst']:.0e}")
        for kernel in sorted(set(mine["kernels"]) & set(theirs["kernels"])):
            a, b = mine["kernels"][kernel], theirs["kernels"][kernel]
            kernels.append(b / a)
            print(f"    {kernel[:60]:60} {a:8.1f} {b:8.1f} {b / a:6.3f}{'  *' if b / a < 0.97 else ''}")
    print(f"{len(kernels)} kernels: geometric mean {_mean(kernels):.3f}, below 0.97: {sum(r < 0.97 for r in kernels)}; "
          f"{len(wholes)} models: {_mean(wholes):.3f}")


def run_all(options):
    folder = options.out or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    from inductor_models import MODELS
    names = [n for n in MODELS if not options.models or n in options.models]
    caches, children = tempfile.mkdtemp(), []
    for i in range(options.jobs):
        for who in ("neso", "triton"):
            if not names[i::options.jobs]:
                continue
            env = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": f"{caches}/{who}", "TRITON_CACHE_DIR": f"{caches}/{who}-t", "NESO_QUIET": "1"}
            env.pop("PYTHONPATH", None)
            if who == "neso":
                env["PYTHONPATH"] = options.neso
            out = os.path.join(folder, f"{who}-{i}.jsonl")
            with open(out[:-5] + "err", "w") as errors:
                children.append(subprocess.Popen([sys.executable, *(["-m", "neso"] if who == "neso" else []), os.path.abspath(__file__), "--child", out,
                                                  "--lock", f"{caches}/lock", "--models", *names[i::options.jobs]], env=env, stderr=errors))
    ends = time.time() + options.seconds
    for each in children:
        try:
            each.wait(max(0.1, ends - time.time()))
        except subprocess.TimeoutExpired:
            each.kill()
    table(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--neso")
    parser.add_argument("--out")
    parser.add_argument("--jobs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--table")
    parser.add_argument("--child")
    parser.add_argument("--lock")
    options = parser.parse_args()
    if options.table:
        table(options.table)
    elif options.child:
        child(options.child, options.lock, options.models)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
