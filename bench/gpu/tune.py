"""Tuning beside Triton: 24 configurations of a product from nothing, and searches beside lists written by hand.

    PYTHONPATH=build/release/python python3 bench/gpu/tune.py [--turns N] [--only nothing|search] [--impl neso,triton] [--json FILE]

`nothing`: in new processes with empty caches, the wall time of an autotuned kernel's first call (fp16, 4096 cubed, 24
configurations), what was chosen, and its rate when the clock has settled; for Neso also a second process with the file of choices,
once as it is and once where measuring is an error. `search`: `neso tune` with the list, then with one configuration of it and `--search
auto` over a third as many; the two choices then race in one process. Without a GPU `search` tunes the interpreter with small
arrays, which shows that the script runs."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TILES = [(128, 256, 64, 8), (128, 128, 64, 8), (128, 128, 64, 4), (128, 64, 64, 4), (64, 128, 64, 4), (64, 256, 32, 4),
         (256, 128, 64, 8), (64, 64, 64, 4)]
LIST = [(bm, bn, bk, warps, stages) for bm, bn, bk, warps in TILES for stages in (2, 3, 4)]


def first_call(package, size):
    """What a new process measures: the first call of a tuned product. Prints a line of JSON."""
    import importlib.util
    import torch
    os.environ["TILE_IMPL"] = package
    spec = importlib.util.spec_from_file_location("dot_kernels", os.path.join(HERE, "dot_kernels.py"))
    kernels = importlib.util.module_from_spec(spec)
    sys.modules["dot_kernels"] = kernels
    spec.loader.exec_module(kernels)
    triton, tl = kernels.triton, kernels.tl
    configs = [triton.Config({"BM": bm, "BN": bn, "BK": bk}, num_warps=warps, num_stages=stages)
               for bm, bn, bk, warps, stages in LIST]
    kernel = triton.autotune(configs, key=["M", "N", "K"])(kernels.matmul)
    a, b = (torch.randn((size, size), dtype=torch.float16, device="cuda") for _ in range(2))
    c = torch.empty((size, size), dtype=torch.float16, device="cuda")

    def call():
        kernel[lambda meta: (triton.cdiv(size, meta["BM"]) * triton.cdiv(size, meta["BN"]), )](
            a, b, c, size, size, size, size, 1, size, 1, size, 1, GROUP=8, ACC=tl.float32, PRECISION="tf32")

    torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    want = a.float() @ b.float()
    error = ((c.float() - want).abs().max() / want.abs().max()).item()
    times = []
    for _ in range(30):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    print(json.dumps({"seconds": seconds, "error": error, "config": str(kernel.best_config),
                      "tflops": 2e-9 * size**3 / statistics.median(times)}))


def child(package, folder, size, **settings):
    env = dict(os.environ, TRITON_CACHE_DIR=os.path.join(folder, package), **settings)
    done = subprocess.run([sys.executable, __file__, "--child", package, "--size", str(size)], env=env, capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr[-2000:]}
    return json.loads(done.stdout.splitlines()[-1])


def from_nothing(turns, size, packages):
    rows = []
    for turn in range(turns):
        for package in packages:
            with tempfile.TemporaryDirectory() as folder:
                chosen = {"NESO_TUNED": os.path.join(folder, "tuned.json")} if package == "neso" else {}
                rows.append(dict(child(package, folder, size, NESO_TUNE="record", **chosen), what="first", package=package))
                if turn == 0 and package == "neso":
                    for mode in ("measure", "never"):
                        rows.append(dict(child(package, folder, size, NESO_TUNE=mode, **chosen), what=mode, package=package))
    for row in rows:
        print("%-7s %-8s %8s s %8s TFLOP/s  %s" % (row["package"], row["what"], "%.2f" % row.get("seconds", -1),
                                                  "%.1f" % row.get("tflops", -1), row.get("config", row["error"])), flush=True)
    median = {p: statistics.median([r["seconds"] for r in rows if r["what"] == "first" and r["package"] == p and "seconds" in r] or [0])
              for p in packages}
    if len(median) == 2 and all(median.values()):
        print("first call, Neso over Triton: %.3f" % (median["neso"] / median["triton"]))
    return rows


def search_rows(gpu):
    """Of each kernel: its name, the command's words, a list by hand, and what a search begins with."""
    n, long = (4096, 4096) if gpu else (128, 512)
    square = "%dx%d" % (n, n)
    product = ["dot_kernels.py:matmul", "--grid", "cdiv(M,BM)*cdiv(N,BN)", f"a=randn:{square}:fp16", f"b=randn:{square}:fp16",
               f"c=zeros:{square}:fp16", *(f"{name}={n}" for name in ("M", "N", "K", "sam", "sbk", "scm")),
               "sak=1", "sbn=1", "scn=1", "GROUP=8", "ACC=tl.float32", "PRECISION='tf32'"]
    rows = "4x16" if gpu else "1x1"
    shape = f"{rows}x{long}x128"
    heads = 16 if gpu else 1
    attention = ["dot_kernels.py:attention", "--grid", f"cdiv(N,BM),{4 * heads if gpu else 1}",
                 *(f"{name}=randn:{shape}:fp16" for name in ("Q", "K", "V")), f"O=zeros:{shape}:fp16", "scale=0.088", f"N={long}",
                 f"H={heads}", f"sz={heads * long * 128}", f"sh={long * 128}", "sn=128", "D=128", "CAUSAL=False"]
    tall = "8192x4096" if gpu else "64x4096"
    softmax = ["kernels.py:softmax", "--grid", tall.split("x")[0], f"o=zeros:{tall}:fp32", f"x=randn:{tall}:fp32", "stride_o=4096",
               "stride_x=4096", "n=4096"]
    return [("product", product, ["BM=%d,BN=%d,BK=%d,num_warps=%d,num_stages=%d" % tile for tile in LIST]),
            ("softmax", softmax, [f"BLOCK={block},num_warps={warps}" for block in (4096, 8192, 16384) for warps in (4, 8, 16)]),
            ("attention", attention, [f"BM={bm},BN={bn},num_warps={warps},num_stages={stages}" for bm, warps in
                                      ((64, 4), (128, 4), (128, 8)) for bn in (32, 64, 128) for stages in (2, 3)])]


def neso_tune(words, configs, more, gpu):
    import neso
    command = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(neso.__file__)))), "neso")
    words = [os.path.join(HERE, words[0])] + words[1:]
    target = ["--target", "cuda"] if gpu else ["--budget", "10"]
    done = subprocess.run([command, "tune", *words, *(part for config in configs for part in ("-c", config)), *target, *more, "--json"],
                          env=dict(os.environ, TRITON_CACHE_DIR=tempfile.mkdtemp()), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return json.loads(done.stdout)


def compiled(result):
    return sum(c["state"] != "pruned" for c in result["candidates"])


def us(result, config):
    return 1e6 * [c["seconds"] for c in result["candidates"] if c["config"] == config][0]


def searches(gpu):
    rows = []
    for name, words, configs in search_rows(gpu):
        by_list = neso_tune(words, configs, [], gpu)
        third = len(configs) // 3
        found = neso_tune(words, configs[:1], ["--search", "auto", "--most", str(third)], gpu)
        pair = [by_list["config"], found["config"]]
        race = neso_tune(words, pair if pair[0] != pair[1] else pair[:1], [], gpu)
        row = {"kernel": name, "listed": len(configs), "compiled": compiled(found), "list": pair[0], "search": pair[1],
               "list_us": us(race, pair[0]), "search_us": us(race, pair[1]), "list_seconds": by_list["seconds"],
               "search_seconds": found["seconds"]}
        rows.append(row)
        print("%-10s list of %d %.1f us (%s); search, %d compiled, %.1f us (%s): %.3f of the list's speed" %
              (name, row["listed"], row["list_us"], row["list"], row["compiled"], row["search_us"], row["search"],
               row["list_us"] / row["search_us"]), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--only", choices=("nothing", "search"))
    parser.add_argument("--impl", default="neso,triton")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--json")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return first_call(args.child, args.size)
    try:
        import torch
        gpu = torch.cuda.is_available()
    except ImportError:
        gpu = False
    results = {}
    if args.only != "nothing":
        results["search"] = searches(gpu)
    if args.only != "search" and gpu:
        results["nothing"] = from_nothing(args.turns, args.size, args.impl.split(","))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
