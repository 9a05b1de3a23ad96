"""Products and attention with a CTA or a cluster of CTAs for each program, beside Triton and torch on one GPU in one run.

    python3 bench/gpu/clusters.py [--only WORD,...] [--ctas 1,2,4] [--impl neso,neso:NESO_MULTICAST=0,triton]
                                  [--repetitions 15] [--out results.json]

A row is a kernel of cluster_kernels.py, a size and num_ctas; each implementation takes the best of the row's tiles and warps. One with
a setting behind `:` is compiled and called with that in its environment.
Results are compared with torch's, and those with several CTAs with those of one that has a CTA's part of the tile, which have the same bits
(one of all rows adds up a row's weights in another order). The L2 cache is flushed before each call; implementations take turns.
"""
import argparse
import json
import os
import statistics

import torch

from run import DEVICE, cdiv, load_kernels

# BM, BN, BK, stages; BM, BN, stages
TILES = [(128, 128, 64, 4), (128, 256, 64, 3), (256, 128, 64, 3), (256, 256, 64, 3)]
ATTENTION_TILES = [(128, 128, 2), (256, 128, 2), (256, 64, 3)]


def made(*shape):
    return (torch.randn(shape, device=DEVICE) / 4).to(torch.float16)


class Product:

    def __init__(self, kind, size):
        self.kind, self.size, self.flops = kind, size, 2 * size**3
        self.a, self.b = made(size, size), made(size, size)
        self.c = torch.empty((size, size), device=DEVICE, dtype=torch.float16)
        self.exact = self.a @ self.b
        self.tiles = [tile + (warps, ) for tile in TILES for warps in (4, 8)]

    def call(self, kernels, tile, ctas):
        n = self.size
        bm, bn, bk, stages, warps = tile
        programs = cdiv(n, bm) * cdiv(n, bn)
        if self.kind == "persistent":
            programs = min(programs, torch.cuda.get_device_properties(0).multi_processor_count // ctas)
        getattr(kernels, self.kind)[(programs, )](self.a, self.b, self.c, n, n, n, n, n, n, bm, bn, bk, num_warps=warps,
                                                  num_stages=stages, num_ctas=ctas)

    @staticmethod
    def part(tile, ctas):
        return tile

    def torch(self):
        return self.a @ self.b


class Attention:

    def __init__(self, heads, n, d):
        self.kind, self.size, self.flops = f"attention D{d}", n, 4 * heads * n * n * d
        self.heads, self.d = heads, d
        self.q, self.k, self.v = (made(1, heads, n, d) for _ in range(3))
        self.c = torch.empty_like(self.q)
        self.exact = self.torch()
        self.tiles = [tile + (warps, ) for tile in ATTENTION_TILES for warps in (4, 8)]

    def call(self, kernels, tile, ctas):
        bm, bn, stages, warps = tile
        kernels.attention[(self.size // bm, self.heads)](self.q, self.k, self.v, self.c, self.size,
                                                         1.4426950408889634 / self.d**0.5, bm, bn, self.d, num_warps=warps,
                                                         num_stages=stages, num_ctas=ctas)

    @staticmethod
    def part(tile, ctas):
        return (tile[0] // ctas, *tile[1:])

    def torch(self):
        return torch.nn.functional.scaled_dot_product_attention(self.q, self.k, self.v)


class Way:
    """The kernels as one implementation compiles them, with a setting."""

    def __init__(self, text):
        self.name, _, setting = text.partition(":")
        self.setting = setting.split("=", 1) if setting else None
        self.kernels = load_kernels(self.name, "cluster_kernels")

    def __enter__(self):
        if self.setting:
            os.environ[self.setting[0]] = self.setting[1]
        return self.kernels

    def __exit__(self, *_):
        if self.setting:
            del os.environ[self.setting[0]]


class Clock:

    def __init__(self):
        self.flush = torch.empty(64 << 20, device=DEVICE, dtype=torch.int32)

    def once(self, call):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.flush.zero_()
        start.record()
        call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end)


def right(problem):
    error = (problem.c.float() - problem.exact.float()).abs().max() / problem.exact.float().abs().max()
    return error.item() < 5e-3


def call(problem, way, tile, ctas):
    with way as kernels:
        problem.call(kernels, tile, ctas)


def candidates(problem, way, ctas, clock, notes, name):
    """(ms, tile) of the tiles that compile and give torch's result, the fastest three first."""
    found = []
    for tile in problem.tiles:
        problem.c.zero_()
        try:
            call(problem, way, tile, ctas)
            torch.cuda.synchronize()
        except Exception as fault:  # too much memory, or more than the compiler does
            notes.append(f"{name} {problem.kind} {problem.size} ctas {ctas} {tile}: {str(fault).splitlines()[0][:100]}")
            continue
        if not right(problem):
            notes.append(f"WRONG: {name} {problem.kind} {problem.size} ctas {ctas} {tile}")
            continue
        if ctas > 1 and way.name == "neso":
            bits = problem.c.clone()
            try:
                call(problem, way, problem.part(tile, ctas), 1)
                if not torch.equal(bits, problem.c):
                    notes.append(f"other bits than with one CTA: {problem.kind} {problem.size} ctas {ctas} {tile}")
            except Exception:  # one CTA may not have the memory
                pass
        found.append((min(clock.once(lambda: call(problem, way, tile, ctas)) for _ in range(3)), tile))
    return sorted(found)[:3]


def measure(problem, ways, ctas, clock, repetitions, notes):
    best = {name: candidates(problem, way, ctas, clock, notes, name) for name, way in ways.items()}
    calls = {(name, tile): (lambda name=name, tile=tile: call(problem, ways[name], tile, ctas))
             for name, list_ in best.items() for _, tile in list_}
    calls["torch", None] = problem.torch
    times = {key: [] for key in calls}
    for _ in range(repetitions):
        for key, one in calls.items():
            times[key].append(clock.once(one))
    row = {"kind": problem.kind, "size": problem.size, "ctas": ctas}
    for name in list(ways) + ["torch"]:
        of = [(statistics.median(ms), tile) for (who, tile), ms in times.items() if who == name]
        if of:
            ms, tile = min(of, key=lambda x: x[0])
            row[name], row[name + " tile"] = problem.flops / ms / 1e9, tile
    return row


def problems():
    for kind in ("pointers", "descriptors", "persistent"):
        for size in (2048, 4096):
            yield f"{kind} {size}", lambda kind=kind, size=size: Product(kind, size)
    yield "attention 64", lambda: Attention(16, 4096, 64)
    yield "attention 128", lambda: Attention(16, 4096, 128)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--ctas", default="1,2,4")
    arguments.add_argument("--impl", default="neso,neso:NESO_MULTICAST=0,triton")
    arguments.add_argument("--repetitions", type=int, default=15)
    arguments.add_argument("--out")
    options = arguments.parse_args()
    torch.manual_seed(0)
    ways = {text: Way(text) for text in options.impl.split(",")}
    if "triton" in ways:
        ways["triton"].kernels.triton.set_allocator(lambda size, align, stream: torch.empty(size, device=DEVICE, dtype=torch.int8))
    clock, notes, rows = Clock(), [], []
    names = list(ways) + ["torch"]
    print(f"{'':24}{'ctas':>5}" + "".join(f"{name:>{max(len(name) + 2, 9)}}" for name in names),
          f"  TFLOP/s, {torch.cuda.get_device_name(0)}")
    for name, make in problems():
        if options.only and not any(word in name for word in options.only.split(",")):
            continue
        problem = make()
        for ctas in map(int, options.ctas.split(",")):
            row = measure(problem, ways, ctas, clock, options.repetitions, notes)
            rows.append(row)
            shown = "".join(f"{row.get(name, float('nan')):{max(len(name) + 2, 9)}.0f}" for name in names)
            tiles = [row.get(name + " tile") for name in ways]
            print(f"{row['kind'] + ' ' + str(row['size']):24}{ctas:5}{shown}   {tiles}", flush=True)
    for note in notes:
        print(note)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
