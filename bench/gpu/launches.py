"""What a launch of an empty kernel costs, from C and from Python, above the driver's own: 0, 8, 19 and 58 arguments.

    PYTHONPATH=build/release/python python3 bench/gpu/launches.py [--rounds N] [--json FILE]

All ways take turns in one process, in rounds of 100 launches, each round followed by waiting for the GPU: raw cuLaunchKernel and
neso_kernel_launch by test/bench/launch_ways.c (target launch_bench), the package, and Triton where it is installed. Of each: the median
in microseconds of the calling thread, and the median of what its round took more than the raw round of the same turn.

Arguments from Python are tensors and integers in turn, each tensor an object of its own: torch's, or where torch has no GPU
objects that answer as fast as a C function can (with the driver of the tests: TRITON_LIBCUDA_PATH=build/release/test/fake/libcuda.so.1
FAKE_CUDA_QUIET=1), which shows what is Neso's own."""

import argparse
import ctypes
import importlib
import json
import os
import statistics
import sys
import tempfile
import time

import neso

BUILD = os.path.abspath(os.path.join(os.path.dirname(neso.__file__), "..", ".."))
COUNTS = (0, 8, 19, 58)
LAUNCHES = 100


class Ways:
    """test/bench/launch_ways.h"""

    RAW, NESO = 0, 3

    def __init__(self):
        path = os.path.join(BUILD, "bench", "liblaunch_ways.so")
        if not os.path.exists(path):
            sys.exit(f"{path} is not there: cmake --build build/release --target launch_bench")
        self.c = ctypes.CDLL(path)
        for name, result in (("open", ctypes.c_void_p), ("device", ctypes.c_char_p), ("subject", ctypes.c_void_p),
                             ("round", ctypes.c_double), ("first", ctypes.c_double), ("exchange_table", ctypes.c_void_p)):
            getattr(self.c, "ways_" + name).restype = result
        self.ways = ctypes.c_void_p(self.c.ways_open())
        if not self.ways:
            sys.exit(77)
        self.device = self.c.ways_device(self.ways).decode()

    def turn(self, count, way):
        """A function that makes a round; None: there is no such way here."""
        subject = ctypes.c_void_p(self.c.ways_subject(self.ways, count))
        return (lambda: self.c.ways_round(self.ways, subject, way, LAUNCHES)) if self.c.ways_can(subject, way) else None

    def first(self, cubin, name, threads):
        """Microseconds from a cubin to a finished launch, and those of cuModuleLoadData alone."""
        loading = ctypes.c_double()
        return self.c.ways_first(self.ways, cubin, name.encode(), threads, ctypes.byref(loading)), loading.value


def torch_or_none():
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def stand_ins(ways):
    """A type whose objects are like tensors of 4096 float64 on the GPU."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    name = ctypes.create_string_buffer(b"dlpack_exchange_api")
    table = make(ways.c.ways_exchange_table(), ctypes.addressof(name), None)
    return type("StandIn", (), {"__dlpack_c_exchange_api__": table, "data_ptr": lambda tensor: 0, "name": name})


_EMPTY = """import {package} as triton
@triton.jit
def empty({parameters}):
    pass
"""


def empty_kernel(package, count):
    folder = tempfile.mkdtemp()
    name = f"empty_{package}_{count}"
    with open(os.path.join(folder, name + ".py"), "w") as file:
        file.write(_EMPTY.format(package=package, parameters=", ".join(f"a{i}" for i in range(count))))
    sys.path.insert(0, folder)
    return importlib.import_module(name).empty


def python_turn(kernel, tensors, count, wait):
    scope = {"kernel": kernel, "grid": (1, ), **{f"t{i}": tensors(i) for i in range(0, count, 2)}}
    arguments = ", ".join(f"t{i}" if i % 2 == 0 else "7" for i in range(count))
    exec(f"def launches(n):\n    for _ in range(n):\n        kernel[grid]({arguments})\n", scope)
    launches = scope["launches"]
    launches(10)

    def turn():
        began = time.perf_counter()
        launches(LAUNCHES)
        took = (time.perf_counter() - began) / LAUNCHES * 1e6
        wait()
        return took

    return turn


def measure(ways, count, tensors, wait, packages, rounds):
    """{way: (median, median of differences from raw)}"""
    turns = {"raw": ways.turn(count, Ways.RAW), "C": ways.turn(count, Ways.NESO)}
    turns.update((f"Python, {p}", python_turn(empty_kernel(p, count), tensors, count, wait)) for p in packages)
    turns = [(name, turn) for name, turn in turns.items() if turn]
    times = {name: [] for name, _ in turns}
    for i in range(rounds + 2):
        for name, turn in turns[i % len(turns):] + turns[:i % len(turns)]:
            took = turn()
            if took < 0:
                sys.exit(1)
            if i >= 2:
                times[name].append(took)
    return {name: (statistics.median(mine), statistics.median(t - r for t, r in zip(mine, times["raw"])))
            for name, mine in times.items()}


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=301)
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    torch = torch_or_none()
    packages = ["neso"]
    if torch is None:
        ways = Ways()
        stand_in = stand_ins(ways)
        tensors, wait = (lambda i: stand_in()), (lambda: None)
    else:
        # First of all, so that its context is the one.
        tensor = torch.zeros(4096, device="cuda", dtype=torch.float64)
        tensors, wait = (lambda i: tensor[i:]), torch.cuda.synchronize
        ways = Ways()
        try:
            importlib.import_module("triton")
            packages.append("triton")
        except ImportError:
            pass
    rows = {count: measure(ways, count, tensors, wait, packages, options.rounds) for count in COUNTS}
    names = list(rows[COUNTS[0]])
    print(f"{ways.device}; {'torch ' + torch.__version__ if torch else 'stand-ins for tensors'}")
    print("microseconds a launch (more than raw in the same turn)")
    print("arguments  " + "  ".join(f"{name:>{18 if name != 'raw' else 7}}" for name in names))
    for count, row in rows.items():
        cells = [f"{m:7.3f}" if name == "raw" else f"{m:8.3f} ({d:+7.3f})" for name, (m, d) in row.items()]
        print(f"{count:9d}  " + "  ".join(cells))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": ways.device, "rows": {c: {n: {"median": m, "more": d} for n, (m, d) in row.items()}
                                                       for c, row in rows.items()}}, file, indent=1)


if __name__ == "__main__":
    main()
