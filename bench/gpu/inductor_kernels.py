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

CALLS = 15


_held = []


@contextlib.contextmanager
def alone(path):
    """The GPU for this process alone: others wait until what is queued here is done. May be nested."""
    import torch
    if _held:
        yield
        return
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _held.append(path)
        try:
            yield
        finally:
            torch.cuda.synchronize()
            _held.clear()
            fcntl.flock(file, fcntl.LOCK_UN)


def _locked(lock, owner, name):
    """Lets this function of a class run only with the GPU alone."""
    inner = getattr(owner, name)

    def run(*args, **keywords):
        with alone(lock):
            return inner(*args, **keywords)
    setattr(owner, name, run)


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


def _profiled(torch, each, flush):
    """Calls each of the functions CALLS times with the cache flushed; the medians of the Triton kernels that the profiler saw, in order."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for run in each:
            for _ in range(CALLS):
                flush.zero_()
                run()
        torch.cuda.synchronize()
    took = sorted((event.start_ns(), event.duration_ns() / 1000) for event in seen.profiler.kineto_results.events() if event.name().startswith("triton_"))
    took = [t for _, t in took]
    if len(took) != len(each) * CALLS:
        raise ValueError(f"{len(took)} kernels were seen, not {len(each) * CALLS}")
    return [sorted(took[i:i + CALLS])[CALLS // 2] for i in range(0, len(took), CALLS)]


def _watch(kernels):
    """Lists each kernel of the next compiled call: by its name its autotuner, all its launchers and its arguments."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner
    choose, run = CachingAutotuner.autotune_to_one_config, CachingAutotuner.run

    def chosen(self, *args, **keywords):
        self.all_launchers = list(self.launchers)
        return choose(self, *args, **keywords)

    def ran(self, *args, stream, benchmark_run=False, **keywords):
        kernels.setdefault(self.inductor_meta.get("kernel_name") or self.fn.__name__, (self, args, stream, keywords))
        return run(self, *args, stream=stream, benchmark_run=benchmark_run, **keywords)
    CachingAutotuner.autotune_to_one_config, CachingAutotuner.run = chosen, ran


def _configurations(torch, kernel, flush):
    """Microseconds of each configuration that the autotuner had, and of what it chose."""
    tuner, args, stream, keywords = kernel
    launchers = getattr(tuner, "all_launchers", None) or tuner.launchers
    took = _profiled(torch, [lambda launcher=launcher: launcher(*args, **keywords, stream=stream) for launcher in launchers], flush)
    rows = {}
    for launcher, time_ in zip(launchers, took):
        config = launcher.config
        key = " ".join([*(f"{k}={v}" for k, v in sorted(config.kwargs.items())), f"warps={config.num_warps}", f"stages={config.num_stages}"])
        rows[key] = {"us": time_, "registers": launcher.n_regs, "spills": launcher.n_spills, "shared": launcher.shared,
                     "chosen": launcher is tuner.launchers[0]}
    return rows


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
    from torch._inductor.runtime.benchmarking import benchmarker
    config.compile_threads = 1
    from inductor_models import MODELS as models
    seen = {}
    _watch(seen)
    _locked(lock, CompiledFxGraph, "__call__")
    _locked(lock, type(benchmarker), "benchmark_gpu")
    flush = torch.empty(1 << 27, dtype=torch.int8, device="cuda")
    flush.zero_()
    for name in names:
        run, shapes, options = models[name]
        row = {"model": name}
        try:
            torch._dynamo.reset()
            with alone(lock):
                made = _made(torch, shapes)
            compiled = torch.compile(run, options=options or None)
            began = time.time()
            with torch.no_grad():
                got = compiled(*made)
                row["first"] = time.time() - began
                with alone(lock):
                    row["worst"] = _worst(got, run(*made))
                    got = None
                    seen.clear()
                    compiled(*made)
                    kernels = dict(seen)
                    row["whole"] = _whole(torch, lambda: compiled(*made), flush)
                    row["kernels"], row["sources"], row["failed"] = {}, {}, {}
                    for kernel, called in kernels.items():
                        try:
                            row["kernels"][kernel] = _configurations(torch, called, flush)
                            row["sources"][kernel] = called[0].fn.src or ""
                        except Exception as error:
                            row["failed"][kernel] = f"{type(error).__name__}: {error}"[:300]
                    kernels = called = None
                    seen.clear()
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {error}"[:2000]
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


def _compared(name, mine, theirs, ratios, wholes):
    """The lines of one model; ratios gets those of kernels as chosen, by the best configuration of each, and of all configurations."""
    wholes.append(theirs["whole"] / mine["whole"])
    print(f"{name:18} whole {mine['whole']:8.1f} {theirs['whole']:8.1f} {wholes[-1]:6.3f}  differs {mine['worst']:.0e}, {theirs['worst']:.0e}")
    for kernel in sorted(set(mine["kernels"]) & set(theirs["kernels"])):
        a, b = mine["kernels"][kernel], theirs["kernels"][kernel]
        both = [key for key in a if key in b]
        chosen = [next((r["us"] for r in rows.values() if r["chosen"]), math.nan) for rows in (a, b)]
        least = [min(r["us"] for r in rows.values()) for rows in (a, b)]
        ratios["chosen"].append(chosen[1] / chosen[0])
        ratios["best"].append(least[1] / least[0])
        print(f"    {kernel[:60]:60} best {least[0]:8.1f} {least[1]:8.1f} {ratios['best'][-1]:6.3f}{'  *' if ratios['best'][-1] < 0.97 else ''}")
        for key in both:
            ratios["all"].append(b[key]["us"] / a[key]["us"])
            marks = "".join(who for who, rows in (("n", a), ("t", b)) if rows[key]["chosen"])
            print(f"        {key:56} {marks:2} {a[key]['us']:8.1f} {b[key]['us']:8.1f} {ratios['all'][-1]:6.3f}{'  *' if ratios['all'][-1] < 0.97 else ''}"
                  f"  registers {a[key]['registers']} {b[key]['registers']}")
    for who, row in (("neso", mine), ("triton", theirs)):
        for kernel, error in row["failed"].items():
            print(f"    {kernel[:60]:60} {who}: {error}")


def table(folder, other="triton"):
    neso, triton = _rows(folder, "neso"), _rows(folder, other)
    ratios, wholes = {"chosen": [], "best": [], "all": []}, []
    for name in sorted(set(neso) | set(triton)):
        mine, theirs = neso.get(name), triton.get(name)
        if not mine or not theirs or "error" in mine or "error" in theirs:
            print(f"{name:18} {(mine or {}).get('error', 'there' if mine else 'missing')[:170]!r} {(theirs or {}).get('error', 'there' if theirs else 'missing')[:170]!r}")
            continue
        _compared(name, mine, theirs, ratios, wholes)
    for what, of in ratios.items():
        print(f"{len(of)} {what}: geometric mean {_mean([r for r in of if r == r]):.3f}, below 0.97: {sum(r < 0.97 for r in of)}")
    print(f"{len(wholes)} models: {_mean(wholes):.3f}")


def run_all(options):
    folder = options.out or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    from inductor_models import MODELS
    names = options.models or list(MODELS)
    caches, children = tempfile.mkdtemp(), []
    for i in range(options.jobs):
        for who in ("neso", "triton", *(["before"] if options.before else [])):
            if not names[i::options.jobs]:
                continue
            env = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": f"{caches}/{who}", "TRITON_CACHE_DIR": f"{caches}/{who}-t", "NESO_QUIET": "1"}
            env.pop("PYTHONPATH", None)
            if who != "triton":
                env["PYTHONPATH"] = options.neso if who == "neso" else options.before
            if who == "before":
                env["LD_LIBRARY_PATH"] = env["NESO_CODEGEN_PATH"] = os.path.dirname(os.path.abspath(options.before))
            out = os.path.join(folder, f"{who}-{i}.jsonl")
            with open(out[:-5] + "err", "w") as errors:
                children.append(subprocess.Popen([sys.executable, *(["-m", "neso"] if who != "triton" else []), os.path.abspath(__file__), "--child", out,
                                                  "--lock", f"{caches}/lock", "--models", *names[i::options.jobs]], env=env, stderr=errors))
    ends = time.time() + options.seconds
    for each in children:
        try:
            each.wait(max(0.1, ends - time.time()))
        except subprocess.TimeoutExpired:
            each.kill()
    table(folder)
    if options.before:
        print("\nbeside what was before")
        table(folder, "before")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--neso")
    parser.add_argument("--before", help="another folder that has neso/, to be compared too")
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
