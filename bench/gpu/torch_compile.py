"""torch.compile on a GPU, program by program: is the result right, how long does the first call take, how fast is it then.

    python3 torch_compile.py --out triton.json                 # with the Triton that torch finds
    python3 -m neso torch_compile.py --out neso.json           # with neso
    python3 torch_compile.py --compare neso.json triton.json
    python3 torch_compile.py --turns 3 --neso PYTHONPATH_OF_NESO --out turns.json transformer_block resnet

The last runs both in turns, each in processes of their own: cold with empty folders, then warm with what that left; last once more cold under
Python's profiler, which says how much of the first call is the Triton that torch finds. Processes of one heat start together, and wait for their turn
when torch and its workers are there.

Caches are where TORCHINDUCTOR_CACHE_DIR says: an empty folder gives cold times, a second run with it warm ones. Workers are started
before the first program is timed."""

import argparse
import json
import os
import sys
import time
import traceback

PROGRAMS = {}


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def _rand(*shape, dtype=None, grad=False):
    import torch
    return torch.randn(*shape, device="cuda", dtype=dtype or torch.float32, requires_grad=grad)


@program
def pointwise():
    import torch
    return (lambda x, y: torch.where(x > 0, torch.relu(x * 2 + y).sin(), torch.erf(y)) / (1 + y.abs())), (_rand(4096, 4096), _rand(4096)), {}


@program
def reductions():
    return (lambda x: (x.sum(1), x.amax(0), x.mean(), x.var(1), x.argmax(1))), (_rand(4096, 4096), ), {}


@program
def softmax():
    import torch
    return (lambda x: torch.softmax(x, -1)), (_rand(8192, 4096), ), {}


@program
def layer_norm():
    import torch.nn.functional as F
    return (lambda x, w, b: F.layer_norm(x, (x.shape[-1], ), w, b) + x), (_rand(8192, 2048), _rand(2048), _rand(2048)), {}


@program
def scan():
    import torch
    return (lambda x: (torch.cumsum(x, 1), torch.cummax(x, 1)[0])), (_rand(2048, 1024), ), {}


@program
def index():
    import torch
    at = torch.randint(0, 5000, (20000, ), device="cuda")
    return (lambda x, i: (x[i] * 2, torch.zeros_like(x).index_add(0, i, x[i]))), (_rand(5000, 256), at), {}


@program
def sort():
    import torch
    return (lambda x: torch.sort(x, dim=1)[0]), (_rand(4096, 256), ), {}


class _Residual:

    def __new__(cls, width):
        import torch.nn as nn

        class Residual(nn.Module):

            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
                self.na, self.nb = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

            def forward(self, x):
                y = self.nb(self.b(self.na(self.a(x)).relu()))
                return (x + y).relu()
        return Residual()


@program
def convolution():
    import torch.nn as nn
    net = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), _Residual(64), _Residual(64),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 100)).cuda().eval()
    return net, (_rand(32, 3, 128, 128), ), {}


@program
def resnet():
    import torch
    import torch.nn as nn

    class Basic(nn.Module):

        def __init__(self, before, width, stride):
            super().__init__()
            self.a, self.na = nn.Conv2d(before, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
            self.b, self.nb = nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
            self.short = nn.Sequential(nn.Conv2d(before, width, 1, stride, bias=False), nn.BatchNorm2d(width)) if stride > 1 else nn.Identity()

        def forward(self, x):
            return (self.short(x) + self.nb(self.b(self.na(self.a(x)).relu()))).relu()
    torch.manual_seed(0)
    widths = (64, 64, 128, 256, 512)
    blocks = [Basic(widths[i] if j == 0 else widths[i + 1], widths[i + 1], 2 if i and j == 0 else 1) for i in range(4) for j in range(2)]
    net = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks,
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)).cuda().eval().requires_grad_(False)
    return net, (_rand(32, 3, 224, 224), ), {}


@program
def max_autotune():
    import torch
    a, b = _rand(2048, 2048, dtype=torch.bfloat16), _rand(2048, 2048, dtype=torch.bfloat16)
    return (lambda a, b: (a @ b).relu() + 1), (a, b), {"mode": "max-autotune-no-cudagraphs"}


@program
def max_autotune_tma():
    import torch
    import torch._inductor.config as config
    config.triton.enable_persistent_tma_matmul = True
    a, b = _rand(2048, 1024, dtype=torch.bfloat16), _rand(1024, 2048, dtype=torch.bfloat16)
    return (lambda a, b: torch.nn.functional.gelu(a @ b)), (a, b), {"mode": "max-autotune-no-cudagraphs"}


@program
def dynamic_shapes():
    return (lambda x, y: (x[:, None] * y[None, :]).sum(1) + x.shape[0]), (_rand(3001), _rand(777)), {"dynamic": True}


@program
def cudagraphs():
    import torch
    return (lambda x: torch.softmax(x.sin() * 3, -1).sum(0)), (_rand(1024, 1024), ), {"mode": "reduce-overhead"}


def _block(width, heads, dtype):
    import torch
    import torch.nn as nn
    import torch.nn.functional as F

    class Block(nn.Module):

        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            b, t, c = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, heads, c // heads).permute(2, 0, 3, 1, 4)
            x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, c))
            return x + self.down(F.gelu(self.up(self.norm2(x))))
    torch.manual_seed(0)
    return Block().cuda().to(dtype)


@program
def transformer_block():
    import torch
    return _block(1024, 16, torch.bfloat16), (_rand(8, 512, 1024, dtype=torch.bfloat16), ), {}


@program
def training():
    import torch
    block = _block(512, 8, torch.float32)

    def step(run):
        def go(x):
            loss = run(x).square().mean()
            return (loss, *torch.autograd.grad(loss, list(block.parameters())))
        return go
    run = step(block)
    run.compiled = lambda: step(torch.compile(block))
    return run, (_rand(4, 256, 512), ), {}


@program
def flex_attention():
    import torch
    from torch.nn.attention.flex_attention import flex_attention as flex
    q, k, v = (_rand(4, 8, 1024, 64, dtype=torch.bfloat16) for _ in range(3))
    return (lambda q, k, v: flex(q, k, v, score_mod=lambda s, b, h, i, j: s + (i - j) * 0.01)), (q, k, v), {}


@program
def flex_backward():
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention as flex
    q, k, v = (_rand(2, 4, 512, 64, dtype=torch.bfloat16, grad=True) for _ in range(3))
    mask = create_block_mask(lambda b, h, i, j: i >= j, 2, 4, 512, 512)

    def step(run):
        def go(q, k, v):
            out = run(q, k, v, block_mask=mask)
            return (out, *torch.autograd.grad(out.float().square().sum(), (q, k, v)))
        return go
    run = step(flex)
    run.compiled = lambda: step(torch.compile(flex))
    return run, (q, k, v), {}


@program
def user_kernel():
    import torch
    import triton
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "torch"))
    import kernels

    def run(x, y):
        return kernels.add(x, y), kernels.scale(x), kernels.operator(y), kernels.loop(x[:1000].contiguous())
    return run, (_rand(100000), _rand(100000)), {}


def _flat(values):
    return list(values) if isinstance(values, (tuple, list)) else [values]


def _worst(got, wanted):
    """The greatest difference, by the size of what is wanted."""
    worst = 0.0
    for g, w in zip(_flat(got), _flat(wanted), strict=True):
        g, w = g.detach().double(), w.detach().double()
        worst = max(worst, ((g - w).abs().max() / (w.abs().max() + 1e-30)).item())
    return worst


def _steady(run, arguments):
    """Microseconds of a call, the least mean of some batches."""
    import torch
    for _ in range(10):
        run(*arguments)
    torch.cuda.synchronize()
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(20):
            run(*arguments)
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - began) / 20)
    return best * 1e6


def _ours(profile):
    """Seconds of a profile that lie in the Triton that torch finds, by what torch calls in it; and all others by the package of the function."""
    import pstats
    entered, own, waits = {}, {}, 0.0

    def package(where):
        path = where[0]
        for part in ("neso", "triton", "torch/_dynamo", "torch/_inductor", "torch/_functorch", "torch/fx", "torch", "sympy"):
            if f"/site-packages/{part}/" in path or part == "neso" and "/neso/" in path:
                return part
        return "python"
    ours = ("neso", "triton")
    for where, (_, _, own_time, _, callers) in pstats.Stats(profile).stats.items():
        if where[2] in ("<method 'acquire' of '_thread.lock' objects>", "<built-in method time.sleep>"):
            waits += own_time
        own[package(where)] = own.get(package(where), 0.0) + own_time
        if package(where) in ours:
            for caller, (_, _, _, whole) in callers.items():
                if package(caller) not in ours:
                    name = f"{os.path.basename(where[0])}:{where[2]}"
                    entered[name] = entered.get(name, 0.0) + whole
    most = sorted(entered.items(), key=lambda item: -item[1])[:12]
    return {"entered": sum(entered.values()), "most": most, "own": own, "waits": waits}


def measure(name, threads=None, profiled=False):
    import torch
    import torch._inductor.runtime.triton_heuristics as heuristics
    import torch._inductor.config as config
    import torch._dynamo.utils
    torch._dynamo.reset()
    torch._dynamo.utils.compilation_time_metrics.clear()
    torch.manual_seed(0)
    counts = {}
    for kind in (heuristics.StaticTritonCompileResult, heuristics.TritonCompileResult):
        inner = kind.__dict__.get("make_launcher_before") or kind.make_launcher
        kind.make_launcher_before = inner

        def make(self, inner=inner, kind=kind):
            counts[kind.__name__] = counts.get(kind.__name__, 0) + 1
            return inner(self)
        kind.make_launcher = make
    if threads:
        config.compile_threads = threads
    run, arguments, keywords = PROGRAMS[name]()
    compiled = run.compiled() if hasattr(run, "compiled") else torch.compile(run, **keywords)
    torch.cuda.synchronize()
    import cProfile
    profile = cProfile.Profile()
    began = time.perf_counter()
    if profiled:
        profile.enable()
    got = compiled(*arguments)
    torch.cuda.synchronize()
    profile.disable()
    first = time.perf_counter() - began
    got = [g.clone() for g in _flat(got)]
    worst = _worst(got, run(*arguments))
    import torch._dynamo.utils as utils
    phases = {name: sum(took) for name, took in utils.compilation_time_metrics.items()}
    found = {"first": first, "worst": worst, "launchers": counts, "phases": phases}
    if profiled:
        return {**found, "steady": float("nan"), "profile": _ours(profile)}
    return {**found, "steady": _steady(compiled, arguments)}


def run_all(options):
    import torch
    from torch._inductor.async_compile import AsyncCompile
    import triton
    print(f"{getattr(triton, '__neso__', None) and 'neso ' + triton.__neso__ or 'triton ' + triton.__version__}, torch {torch.__version__}", flush=True)
    torch.compile(lambda x: x + 1)(torch.zeros(4, device="cuda"))
    AsyncCompile.wait_pool_ready()
    if options.turn:
        open(options.turn + ".ready", "w").close()
        while not os.path.exists(options.turn + ".go"):
            time.sleep(0.02)
    results = {}
    for name in options.programs or PROGRAMS:
        try:
            results[name] = measure(name, options.threads, options.profile)
            r = results[name]
            print(f"{name:18} first {r['first']:7.2f} s  steady {r['steady']:9.1f} us  worst {r['worst']:.1e}  {r['launchers']}", flush=True)
        except Exception as error:
            results[name] = {"error": f"{type(error).__name__}: {error}"[:3000], "trace": traceback.format_exc()[-6000:]}
            print(f"{name:18} {type(error).__name__}: {str(error)[-300:]!r}", flush=True)
        if options.out:
            with open(options.out, "w") as file:
                json.dump(results, file, indent=1)


def compare(ours, its):
    with open(ours) as a, open(its) as b:
        ours, its = json.load(a), json.load(b)
    for name in its:
        a, b = ours.get(name, {}), its[name]
        if "error" in a or "error" in b or not a:
            print(f"{name:18} {'failed here' if 'error' in a else 'failed there' if 'error' in b else 'was not run'}")
            continue
        print(f"{name:18} first {a['first']:7.2f} s, {a['first'] / b['first']:5.2f} of {b['first']:7.2f} s   steady {a['steady']:9.1f} us, "
              f"{b['steady'] / a['steady']:5.2f} times as fast   worst {a['worst']:.1e}, {b['worst']:.1e}")


def _start(options, folder, who, turn, heat):
    """A process of one side, which waits for its turn; its caches are those of the turn."""
    import subprocess
    env = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": f"{folder}/{who}{turn}", "TRITON_CACHE_DIR": f"{folder}/{who}{turn}-t",
           "NESO_CACHE_DIR": f"{folder}/{who}{turn}-n", "NESO_QUIET": "1"}
    env.pop("PYTHONPATH", None)
    if who == "neso":
        env["PYTHONPATH"] = options.neso
    mark = f"{folder}/{who}{turn}-{heat}"
    log = open(mark + ".log", "w")
    return mark, subprocess.Popen([sys.executable, *(["-m", "neso"] if who == "neso" else []), os.path.abspath(__file__), "--out", mark + ".json",
                                   "--turn", mark, *(["--profile"] if heat == "profile" else []), *options.programs],
                                  env=env, stdout=log, stderr=subprocess.STDOUT)


def turns(options):
    """Cold and warm processes of both in turns; all results, and the median of each figure's ratio."""
    import statistics
    import tempfile
    got = []
    began = time.monotonic()
    folder = tempfile.mkdtemp()
    for heat in ("cold", "warm", "profile"):
        order = [(who, turn) for turn in range(options.turns) for who in (("neso", "triton") if turn % 2 == 0 else ("triton", "neso"))]
        if heat == "profile":
            order = [("neso", "p"), ("triton", "p")]
        started = [(who, turn, *_start(options, folder, who, turn, heat)) for who, turn in order]
        for _, _, mark, process in started:
            while process.poll() is None and not os.path.exists(mark + ".ready"):
                time.sleep(0.05)
        for who, turn, mark, process in started:
            open(mark + ".go", "w").close()
            try:
                process.wait(max(1.0, options.seconds - (time.monotonic() - began)))
            except Exception:
                process.kill()
                process.wait()
            if not os.path.exists(mark + ".json"):
                with open(mark + ".log") as file:
                    print(f"{mark}: {file.read()[-1500:]}")
                continue
            with open(mark + ".json") as file:
                got.append({"who": who, "heat": heat, "turn": turn, "programs": json.load(file)})
            if options.out:
                with open(options.out, "w") as file:
                    json.dump(got, file, indent=1)
    for name in options.programs or PROGRAMS:
        for heat, key in (("cold", "first"), ("warm", "first"), ("cold", "steady"), ("warm", "steady")):
            took = {who: [g["programs"].get(name, {}).get(key) for g in got if g["who"] == who and g["heat"] == heat] for who in ("neso", "triton")}
            if any(not all_of or None in all_of for all_of in took.values()):
                print(f"{name:18} {heat} {key}: failed")
                continue
            a, b = statistics.median(took["neso"]), statistics.median(took["triton"])
            print(f"{name:18} {heat} {key:7} {a:9.3f} {b:9.3f} {a / b:6.3f}   all: {[round(t, 3) for t in took['neso']]} {[round(t, 3) for t in took['triton']]}")
        for heat in ("cold", "warm"):
            waits = {who: [round(g["programs"].get(name, {}).get("phases", {}).get("async_compile.wait", 0), 3) for g in got
                           if g["who"] == who and g["heat"] == heat] for who in ("neso", "triton")}
            print(f"{name:18} {heat} waits for kernels {waits['neso']} {waits['triton']}")
        for g in got:
            found = g["programs"].get(name, {}).get("profile")
            if found:
                own = {part: round(took, 3) for part, took in sorted(found["own"].items(), key=lambda item: -item[1])}
                print(f"{name:18} {g['who']} profiled: first {g['programs'][name]['first']:.3f}, of it in the compiler {found['entered']:.3f}, "
                      f"waits {found['waits']:.3f}; {own}; {[(where, round(took, 4)) for where, took in found['most']]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--out")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--compare", nargs=2)
    parser.add_argument("--turns", type=int)
    parser.add_argument("--neso", help="with --turns: the folder that has neso/")
    parser.add_argument("--seconds", type=float, default=600, help="with --turns: processes are ended after so long")
    parser.add_argument("--profile", action="store_true", help="the first call under Python's profiler")
    parser.add_argument("--turn", help="touches this path with .ready when torch is there, and waits for it with .go")
    options = parser.parse_args()
    compare(*options.compare) if options.compare else turns(options) if options.turns else run_all(options)
