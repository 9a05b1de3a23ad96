"""The product that died elsewhere: 8192 x 8192 x 8192, fp16, tiles of 128 x 128 x 32, num_stages chosen by autotune, on an RTX 3090.

The kernel is as its users wrote it. It is compiled for that GPU (sm_86) at each number of stages; the code of each is run in the
simulator at a reduced size, and must give the same bits; where there is a GPU, autotune chooses at full size, and the result is
compared and timed against torch where that is installed. docs/pipelining.md tells the story.

    python examples/python/stages.py [SIZE]        # SIZE of the product on the GPU: 8192"""

import sys

import numpy as np

import neso as triton
import neso.language as tl
from neso.runtime.driver import DeviceMemory
from neso.runtime.errors import LaunchError, PTXASError

try:
    import torch
    torch = torch if torch.cuda.is_available() else None
except ImportError:
    torch = None

STAGES = (1, 2, 3, 4, 5)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_stages=stages, num_warps=4)
        for stages in STAGES
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m

    offs_am = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)

    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c = accumulator.to(tl.float16)

    offs_cm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    tl.store(c_ptrs, c, mask=c_mask)


def strides(x):
    return x.stride() if hasattr(x, "stride") else [s // x.itemsize for s in x.strides]


def arguments(a, b, c):
    return (a, b, c, *a.shape[:1], b.shape[1], a.shape[1], *strides(a), *strides(b), *strides(c))


def grid(meta):
    return (triton.cdiv(meta["M"], meta["BLOCK_M"]) * triton.cdiv(meta["N"], meta["BLOCK_N"]), )


def one(config, a, b, c, **options):
    """The kernel with one configuration, and not the tuner's."""
    args = arguments(a, b, c)
    meta = {**config.kwargs, "M": args[3], "N": args[4]}
    return matmul_kernel.fn[grid(meta)](*args, **config.kwargs, num_stages=config.num_stages, num_warps=config.num_warps,
                                        **options)


def compiled_for_the_rtx_3090(config):
    """What the assembler makes of it, and what became of its loop; no GPU is needed."""
    a = np.empty((8192, 8192), np.float16)
    try:
        compiled = matmul_kernel.fn.warmup(*arguments(a, a, a), **config.kwargs, grid=(1, ), num_stages=config.num_stages,
                                           num_warps=config.num_warps, neso_target="sm_86")
    except (PTXASError, LaunchError) as error:  # it failed; there is none
        print(f"num_stages={config.num_stages}: not assembled: {str(error).splitlines()[0]}")
        return
    loop = next(r for r in compiled.remarks if r.kind == "loop")
    print(f"num_stages={config.num_stages}: {compiled.n_regs} registers, {compiled.shared} bytes of shared memory, "
          f"{compiled.n_spills} spills; loop {loop.rule}: {loop.text}")


def simulated(size):
    """All numbers of stages give the same bits: the order of the sums is the same."""
    rows, columns, depth = size
    random = np.random.default_rng(8022)
    a = random.standard_normal((rows, depth)).astype(np.float16)
    b = random.standard_normal((depth, columns)).astype(np.float16)
    results = []
    for config in matmul_kernel.configs:
        results.append(np.empty((rows, columns), np.float16))
        one(config, a, b, results[-1], neso_target="sim:sm_86")
        assert np.array_equal(results[0].view(np.uint16), results[-1].view(np.uint16)), config
    tuned = np.empty_like(results[0])
    matmul_kernel[grid](*arguments(a, b, tuned))  # by the interpreter: all numbers of stages are one program there
    np.testing.assert_allclose(results[0], tuned, atol=0.05, rtol=2e-3)
    np.testing.assert_allclose(results[0], a.astype(np.float32) @ b.astype(np.float32), atol=0.05, rtol=2e-3)
    print(f"{rows} x {depth} by {depth} x {columns} in the simulator: the same bits at num_stages {STAGES}")


class OnTheGpu(DeviceMemory):
    """An array for kernels, where there is no torch to make one."""

    def __init__(self, array):
        super().__init__(array.nbytes)
        self.shape, self.strides, self.itemsize, self.dtype = array.shape, array.strides, array.itemsize, array.dtype
        self.put(array)


def on_the_gpu(size):
    """At full size, as the program of the report had it; torch is there to compare with, if it is there."""
    random = np.random.default_rng(8022)
    host = [random.standard_normal((size, size), np.float32).astype(np.float16) for _ in range(2)]
    if torch:
        a, b = (torch.from_numpy(x).cuda() for x in host)
        c = torch.empty_like(a)
    else:
        a, b, c = map(OnTheGpu, (*host, np.empty_like(host[0])))

    def result():
        return c.cpu().numpy() if torch else c.get(np.empty((size, size), np.float16))

    work = 2e-9 * size**3
    matmul_kernel[grid](*arguments(a, b, c))
    first, some = result(), random.integers(0, size, 64)
    want = host[0][some].astype(np.float32) @ host[1].astype(np.float32)
    np.testing.assert_allclose(first[some], want, atol=0.25, rtol=1e-2)
    for config in matmul_kernel.configs:
        one(config, a, b, c)
        assert np.array_equal(first.view(np.uint16), result().view(np.uint16)), config
        ms = triton.testing.do_bench(lambda: one(config, a, b, c))
        print(f"num_stages={config.num_stages}: {ms:.3f} ms, {work / ms:.0f} TFLOP/s")
    print(f"the same bits at each; autotune chose num_stages={matmul_kernel.best_config.num_stages}")
    if torch:
        ms = triton.testing.do_bench(lambda: torch.matmul(a, b, out=c))
        print(f"torch: {ms:.3f} ms, {work / ms:.0f} TFLOP/s")


if __name__ == "__main__":
    for config in matmul_kernel.configs:
        compiled_for_the_rtx_3090(config)
    simulated((128, 128, 64))
    simulated((208, 144, 208))
    simulated((204, 140, 204))
    if triton.runtime.driver.active.get_current_target().backend == "cuda":
        on_the_gpu(int(sys.argv[1]) if len(sys.argv) > 1 else 8192)
