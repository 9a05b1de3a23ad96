"""What the first launch of a kernel costs in a new process when the cache has it, above the driver's own calls.

    PYTHONPATH=build/release/python python3 bench/gpu/first_launch.py [--rounds N] [--json FILE]

Two kinds of processes take turns. One has torch's context, tensors and the kernel's module imported, and takes the time from
`kernel[grid](...)` until that returns, and until the GPU has finished. The other has the same context and takes the time from the
cubin in memory to a finished launch by the driver's functions alone (test/bench/launch_ways.c, target launch_bench). Medians, in milliseconds.

Without torch on a GPU, stand-ins for tensors and the driver of the tests (bench/gpu/launches.py) show what is Neso's own."""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Tensors, then numbers and constexprs by name; the grid is one program.
CASES = {"add": (3, (4096, ), {"BLOCK": 1024}), "softmax": (2, (4096, 4096, 4096), {"BLOCK": 4096}),
         "layernorm": (6, (4096, 4096, 1e-5), {"BLOCK": 4096})}


def load(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def tensors_here(launches):
    """A function that makes a tensor, one that waits for the GPU, and the driver's functions."""
    torch = launches.torch_or_none()
    if torch is None:
        ways = launches.Ways()
        stand_in = launches.stand_ins(ways)
        return (lambda: stand_in()), (lambda: None), ways
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    return (lambda: torch.zeros(8192, device="cuda")), torch.cuda.synchronize, launches.Ways()


def launch(case, profile):
    """Prints (milliseconds until the call returned, until the GPU had finished, kernel's name, threads); writes the cubin where the
    environment says."""
    tensor, wait, _ = tensors_here(load("launches"))
    kernel = getattr(load("kernels"), case)
    count, numbers, constants = CASES[case]
    tensors = [tensor() for _ in range(count)]
    wait()
    if profile:
        import cProfile
        import pstats
        with cProfile.Profile() as taken:
            kernel[(1, )](*tensors, *numbers, **constants)
        return pstats.Stats(taken).sort_stats("tottime").print_stats(25)
    began = time.perf_counter()
    compiled = kernel[(1, )](*tensors, *numbers, **constants)
    returned = time.perf_counter()
    wait()
    finished = time.perf_counter()
    if "FIRST_LAUNCH_CUBIN" in os.environ:
        with open(os.environ["FIRST_LAUNCH_CUBIN"], "wb") as file:
            file.write(compiled.asm["cubin"])
    print(json.dumps(((returned - began) * 1e3, (finished - began) * 1e3, compiled.metadata.name, 32 * compiled.metadata.num_warps)))


def launch_raw(cubin, name, threads):
    """Prints (milliseconds of cuModuleLoadData, until the GPU had finished)."""
    _, _, ways = tensors_here(load("launches"))
    with open(cubin, "rb") as file:
        image = file.read()
    finished, loading = ways.first(image, name, int(threads))
    print(json.dumps((loading / 1e3, finished / 1e3)))


def child(*arguments, **environment):
    done = subprocess.run([sys.executable, os.path.abspath(__file__), *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, **environment})
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def measure(case, rounds, folder):
    cubin = os.path.join(folder, case + ".cubin")
    *_, name, threads = child("--launch", case, FIRST_LAUNCH_CUBIN=cubin)
    ours, raw = [], []
    for _ in range(rounds):
        ours.append(child("--launch", case)[:2])
        raw.append(child("--raw", cubin, name, threads))
    middle = statistics.median
    row = {"returned": middle(o[0] for o in ours), "finished": middle(o[1] for o in ours), "cuModuleLoadData": middle(r[0] for r in raw),
           "raw finished": middle(r[1] for r in raw)}
    row["more"] = middle(o[1] - r[1] for o, r in zip(ours, raw))
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    parser.add_argument("--profile", action="store_true", help="what Python's profiler says of one launch")
    parser.add_argument("--launch", choices=CASES, help=argparse.SUPPRESS)
    parser.add_argument("--raw", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.launch:
        return launch(options.launch, options.profile)
    if options.raw:
        return launch_raw(*options.raw)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("TRITON_CACHE_DIR", folder)
        rows = {case: measure(case, options.rounds, folder) for case in CASES}
    words = list(rows["add"])
    print(f"{'milliseconds':12s}  " + "  ".join(words))
    for case, row in rows.items():
        print(f"{case:12s}  " + "  ".join(f"{row[w]:{len(w)}.3f}" for w in words))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
