"""Neso, Triton and torch on one GPU in one run: memory-bound kernels, launches, compile times.

    python3 bench/gpu/run.py [--out results.json] [--svg figure.svg] [--only WORD,...] [--impl neso,triton] [--quick]

Each row has the bytes that must move; what is printed is the rate, and ratios to Triton and to torch; of sums, softmax and
layer norms of 16 MB and more also to the faster of two copies of as many bytes, torch's and a kernel's, that take turns with
them. The implementations take turns, repetition by repetition, with the L2 cache flushed
before each; figures are medians. Results are compared with torch before anything is timed.
"""
import argparse
import importlib.util
import json
import math
import os
import statistics
import sys
import time

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
DEVICE = "cuda"


def load_kernels(implementation, name="kernels"):
    """The file NAME.py beside this one, as the implementation compiles it."""
    os.environ["TILE_IMPL"] = implementation
    spec = importlib.util.spec_from_file_location(f"{name}_{implementation}", os.path.join(HERE, f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def load_all(implementations, name):
    """({implementation: its module of NAME.py}, [what was missing])."""
    modules, missing = {}, []
    for implementation in implementations.split(","):
        try:
            modules[implementation] = load_kernels(implementation, name)
        except ImportError as error:
            missing.append(f"{implementation}: {error}")
    return modules, missing


def arguments(doc, repetitions, threads=None):
    """The options that programs which measure rows by several implementations share; THREADS: those that compile at once by default."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--out")
    parser.add_argument("--only", default="")
    parser.add_argument("--impl", default="neso,triton")
    parser.add_argument("--repetitions", type=int, default=repetitions)
    if threads:
        parser.add_argument("--threads", type=int, default=threads)
    return parser


def chosen_rows(rows, only):
    """Those with one of the words, which commas part, in their names; all where there is no word."""
    words = [w for w in only.split(",") if w]
    return [r for r in rows if not words or any(w in r.name for w in words)]


def keep(path, **found):
    """Writes what was found so far: it stays if time runs out."""
    if path:
        with open(path, "w") as file:
            json.dump({"gpu": torch.cuda.get_device_name(), **found}, file, indent=1)


def launch(kernel, grid, *args, warmup=False, **options):
    return kernel.warmup(*args, grid=grid, **options) if warmup else kernel[grid](*args, **options)


# ---- rows: name, bytes, how each implementation is called, torch's equivalent, how results are compared


class Row:
    def __init__(self, name, nbytes, call, reference=None, check=None, out=None, unit="GB/s"):
        self.name, self.nbytes, self.call, self.reference = name, nbytes, call, reference
        self.check, self.out, self.unit = check, out, unit


def cdiv(a, b):
    return -(-a // b)


def size_text(n):
    for unit, scale in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if n >= scale and n % scale == 0:
            return f"{n // scale}{unit}"
    return str(n)


def warps_for(n):
    return 4 if n <= 2048 else 8 if n <= 8192 else 16


def close(rtol=1e-5, atol=1e-5):
    def check(got, want):
        return torch.allclose(got.float(), want.float(), rtol=rtol, atol=atol, equal_nan=True)
    return check


def same(got, want):
    return torch.equal(got, want)


def elementwise_rows(rows, quick):
    x = torch.randn(1 << 28, device=DEVICE)
    y = torch.randn(1 << 28, device=DEVICE)
    o = torch.empty_like(x)
    for lg in ((12, 17, 24, 28) if quick else (10, 12, 14, 16, 17, 18, 20, 22, 24, 26, 28)):
        n = 1 << lg
        rows.append(Row(f"copy fp32 {size_text(4 * n)}B", 8 * n,
                        lambda k, n=n: k.copy[(cdiv(n, 1024),)](x, o, n, BLOCK=1024),
                        lambda n=n: o[:n].copy_(x[:n]), same, lambda n=n: o[:n]))
        rows.append(Row(f"add fp32 {size_text(n)}", 12 * n,
                        lambda k, n=n: k.add[(cdiv(n, 1024),)](x, y, o, n, BLOCK=1024),
                        lambda n=n: torch.add(x[:n], y[:n], out=o[:n]), same, lambda n=n: o[:n]))
    n = 1 << 26
    h = x[:n].half()
    b = x[:n].bfloat16()
    hb = torch.empty_like(h)
    bb = torch.empty_like(b)
    rows.append(Row("add fp16 64M", 6 * n, lambda k: k.add[(cdiv(n, 1024),)](h, h, hb, n, BLOCK=1024),
                    lambda: torch.add(h, h, out=hb), same, lambda: hb))
    rows.append(Row("add bf16 64M, unaligned", 6 * (n - 1),
                    lambda k: k.add[(cdiv(n - 1, 1024),)](b[1:], b[1:], bb[1:], n - 1, BLOCK=1024),
                    lambda: torch.add(b[1:], b[1:], out=bb[1:]), same, lambda: bb[1:]))
    for source, target in ((torch.float32, torch.float16), (torch.bfloat16, torch.float32), (torch.float32, torch.float8_e4m3fn),
                           (torch.float8_e4m3fn, torch.float16), (torch.int8, torch.float16), (torch.float32, torch.int32)):
        s = (x[:n] * 3).to(source)
        d = torch.empty(n, device=DEVICE, dtype=target)
        name = f"cast {str(source)[6:]} to {str(target)[6:]} 64M"
        rows.append(Row(name, n * (s.element_size() + d.element_size()),
                        lambda k, s=s, d=d: k.cast[(cdiv(n, 1024),)](s, d, n, BLOCK=1024),
                        lambda s=s, d=d: d.copy_(s), close(), lambda d=d: d))
    rows.append(Row("dropout fp32 64M", 8 * n, lambda k: k.dropout[(cdiv(n, 1024),)](x, o, n, 0.5, 123, BLOCK=1024),
                    lambda: torch.nn.functional.dropout(x[:n], 0.5)))
    rows.append(Row("swiglu bf16 64M", 6 * n, lambda k: k.swiglu[(cdiv(n, 1024),)](b, b, bb, n, BLOCK=1024),
                    lambda: torch.nn.functional.silu(b) * b))
    index = torch.randint(0, n, (n,), device=DEVICE, dtype=torch.int32)
    rows.append(Row("gather elements fp32 64M", 12 * n,
                    lambda k: k.gather_elements[(cdiv(n, 1024),)](x, index, o, n, BLOCK=1024),
                    lambda: torch.index_select(x[:n], 0, index, out=o[:n]), same, lambda: o[:n]))


def row_rows(rows, quick):
    for n in ((1024, 4096) if quick else (1000, 1024, 4096, 8192, 16384)):
        x = torch.randn(8192, n, device=DEVICE)
        o = torch.empty_like(x)
        w = torch.rand(n, device=DEVICE)
        b = torch.rand(n, device=DEVICE)
        mean = torch.empty(8192, device=DEVICE)
        rstd = torch.empty(8192, device=DEVICE)
        block, warps = 1 << (n - 1).bit_length(), warps_for(n)
        rows.append(Row(f"softmax 8192x{n}", 8 * x.numel(),
                        lambda k, x=x, o=o, n=n, B=block, W=warps: k.softmax[(8192,)](o, x, n, n, n, BLOCK=B, num_warps=W),
                        lambda x=x: torch.softmax(x, -1), close(), lambda o=o: o))
        rows.append(Row(f"layer norm 8192x{n}", 8 * x.numel(),
                        lambda k, x=x, o=o, w=w, b=b, m=mean, r=rstd, n=n, B=block, W=warps:
                        k.layernorm[(8192,)](x, o, w, b, m, r, n, n, 1e-5, BLOCK=B, num_warps=W),
                        lambda x=x, w=w, b=b, n=n: torch.nn.functional.layer_norm(x, (n,), w, b), close(1e-3, 1e-3), lambda o=o: o))
        if n in (1000, 16384):
            continue
        xb = x.bfloat16()
        ob = torch.empty_like(xb)
        rows.append(Row(f"rms norm bf16 8192x{n}", 4 * x.numel(),
                        lambda k, x=xb, o=ob, w=w, n=n, B=block, W=warps: k.rmsnorm[(8192,)](x, o, w, n, n, 1e-5, BLOCK=B, num_warps=W),
                        lambda x=xb, w=w, n=n: torch.nn.functional.rms_norm(x.float(), (n,), w, 1e-5).bfloat16(), close(2e-2, 2e-2),
                        lambda o=ob: o))
    M = N = 8192
    x = torch.randn(M, N, device=DEVICE)
    o = torch.empty_like(x)
    v = torch.empty(M, device=DEVICE)
    i = torch.empty(M, device=DEVICE, dtype=torch.int32)
    rows.append(Row("sum of rows 8192x8192", 4 * M * N,
                    lambda k: k.sum_rows[(cdiv(M, 8),)](x, v, M, N, BM=8, BN=1024),
                    lambda: torch.sum(x, 1, out=v), close(1e-3, 1e-2), lambda: v))
    vc = torch.zeros(N, device=DEVICE)
    rows.append(Row("sum of columns 8192x8192", 4 * M * N,
                    lambda k: k.sum_cols[(cdiv(N, 128), cdiv(M, 64))](x, vc, M, N, BM=64, BN=128),
                    lambda: torch.sum(x, 0)))
    rows.append(Row("argmax of rows 8192x8192", 4 * M * N, lambda k: k.argmax_rows[(M,)](x, i, N, BLOCK=N, num_warps=8),
                    lambda: torch.argmax(x, 1).int(), same, lambda: i))
    y = torch.randn(8192, 4096, device=DEVICE)
    yo = torch.empty_like(y)
    rows.append(Row("cumsum of rows 8192x4096", 8 * y.numel(), lambda k: k.cumsum_rows[(8192,)](y, yo, 4096, BLOCK=4096, num_warps=8),
                    lambda: torch.cumsum(y, 1, out=yo), close(1e-2, 1e-2), lambda: yo))
    for n, r in ((32, 64), (256, 8), (1024, 1)):
        z = torch.randn((1 << 22) // n, n, device=DEVICE)
        zo = torch.empty_like(z)
        rows.append(Row(f"sort of rows {z.shape[0]}x{n}", 8 * z.numel(),
                        lambda k, z=z, zo=zo, n=n, r=r: k.sort_rows[(z.shape[0] // r,)](z, zo, N=n, ROWS=r),
                        lambda z=z: torch.sort(z, 1)[0], same, lambda zo=zo: zo))
    rows.append(Row("transpose fp32 8192x8192", 8 * M * N,
                    lambda k: k.transpose[(M // 64, N // 64)](x, o, M, N, BM=64, BN=64),
                    lambda: o.copy_(x.T), same, lambda: o))
    h = x.half()
    ho = torch.empty_like(h)
    rows.append(Row("transpose fp16 8192x8192", 4 * M * N,
                    lambda k: k.transpose[(M // 64, N // 64)](h, ho, M, N, BM=64, BN=64),
                    lambda: ho.copy_(h.T), same, lambda: ho))
    index = torch.randint(0, 8192, (32768,), device=DEVICE)
    table = torch.randn(8192, 1024, device=DEVICE, dtype=torch.bfloat16)
    eo = torch.empty(32768, 1024, device=DEVICE, dtype=torch.bfloat16)
    rows.append(Row("embedding bf16 32768x1024", 2 * eo.numel() * 2,
                    lambda k: k.gather_rows[(32768,)](table, index, eo, 1024, BLOCK=1024),
                    lambda: torch.nn.functional.embedding(index, table), same, lambda: eo))


def other_rows(rows, quick):
    n = 1 << 26
    x = torch.randint(0, 1024, (n,), device=DEVICE, dtype=torch.int32)
    bins = torch.zeros(1024, device=DEVICE, dtype=torch.int32)
    rows.append(Row("histogram by atomics 64M", 4 * n, lambda k: k.histogram_atomics[(cdiv(n, 1024),)](x, bins, n, BLOCK=1024),
                    lambda: torch.bincount(x, minlength=1024)))
    rows.append(Row("histogram of tiles 64M", 4 * n,
                    lambda k: k.histogram_tile[(cdiv(n, 4096),)](x, bins, n, BINS=1024, BLOCK=4096),
                    lambda: torch.bincount(x, minlength=1024)))
    V = 32000
    logits = torch.randn(4096, V, device=DEVICE, dtype=torch.bfloat16)
    target = torch.randint(0, V, (4096,), device=DEVICE)
    loss = torch.empty(4096, device=DEVICE)
    rows.append(Row("cross-entropy bf16 4096x32000", 2 * logits.numel(),
                    lambda k: k.cross_entropy[(4096,)](logits, target, loss, V, BLOCK=4096, num_warps=8),
                    lambda: torch.nn.functional.cross_entropy(logits.float(), target, reduction="none"), close(1e-3, 1e-3),
                    lambda: loss))
    T, S, H, D = 16384, 4096, 32, 128
    q = torch.randn(T, H, D, device=DEVICE, dtype=torch.bfloat16)
    angle = torch.rand(S, D // 2, device=DEVICE)
    cos, sin = angle.cos().bfloat16(), angle.sin().bfloat16()
    qo = torch.empty_like(q)

    def rotate():
        c, s = cos.repeat(T // S, 1)[:, None], sin.repeat(T // S, 1)[:, None]
        a, b = q[..., :D // 2], q[..., D // 2:]
        return torch.cat((a * c - b * s, b * c + a * s), -1)
    rows.append(Row("rotary bf16 16384x32x128", 4 * q.numel(),
                    lambda k: k.rotary[(T, H)](q, cos, sin, qo, S, H, D=D, num_warps=1), rotate, close(2e-2, 2e-2), lambda: qo))


# ---- measuring


class Timer:
    def __init__(self):
        self.flush = torch.empty(256 << 20, dtype=torch.int8, device=DEVICE)

    def turns(self, calls, repetitions):
        """Medians in seconds of calls that take turns."""
        times = {name: [] for name in calls}
        for name, call in calls.items():
            for _ in range(3):
                call()
        torch.cuda.synchronize()
        for _ in range(repetitions):
            for name, call in calls.items():
                self.flush.zero_()
                a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                a.record()
                call()
                b.record()
                times[name].append((a, b))
        torch.cuda.synchronize()
        return {name: statistics.median(a.elapsed_time(b) for a, b in pairs) * 1e-3 for name, pairs in times.items()}


def check(row, name, call, failures):
    if not row.check:
        return True
    want = row.reference()
    want = want.clone() if isinstance(want, torch.Tensor) else want
    row.out().zero_()
    call()
    torch.cuda.synchronize()
    if row.check(row.out(), want.view(row.out().shape)):
        return True
    failures.append(f"{row.name}: {name} is wrong")
    return False


class Copies:
    """Copies of as many bytes as a row moves, half of them read and half written."""
    MOST = 1 << 29

    def __init__(self, modules):
        self.kernel = next(iter(modules.values())).copy if modules else None
        self.source = self.made = None

    def calls(self, row):
        if row.nbytes < 16 << 20 or row.nbytes > 2 * self.MOST * 4 or row.name.split()[0] not in ("add", "softmax", "layer"):
            return {}
        if self.source is None:
            self.source, self.made = (torch.empty(self.MOST, device=DEVICE) for _ in range(2))
        n = row.nbytes // 8
        calls = {"copy torch": lambda: self.made[:n].copy_(self.source[:n])}
        if self.kernel:
            calls["copy kernel"] = lambda: self.kernel[(cdiv(n, 1024),)](self.source, self.made, n, BLOCK=1024)
        return calls


def measure_rows(rows, modules, timer, repetitions, failures):
    results = []
    copies = Copies(modules)
    for row in rows:
        calls = {}
        for name, module in modules.items():
            try:
                call = lambda module=module: row.call(module)
                call()
                torch.cuda.synchronize()
                check(row, name, call, failures)
                calls[name] = call
            except Exception as error:
                failures.append(f"{row.name}: {name}: {type(error).__name__}: {str(error)[:300]}")
        if row.reference:
            calls["torch"] = row.reference
        seconds = timer.turns({**calls, **copies.calls(row)}, repetitions)
        results.append({"name": row.name, "bytes": row.nbytes, "seconds": {n: s for n, s in seconds.items() if n in calls}})
        copied = [s for n, s in seconds.items() if n not in calls]
        if copied:
            results[-1]["copy_seconds"] = min(copied)
        print_row(results[-1])
    return results


def print_row(result):
    s, nbytes = result["seconds"], result["bytes"]
    rates = "  ".join(f"{name} {nbytes / t / 1e9:7.0f}" for name, t in s.items())
    ratio = ""
    if "neso" in s:
        ratio = "  ".join(f"/{name} {s[name] / s['neso']:.3f}" for name in s if name != "neso")
        if "copy_seconds" in result:
            ratio += f"  /copy {result['copy_seconds'] / s['neso']:.3f}"
    print(f"{result['name']:34s} {rates}  GB/s  {ratio}", flush=True)


def measure_launch(modules):
    """Microseconds of a launch that is known, without waiting for it."""
    a = torch.empty(16, device=DEVICE)
    out = {}
    for name, module in modules.items():
        for args, kernel in ((2, module.empty), (8, module.empty8)):
            call = (lambda: kernel[(1,)](a, 3)) if args == 2 else (lambda: kernel[(1,)](a, a, a, a, 3, 5, 7, 11))
            for _ in range(200):
                call()
            torch.cuda.synchronize()
            laps = []
            for _ in range(20):
                began = time.perf_counter()
                for _ in range(300):
                    call()
                laps.append((time.perf_counter() - began) / 300 * 1e6)
                torch.cuda.synchronize()
            out[f"{name}/{args}"] = statistics.median(laps)
    return out


def device_microseconds(call, repetitions=200):
    """Median time on the device alone, from the driver's own trace."""
    from torch.profiler import ProfilerActivity, profile
    call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        for _ in range(repetitions):
            call()
        torch.cuda.synchronize()
    times = [e.device_time for e in trace.events() if e.device_time > 0 and "Memset" not in e.name and "Sync" not in e.name]
    return statistics.median(times)


def wall_microseconds(call, repetitions=2000):
    """Time a call when many follow one another, the last one's end included."""
    laps = []
    for _ in range(7):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(repetitions):
            call()
        torch.cuda.synchronize()
        laps.append((time.perf_counter() - began) / repetitions * 1e6)
    return statistics.median(laps)


def measure_small(modules):
    """Vector adds that fit the caches: (device, wall) microseconds of each implementation and of torch.add."""
    out = []
    for lg in range(12, 18):
        n = 1 << lg
        x, y, o = (torch.randn(n, device=DEVICE) for _ in range(3))
        rows = {"torch": lambda: torch.add(x, y, out=o)}
        for name, module in modules.items():
            for block in (128, 256, 512, 1024):
                grid = (cdiv(n, block),)
                rows[f"{name}/{block}"] = lambda module=module, block=block, grid=grid: module.add[grid](x, y, o, n, BLOCK=block)
        out.append({"n": n, **{name: (device_microseconds(call), wall_microseconds(call)) for name, call in rows.items()}})
        print(f"add {size_text(n):5s} device/wall us: " +
              "  ".join(f"{k} {v[0]:.2f}/{v[1]:.2f}" for k, v in out[-1].items() if k != "n"), flush=True)
    return out


def geometric(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def write_svg(path, results):
    """A bar for each row: Neso's rate over Triton's."""
    bars = [(r["name"], r["seconds"]["triton"] / r["seconds"]["neso"]) for r in results
            if "neso" in r["seconds"] and "triton" in r["seconds"]]
    height, width, left = 18, 300, 260
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + 2 * width}" height="{height * (len(bars) + 2)}" '
             'font-family="sans-serif" font-size="11">']
    for i, (name, ratio) in enumerate(bars):
        y = height * (i + 1)
        color = "#2a7" if ratio >= 1 else "#c80" if ratio >= 0.95 else "#c33"
        lines.append(f'<text x="{left - 6}" y="{y + 12}" text-anchor="end">{name}</text>')
        lines.append(f'<rect x="{left}" y="{y + 2}" width="{min(ratio, 1.9) * width:.1f}" height="{height - 5}" fill="{color}"/>')
        lines.append(f'<text x="{left + min(ratio, 1.9) * width + 4:.1f}" y="{y + 12}">{ratio:.3f}</text>')
    lines.append(f'<line x1="{left + width}" y1="0" x2="{left + width}" y2="{height * (len(bars) + 2)}" stroke="#000"/></svg>')
    with open(path, "w") as file:
        file.write("\n".join(lines))


def main():
    parser = arguments(__doc__, 30)
    parser.add_argument("--svg")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(0)
    modules, failures = load_all(args.impl, "kernels")
    rows = []
    for make in (elementwise_rows, row_rows, other_rows):
        make(rows, args.quick)
    rows = chosen_rows(rows, args.only)
    results = measure_rows(rows, modules, Timer(), args.repetitions, failures)
    launches = measure_launch(modules)
    small = measure_small(modules) if not args.only or "small" in args.only else []
    both = {r["name"]: r["seconds"]["triton"] / r["seconds"]["neso"] for r in results
            if {"neso", "triton"} <= set(r["seconds"])}
    keep(args.out, rows=results, launch_us=launches, small_adds=small, failures=failures)
    if args.svg:
        write_svg(args.svg, results)
    print("\nlaunch, microseconds:", {k: round(v, 2) for k, v in launches.items()})
    if both:
        worst = sorted(both.items(), key=lambda item: item[1])[:8]
        print(f"Neso over Triton: geometric mean {geometric(both.values()):.4f}, worst:",
              ", ".join(f"{name} {ratio:.3f}" for name, ratio in worst))
    large = [r for r in results if "copy_seconds" in r and "neso" in r["seconds"]]
    if large:
        print("over a copy of the same bytes:",
              ", ".join(f"{r['name']} {r['copy_seconds'] / r['seconds']['neso']:.3f}" for r in large))
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
