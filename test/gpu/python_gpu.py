"""not a test of the suite: launches from Python on an NVIDIA GPU with torch, compared with torch; and what a launch costs.

    PYTHONPATH=build/release/python python3 test/gpu/python_gpu.py [--cost] [WORD...]

Without words every check runs; words select by name. --cost adds the cost of launches (bench/gpu/launches.py) and of a constexpr's
values."""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import torch

import neso as triton
import neso.language as tl
from neso.language.extra.cuda import gdc_launch_dependents, gdc_wait
from neso.runtime.errors import OutOfResources
from neso.tools.tensor_descriptor import TensorDescriptor

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def same(got, want, atol=0.0, rtol=0.0):
    torch.testing.assert_close(got, want, atol=atol, rtol=rtol, equal_nan=True)


# ---- kernels ----


@triton.jit
def add_kernel(x, y, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(o + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def cast_kernel(x, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + at, tl.load(x + at, mask=at < n).to(o.dtype.element_ty), mask=at < n)


@triton.jit
def softmax_kernel(o, i, stride_i, stride_o, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(i + row * stride_i + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(o + row * stride_o + cols, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def norm_kernel(X, Y, W, B, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    d = tl.where(mask, x - mean, 0.)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / N + eps)
    tl.store(Y + row * stride + cols, d * scale * tl.load(W + cols, mask=mask) + tl.load(B + cols, mask=mask), mask=mask)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        x = tl.load(a + m[:, None] * sam + (k0 + k)[None, :] * sak, mask=(m[:, None] < M) & ((k0 + k)[None, :] < K), other=0.)
        y = tl.load(b + (k0 + k)[:, None] * sbk + n[None, :] * sbn, mask=((k0 + k)[:, None] < K) & (n[None, :] < N), other=0.)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * scm + n[None, :] * scn, acc.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def count_kernel(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(counts + v, 1, mask=at < n)


@triton.jit
def tile_kernel(d, o, M: tl.constexpr, N: tl.constexpr):
    tile = d.load([tl.program_id(0) * M, 0])
    at = (tl.program_id(0) * M + tl.arange(0, M))[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + at, tile * 2)


@triton.jit
def pair_kernel(pointers, values, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(pointers[0] + at, values[0], mask=at < n)
    tl.store(pointers[1] + at, values[1], mask=at < n)


@triton.jit
def bump_kernel(x):
    tl.store(x, tl.load(x) + 1)


@triton.jit
def spin_kernel(x, n):
    v = 0.0
    for i in range(n):
        v = v * 0.5 + i
    tl.store(x, v)


@triton.jit
def large_kernel(x, o, N: tl.constexpr):
    r, c = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(x + r * N + c)
    tl.store(o + r * N + c, tl.trans(a))


@triton.jit
def chained_kernel(x, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gdc_launch_dependents()
    gdc_wait()
    tl.store(o + at, tl.load(x + at, mask=at < n) * 0.5 + 1, mask=at < n)


@triton.jit
def meeting_kernel(arrived, x, o, n, BLOCK: tl.constexpr):
    """What another program stored before all met."""
    pid, count = tl.program_id(0), tl.num_programs(0)
    at = tl.arange(0, BLOCK)
    tl.store(x + pid * BLOCK + at, pid + at)
    tl.atomic_add(arrived, 1, sem="acq_rel")
    while tl.atomic_add(arrived, 0, sem="acq_rel") < count:
        pass
    tl.store(o + pid * BLOCK + at, tl.load(x + (count - 1 - pid) * BLOCK + at, cache_modifier=".cg"))


# ---- checks ----


@check
def vector_add():
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64, torch.int8):
        for n in (1, 1000, 98432, 1 << 20):
            x = (torch.randn(n + 1, device="cuda") * 8).to(dtype)
            y = (torch.randn(n + 1, device="cuda") * 8).to(dtype)
            for begin in (0, 1):  # aligned to 16 bytes and not
                o = torch.empty_like(x)
                a, b = x[begin:begin + n], y[begin:begin + n]
                add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]), )](a, b, o[begin:], n, BLOCK=1024)
                same(o[begin:begin + n], a + b)


@check
def casts():
    x = torch.randn(10000, device="cuda") * 30
    for source in (torch.float32, torch.float16, torch.bfloat16):
        for target in (torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2, torch.int32):
            s, o = x.to(source), torch.empty(10000, device="cuda", dtype=target)
            cast_kernel[(10, )](s, o, 10000, BLOCK=1024)
            same(o.float(), s.to(target).float())


@check
def softmax_and_norm():
    for n in (100, 1024, 4096, 16384):
        x = torch.randn(256, n, device="cuda")
        o, w, b = torch.empty_like(x), torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
        block = triton.next_power_of_2(n)
        for warps in (1, 4, 8):
            softmax_kernel[(256, )](o, x, x.stride(0), o.stride(0), n, BLOCK=block, num_warps=warps)
            same(o, torch.softmax(x, -1), atol=1e-5)
            norm_kernel[(256, )](x, o, w, b, x.stride(0), n, 1e-5, BLOCK=block, num_warps=warps)
            same(o, torch.nn.functional.layer_norm(x, (n, ), w, b), atol=1e-3)


@check
def matmul():
    for dtype, tolerance in ((torch.float16, 1e-2), (torch.bfloat16, 5e-2)):
        a = torch.randn(200, 300, device="cuda", dtype=dtype)
        b = torch.randn(300, 100, device="cuda", dtype=dtype)
        c = torch.empty(200, 100, device="cuda", dtype=dtype)
        matmul_kernel[(4, 2)](a, b, c, 200, 100, 300, *a.stride(), *b.stride(), *c.stride(), BM=64, BN=64, BK=32)
        same(c.float(), a.float() @ b.float(), atol=30 * tolerance, rtol=tolerance)


@check
def atomics():
    x = torch.randint(0, 256, (100000, ), device="cuda", dtype=torch.int32)
    counts = torch.zeros(256, device="cuda", dtype=torch.int32)
    count_kernel[(98, )](x, counts, 100000, BLOCK=1024)
    same(counts, torch.bincount(x, minlength=256).int())


@check
def clusters():
    """A program on several CTAs: their parts of a tile meet in reductions and products."""
    if torch.cuda.get_device_capability() < (9, 0):
        return "needs compute capability 9.0"
    x, y = torch.randn(2, 100000, device="cuda")
    s, w, b = torch.randn(64, 5000, device="cuda"), torch.randn(5000, device="cuda"), torch.randn(5000, device="cuda")
    p, q = torch.randn(200, 300, device="cuda").half(), torch.randn(300, 100, device="cuda").half()
    numbers = torch.randint(0, 256, (100000, ), device="cuda", dtype=torch.int32)
    for ctas in (2, 4, 8):
        o = torch.zeros_like(x)
        add_kernel[(98, )](x, y, o, 100000, BLOCK=1024, num_ctas=ctas)
        same(o, x + y)
        t = torch.zeros_like(s)
        softmax_kernel[(64, )](t, s, 5000, 5000, 5000, BLOCK=8192, num_ctas=ctas)
        same(t, torch.softmax(s, -1), atol=1e-5)
        norm_kernel[(64, )](s, t, w, b, 5000, 5000, 1e-5, BLOCK=8192, num_ctas=ctas)
        same(t, torch.nn.functional.layer_norm(s, (5000, ), w, b), atol=1e-3)
        c = torch.zeros(200, 100, device="cuda", dtype=torch.float16)
        matmul_kernel[(2, 1)](p, q, c, 200, 100, 300, *p.stride(), *q.stride(), *c.stride(), BM=128, BN=128, BK=32, num_ctas=ctas)
        same(c.float(), p.float() @ q.float(), atol=0.3, rtol=1e-2)
        counts = torch.zeros(256, device="cuda", dtype=torch.int32)
        count_kernel[(98, )](numbers, counts, 100000, BLOCK=1024, num_ctas=ctas)
        same(counts, torch.bincount(numbers, minlength=256).int())


@check
def dependent_launches():
    """Each launch may begin before the one before it ended, and waits for what it reads."""
    if torch.cuda.get_device_capability() < (9, 0):
        return "needs compute capability 9.0"
    a, b = torch.zeros(2, 1 << 20, device="cuda")
    for _ in range(100):
        chained_kernel[(1024, )](a, b, 1 << 20, BLOCK=1024, launch_pdl=True)
        chained_kernel[(1024, )](b, a, 1 << 20, BLOCK=1024, launch_pdl=True)
    assert a.eq(2.0).all(), a


@check
def cooperative_grids():
    """All programs of a grid run at once and may meet; a grid that is too large for that is refused."""
    count = torch.cuda.get_device_properties(0).multi_processor_count
    arrived = torch.zeros(1, device="cuda", dtype=torch.int32)
    x, o = torch.zeros(2, count, 128, device="cuda", dtype=torch.int32)
    meeting_kernel[(count, )](arrived, x, o, count * 128, BLOCK=128, launch_cooperative_grid=True)
    same(o, torch.arange(count, device="cuda", dtype=torch.int32).flip(0)[:, None] + torch.arange(128, device="cuda", dtype=torch.int32))
    try:
        meeting_kernel[(count * 1000, )](arrived, x, o, 0, BLOCK=128, launch_cooperative_grid=True)
        raise SystemExit("no error of a cooperative grid that is too large")
    except RuntimeError as error:
        assert "cooperative" in str(error), error


@check
def kinds_of_arguments():
    x = torch.randn(128, 64, device="cuda")
    o = torch.empty_like(x)
    tile_kernel[(2, )](TensorDescriptor.from_tensor(x, [64, 64]), o, 64, 64)
    same(o, x * 2)
    a, b = torch.zeros(16, device="cuda"), torch.zeros(16, device="cuda", dtype=torch.int32)
    pair_kernel[(1, )]((a, b), (2.5, 7), 16, BLOCK=16)
    assert a.eq(2.5).all() and b.eq(7).all()
    f8 = torch.empty(64, device="cuda", dtype=torch.int8)
    cast_kernel[(1, )](x.view(-1), triton.reinterpret(f8, tl.float8e5), 64, BLOCK=64)
    same(f8.view(torch.float8_e5m2).float(), x.view(-1)[:64].to(torch.float8_e5m2).float())
    add_kernel[(1, )](torch.nn.Parameter(a), a, o, 16, BLOCK=16)
    same(o.view(-1)[:16], a + a)
    pinned = torch.full((16, ), 3.0).pin_memory()
    add_kernel[(1, )](pinned, a, o, 16, BLOCK=16)
    same(o.view(-1)[:16], a + 3)


@check
def streams():
    x = torch.zeros(1, device="cuda", dtype=torch.int32)
    bump_kernel[(1, )](torch.zeros_like(x))  # compiling takes longer than the stream sleeps
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(20_000_000)  # what comes behind it in another stream would be done before
        before = torch.cuda.Event()
        bump_kernel[(1, )](x)
        before.record()
        assert not before.query(), "the launch did not go to the current stream"
    side.synchronize()
    assert x.item() == 1
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        bump_kernel[(1, )](x)
        bump_kernel[(1, )](x)
    torch.cuda.synchronize()
    assert x.item() == 1, "the launch was not captured"
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert x.item() == 7


@check
def threads():
    errors = []

    def work(k):
        try:
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                for i in range(50):
                    n = 1000 + 37 * k + i
                    a, b = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
                    o = torch.empty_like(a)
                    add_kernel[(triton.cdiv(n, 256), )](a, b, o, n, BLOCK=256)
                    stream.synchronize()
                    same(o, a + b)
        except Exception as error:
            errors.append(error)

    all_threads = [threading.Thread(target=work, args=(k, )) for k in range(8)]
    [t.start() for t in all_threads]
    [t.join() for t in all_threads]
    if errors:
        raise errors[0]


@check
def devices():
    if torch.cuda.device_count() < 2:
        return "one GPU"
    for device in (0, 1):
        x = torch.randn(1000, device=f"cuda:{device}")
        o = torch.empty_like(x)
        add_kernel[(1, )](x, x, o, 1000, BLOCK=1024)
        torch.cuda.synchronize(device)
        same(o, x + x)
    assert torch.cuda.current_device() == 0


@check
def tuning():
    tuned = triton.autotune([triton.Config({"BLOCK": b}, num_warps=w) for b in (128, 1024) for w in (1, 4)],
                            key=["n"], restore_value=["o"])(add_kernel)
    n = 1 << 22
    x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    tuned[lambda meta: (triton.cdiv(n, meta["BLOCK"]), )](x, y, x.clone(), n)
    assert tuned.best_config in tuned.configs and len(tuned.configs_timings) == 4
    x = torch.zeros(1, device="cuda", dtype=torch.int32)
    reset = triton.autotune([triton.Config({}, num_warps=1), triton.Config({}, num_warps=2)], key=["x"],
                            reset_to_zero=["x"])(bump_kernel)
    reset[(1, )](x)
    assert x.item() == 1, x
    fits = triton.autotune([triton.Config({"N": 512}, num_warps=4), triton.Config({"N": 32}, num_warps=4)],
                           key=["x"])(large_kernel)
    big = torch.randn(512, 512, device="cuda")
    fits[(1, )](big, torch.empty_like(big))
    print("   ", fits.best_config, {str(c): t[0] for c, t in fits.configs_timings.items()})


@check
def measuring():
    x, o = torch.randn(1 << 26, device="cuda"), torch.empty(1 << 26, device="cuda")
    ours = triton.testing.do_bench(lambda: add_kernel[(1 << 16, )](x, x, o, 1 << 26, BLOCK=1024), quantiles=[0.5, 0.2, 0.8])
    theirs = triton.testing.do_bench(lambda: torch.add(x, x, out=o), quantiles=[0.5])
    graph = triton.testing.do_bench_cudagraph(lambda: add_kernel[(1 << 16, )](x, x, o, 1 << 26, BLOCK=1024))
    print(f"    add of 2^26 floats: {ours} ms, in a graph {graph:.4f} ms; torch {theirs:.4f} ms; "
          f"{triton.testing.get_dram_gbps():.0f} GB/s by the clock")
    assert 0.5 < ours[0] / theirs < 2


@check
def facts():
    kernel = softmax_kernel.warmup(torch.float32, torch.float32, 16, 16, 4096, BLOCK=4096, num_warps=8, grid=(1, ))
    kernel._init_handles()
    properties = torch.cuda.get_device_properties(0)
    active = triton.runtime.driver.active
    assert active.utils.get_device_properties(0)["multiprocessor_count"] == properties.multi_processor_count
    assert active.get_device_capability() == torch.cuda.get_device_capability()
    assert active.get_current_stream(0) == torch.cuda.current_stream().cuda_stream
    assert kernel.n_regs > 8 and kernel.metadata.num_warps == 8 and kernel.metadata.shared > 0
    assert kernel.metadata.target.backend == "cuda"
    for stage in ("ttir", "ttgir", "llir", "ptx", "sass"):
        assert isinstance(kernel.asm[stage], str) and kernel.asm[stage], stage
    x = torch.randn(64, 4096, device="cuda")
    o = torch.empty_like(x)
    kernel[(64, 1, 1)](o, x, 4096, 4096, 4096, 4096)
    same(o, torch.softmax(x, -1), atol=1e-5)


@check
def failures():
    x = torch.zeros(16, device="cuda")
    try:
        add_kernel[(1, )](x, torch.zeros(16), x, 16, BLOCK=16)
        raise SystemExit("no error of a CPU tensor")
    except TypeError as error:
        assert "'x'" in str(error) and "'y'" in str(error), error
    big = torch.zeros(512, 512, device="cuda")
    try:
        large_kernel[(1, )](big, big, N=512)
    except OutOfResources as error:
        print("   ", str(error).splitlines()[0])
    try:
        add_kernel[(1, 1 << 20)](x, x, x, 16, BLOCK=16)
        raise SystemExit("no error of a grid that is too large")
    except RuntimeError as error:
        assert "axis 1" in str(error), error


def program(text, *arguments, **environment):
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(text)
    try:
        return subprocess.run([sys.executable, *arguments, file.name], env=dict(os.environ, **environment),
                              capture_output=True, text=True)
    finally:
        os.unlink(file.name)


FAULT = """
import torch, neso as triton, neso.language as tl
@triton.jit
def wild(x, far):
    tl.store(x + far, 1.0)
x = torch.zeros(4, device="cuda")
wild[(1, )](x, 1 << 40)
try:
    torch.cuda.synchronize()
except RuntimeError as error:
    print("torch", type(error).__name__)
try:
    wild[(1, )](x, 0)
except RuntimeError as error:
    print("neso", "wild" in str(error), str(error).splitlines()[0])
"""

UPSTREAM = """
import torch
import triton
import triton.language as tl
from triton.runtime import driver

DEVICE = triton.runtime.driver.active.get_active_torch_device()

@triton.jit
def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr,
                   num_stages: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        col_offsets = tl.arange(0, BLOCK_SIZE)
        mask = col_offsets < n_cols
        row = tl.load(input_ptr + row_idx * input_row_stride + col_offsets, mask=mask, other=-float('inf'))
        row_minus_max = row - tl.max(row, axis=0)
        numerator = tl.exp(row_minus_max)
        tl.store(output_ptr + row_idx * output_row_stride + col_offsets, numerator / tl.sum(numerator, axis=0), mask=mask)

properties = driver.active.utils.get_device_properties(DEVICE.index)
NUM_SM, NUM_REGS, SIZE_SMEM = properties["multiprocessor_count"], properties["max_num_regs"], properties["max_shared_mem"]
WARP_SIZE = properties["warpSize"]

def softmax(x):
    n_rows, n_cols = x.shape
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_stages = 4 if SIZE_SMEM > 200000 else 2
    y = torch.empty_like(x)
    kernel = softmax_kernel.warmup(y, x, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE,
                                   num_stages=num_stages, num_warps=8, grid=(1, ))
    kernel._init_handles()
    occupancy = NUM_REGS // (kernel.n_regs * WARP_SIZE * 8)
    if kernel.metadata.shared:
        occupancy = min(occupancy, SIZE_SMEM // kernel.metadata.shared)
    num_programs = min(NUM_SM * occupancy, n_rows)
    kernel[(num_programs, 1, 1)](y, x, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE, num_stages)
    return y

torch.manual_seed(0)
x = torch.randn(1823, 781, device=DEVICE)
assert torch.allclose(softmax(x), torch.softmax(x, axis=1)), "wrong"
print(triton.__neso__, triton.runtime.driver.active.get_current_target().backend)
"""

INTERPRETED = """
import torch, neso as triton, neso.language as tl
@triton.jit
def double(x, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(x + at, tl.load(x + at) * 2)
x = torch.arange(8, device="cuda", dtype=torch.float32)
compiled = double[(1, )](x, 8)
assert x.tolist() == [2 * i for i in range(8)], x
print(compiled.metadata.target.backend)
"""


@check
def other_processes():
    done = program(FAULT)
    assert "torch" in done.stdout and "neso True" in done.stdout, done.stdout + done.stderr
    print("   ", done.stdout.splitlines()[-1])
    done = program(UPSTREAM, "-m", "neso")
    assert done.returncode == 0 and "cuda" in done.stdout, done.stdout + done.stderr
    done = program(INTERPRETED, TRITON_INTERPRET="1", NESO_QUIET="1")
    assert done.stdout.split() == ["cpu"], done.stdout + done.stderr


# ---- cost ----


@triton.jit
def ragged_kernel(o, lengths, n, MAXLEN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    length = tl.load(lengths + row)
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        tl.store(o + row * n + at, ((at < length) & (at < MAXLEN)).to(tl.int8), mask=at < n)


def cost_of_values():
    """A constexpr with 1000 values under the policy that makes it an argument: one compilation."""
    o = torch.empty(8, 4096, device="cuda", dtype=torch.int8)
    lengths = torch.randint(0, 4096, (8, ), device="cuda", dtype=torch.int32)

    def launch(value):
        return ragged_kernel[(8, )](o, lengths, 4096, value, BLOCK=256, constexpr_policy="generic")

    variants = {launch(value)._key() for value in (700, 701, 1500, 1501)}
    torch.cuda.synchronize()
    began = time.perf_counter()
    for value in range(600, 1600):
        launch(value)
    each = (time.perf_counter() - began) / 1000 * 1e6
    torch.cuda.synchronize()
    at = torch.arange(4096, device="cuda")
    same(o, ((at < lengths[:, None]) & (at < 1599)).to(torch.int8))
    print(f"1000 values of a constexpr, policy generic: {each:.2f} µs a launch, {len(variants)} variant")


def costs():
    """Of launches with 0, 8, 19 and 58 arguments."""
    spec = importlib.util.spec_from_file_location("launches", os.path.join(HERE, "..", "..", "bench", "gpu", "launches.py"))
    launches = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(launches)
    launches.main([])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    failed = 0
    for function in CHECKS:
        if options.words and not any(w in function.__name__ for w in options.words):
            continue
        try:
            note = function()
            torch.cuda.synchronize()
            print("ok  ", function.__name__, note or "")
        except Exception:
            failed += 1
            print("FAIL", function.__name__)
            traceback.print_exc()
    if options.cost:
        costs()
        cost_of_values()
    print("failed:", failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
