"""A server's process on a real GPU: threads with streams of their own that launch with ever changing values in strict mode, graphs that
are captured and replayed meanwhile, modules that come and go, a second context beside torch's, children of forks.

    PYTHONPATH=build/release/python python3 test/gpu/soak.py [--seconds N] [--threads N] [--values N] [--json FILE]

Every result is looked at. Exit status 1 where anything was wrong, or memory grew."""

import argparse
import ctypes
import json
import os
import random
import sys
import threading
import time

os.environ.setdefault("NESO_MAX_VARIANTS", "256")
os.environ.setdefault("NESO_MAX_MODULES", "64")

import neso as triton
import neso.language as tl

N = 4096


@triton.jit
def scaled(x, o, n, TAG: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) * TAG + n, mask=i < n)


class State:

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {"launches": 0, "graphs": 0, "replays": 0, "second": 0, "children": 0}
        self.wrong = []
        self.ends = False

    def add(self, name, count=1):
        with self.lock:
            self.counts[name] += count

    def fault(self, text):
        with self.lock:
            self.wrong.append(text)


def launch(x, o, n, tag):
    scaled[(N // 1024, )](x, o, n, TAG=tag, B=1024)


def guarded(state, work):

    def run(*arguments):
        try:
            work(state, *arguments)
        except Exception as error:
            state.fault(f"{work.__name__}: {type(error).__name__}: {str(error)[:300]}")

    return run


def serve(state, torch, values, seed):
    """Launches with values at random; a graph of some of them now and then, replayed for as long as it lives."""
    chance = random.Random(seed)
    stream = torch.cuda.Stream()
    graph = None
    with torch.cuda.stream(stream):
        x = torch.arange(N, device="cuda", dtype=torch.float32)
        outs = [torch.zeros(N, device="cuda") for _ in range(4)]
        while not state.ends:
            picks = [(chance.randrange(values), N - 16 * chance.randrange(2)) for _ in outs]
            for o, (tag, n) in zip(outs, picks):
                launch(x, o, n, tag)
            state.add("launches", len(outs))
            for o, (tag, n) in zip(outs, picks):
                if not torch.equal(o[:n], x[:n] * tag + n):
                    state.fault(f"a launch with {tag}, {n} is wrong")
            if graph is None or chance.random() < 0.01:
                graph = capture(state, torch, stream, x, values, chance)
            replay(state, torch, x, *graph)


CAPTURES = threading.Lock()


def capture(state, torch, stream, x, values, chance):
    made = [torch.zeros(N, device="cuda") for _ in range(3)]
    picks = [(chance.randrange(values), N) for _ in made]
    graph = torch.cuda.CUDAGraph()
    stream.synchronize()
    with CAPTURES:
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
            for o, (tag, n) in zip(made, picks):
                launch(x, o, n, tag)
    state.add("graphs")
    return graph, made, picks


def replay(state, torch, x, graph, made, picks):
    for o in made:
        o.zero_()
    graph.replay()
    state.add("replays")
    for o, (tag, n) in zip(made, picks):
        if not torch.equal(o[:n], x[:n] * tag + n):
            state.fault(f"a graph's launch with {tag} is wrong")


class Buffer:
    """Memory of the context that is current, as a tensor that only says what a launch asks."""

    def __init__(self, cuda, dtype):
        self.address, self.dtype = ctypes.c_uint64(), dtype
        call(cuda.cuMemAlloc_v2, ctypes.byref(self.address), ctypes.c_size_t(4 * N))

    is_cuda = True

    def data_ptr(self):
        return self.address.value


def call(function, *arguments):
    status = function(*arguments)
    if status:
        raise RuntimeError(f"{function.__name__}: {status}")


def beside(state, torch, values):
    """The same launches in a second context of the same GPU."""
    cuda = ctypes.CDLL(os.environ.get("TRITON_LIBCUDA_PATH", "libcuda.so.1"))
    context = ctypes.c_void_p()
    create = getattr(cuda, "cuCtxCreate_v2")
    call(create, ctypes.byref(context), 0, 0)
    chance = random.Random(1)
    host = (ctypes.c_float * N)(*range(N))
    got = (ctypes.c_float * N)()
    x, o = (Buffer(cuda, torch.float32) for _ in range(2))
    call(cuda.cuMemcpyHtoD_v2, x.address, host, ctypes.c_size_t(4 * N))
    while not state.ends:
        tag = chance.randrange(values)
        launch(x, o, N, tag)
        call(cuda.cuCtxSynchronize)
        call(cuda.cuMemcpyDtoH_v2, got, o.address, ctypes.c_size_t(4 * N))
        state.add("second")
        for at in (0, 1, 1000, N - 1):
            if got[at] != at * tag + N:
                state.fault(f"a launch with {tag} in the second context is wrong")
    call(cuda.cuCtxDestroy_v2, context)


def child():
    """The GPU is its parent's alone: it launches on the CPU."""
    import numpy
    x, o = numpy.arange(N, dtype=numpy.float32), numpy.zeros(N, dtype=numpy.float32)
    triton.knobs.runtime.strict = False
    launch(x, o, N, 3)
    os._exit(0 if (o == x * 3 + N).all() else 1)


def fork(state):
    pid = os.fork()
    if pid == 0:
        try:
            child()
        finally:
            os._exit(2)
    if os.waitpid(pid, 0)[1]:
        state.fault("a child ended otherwise")
    state.add("children")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--values", type=int, default=400)
    parser.add_argument("--json")
    options = parser.parse_args()
    import torch
    state = State()
    x, o = (torch.zeros(N, device="cuda") for _ in range(2))
    for tag in range(options.values):
        for n in (N, N - 16):
            launch(x, o, n, tag)
    torch.cuda.synchronize()
    triton.knobs.runtime.strict = True
    work = [threading.Thread(target=guarded(state, serve), args=(torch, options.values, seed)) for seed in range(options.threads)]
    work.append(threading.Thread(target=guarded(state, beside), args=(torch, options.values)))
    began = time.time()
    for thread in work:
        thread.start()
    memory = []
    while time.time() < began + options.seconds:
        time.sleep(0.5)
        memory.append((resident(), torch.cuda.mem_get_info()[0] / 2**20))
        if len(memory) % 4 == 0:
            fork(state)
    state.ends = True
    for thread in work:
        thread.join()
    early = max(m[0] for m in memory[:max(len(memory) // 4, 1)])
    free = min(m[1] for m in memory[:max(len(memory) // 4, 1)])
    result = {**state.counts, "wrong": len(state.wrong), "faults": state.wrong[:5], "seconds": options.seconds,
              "resident early": early, "resident": memory[-1][0], "free early": free, "free": memory[-1][1]}
    print(json.dumps(result, indent=1))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)
    return 1 if state.wrong or memory[-1][0] > early * 1.1 + 64 else 0


if __name__ == "__main__":
    sys.exit(main())
