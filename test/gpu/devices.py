"""not a test of the suite: several NVIDIA GPUs from one process, with torch: launches in turns and from a thread for each, streams,
captured graphs, tensor maps, tuned kernels, a current device that changes, memory of one GPU read by another.

    PYTHONPATH=build/release/python python3 test/gpu/devices.py [--rounds N]

Every result is looked at. Exit status 1 where anything was wrong, 77 where there are not two GPUs."""

import argparse
import sys
import threading
import traceback

import torch

import neso as triton
import neso.language as tl
from neso.tools.tensor_descriptor import TensorDescriptor

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


@triton.jit
def scaled(x, o, n, by, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) * by, mask=i < n)


@triton.jit
def product(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        inner = at + k < K
        x = tl.load(a + m[:, None] * sa + (at + k)[None, :], mask=(m[:, None] < M) & inner[None, :], other=0.0)
        y = tl.load(b + (at + k)[:, None] * sb + n[None, :], mask=inner[:, None] & (n[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * sc + n[None, :], acc.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def copied(source, target, B: tl.constexpr):
    at = tl.program_id(0) * B
    target.store([at, 0], source.load([at, 0]))


@triton.autotune(configs=[triton.Config({"B": 256}), triton.Config({"B": 1024})], key=["n"])
@triton.jit
def tuned(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def devices():
    return range(torch.cuda.device_count())


def run_scaled(device, by, n=5000):
    x = torch.arange(n, device=device, dtype=torch.float32)
    o = torch.empty_like(x)
    scaled[(triton.cdiv(n, 512), )](x, o, n, by, B=512)
    return x, o


def run_product(device, size):
    torch.manual_seed(size)
    a = torch.randn(size, size, device=device, dtype=torch.float16)
    b = torch.randn(size, size, device=device, dtype=torch.float16)
    c = torch.empty_like(a)
    grid = (triton.cdiv(size, 128), triton.cdiv(size, 128))
    product[grid](a, b, c, size, size, size, a.stride(0), b.stride(0), c.stride(0), 128, 128, 64, num_warps=8, num_stages=3)
    return c, a @ b


@check
def in_turns(rounds):
    for by in range(rounds):
        for device in devices():
            with torch.cuda.device(device):
                x, o = run_scaled(f"cuda:{device}", by + device)
                assert torch.equal(o, x * (by + device)), (by, device)


@check
def products_with_tensor_maps(rounds):
    for size in (512, 1000, 1024):
        for device in devices():
            with torch.cuda.device(device):
                got, want = run_product(f"cuda:{device}", size)
                torch.testing.assert_close(got, want, rtol=1e-2, atol=1e-1)


@check
def descriptors(rounds):
    for device in devices():
        with torch.cuda.device(device):
            x = torch.randn(256, 64, device=f"cuda:{device}", dtype=torch.float16)
            o = torch.zeros_like(x)
            copied[(4, )](TensorDescriptor(x, list(x.shape), list(x.stride()), [64, 64]),
                          TensorDescriptor(o, list(o.shape), list(o.stride()), [64, 64]), B=64)
            assert torch.equal(o, x), device


@check
def tuned_on_each(rounds):
    for device in devices():
        with torch.cuda.device(device):
            x = torch.randn(100_000, device=f"cuda:{device}")
            o = torch.empty_like(x)
            tuned[lambda meta: (triton.cdiv(100_000, meta["B"]), )](x, o, 100_000)
            assert torch.equal(o, x + 1), device


@check
def graphs(rounds):
    made = []
    for device in devices():
        with torch.cuda.device(device):
            x = torch.ones(4096, device=f"cuda:{device}")
            o = torch.empty_like(x)
            scaled[(8, )](x, o, 4096, 3, B=512)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=torch.cuda.Stream(device)):
                scaled[(8, )](x, o, 4096, 3, B=512)
            made.append((device, graph, x, o))
    for at in range(rounds):
        for device, graph, x, o in made:
            with torch.cuda.device(device):
                x.fill_(at)
                graph.replay()
                assert torch.equal(o, x * 3), (at, device)


@check
def a_thread_for_each(rounds):
    wrong = []

    def work(device, at):
        try:
            torch.cuda.set_device(device)
            with torch.cuda.stream(torch.cuda.Stream(device)):
                for by in range(rounds):
                    x, o = run_scaled(f"cuda:{device}", 10 * by + at, 5000 + by)
                    if not torch.equal(o, x * (10 * by + at)):
                        wrong.append((device, at, by))
                got, want = run_product(f"cuda:{device}", 512)
                torch.testing.assert_close(got, want, rtol=1e-2, atol=1e-1)
        except Exception as error:
            wrong.append((device, at, repr(error)))

    threads = [threading.Thread(target=work, args=(device, at)) for at in range(4) for device in devices()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:5]


@check
def memory_of_the_other(rounds):
    if not torch.cuda.can_device_access_peer(0, 1):
        print("  the GPUs cannot read each other's memory")
        return
    x = torch.randn(5000, device="cuda:1")
    there = x.to("cuda:0")  # torch enables the access between the two contexts
    with torch.cuda.device(0):
        o = torch.empty_like(there)
        torch.cuda.synchronize(1)
        scaled[(10, )](x, o, 5000, 2, B=512)
        assert torch.equal(o, there * 2)


@check
def compiled_once_for_all(rounds):
    kernels = []
    for device in devices():
        with torch.cuda.device(device):
            x = torch.ones(64, device=f"cuda:{device}")
            kernels.append(scaled[(1, )](x, torch.empty_like(x), 64, 7, B=64))
    assert len({kernel.hash for kernel in kernels}) == 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    if torch.cuda.device_count() < 2:
        print("skipped: there are not two GPUs")
        sys.exit(77)
    failed = 0
    for function in CHECKS:
        try:
            function(options.rounds)
            print("ok", function.__name__)
        except Exception:
            failed += 1
            print("WRONG", function.__name__)
            traceback.print_exc()
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} checks")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
