"""Product of two matrices, its block sizes chosen by autotune."""

import numpy as np

import neso as triton
import neso.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32}, num_warps=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=8),
    ],
    key=["M", "N", "K"],
    do_bench=lambda call, quantiles: triton.testing.do_bench(call, warmup=2, rep=10, quantiles=quantiles),
)
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + rows[:, None] * stride_am + (k + depth)[None, :] * stride_ak,
                    mask=(rows[:, None] < M) & (k + depth < K)[None, :], other=0.0)
        b = tl.load(b_ptr + (k + depth)[:, None] * stride_bk + columns[None, :] * stride_bn,
                    mask=(k + depth < K)[:, None] & (columns[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn, acc,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


def strides(x):
    return [s // x.itemsize for s in x.strides]


def matmul(a, b):
    m, k = a.shape
    n = b.shape[1]
    c = np.empty((m, n), np.float32)
    grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"]), triton.cdiv(n, meta["BLOCK_N"]))  # noqa: E731
    matmul_kernel[grid](a, b, c, m, n, k, *strides(a), *strides(b), *strides(c))
    return c


if __name__ == "__main__":
    a, b = np.random.randn(250, 200).astype(np.float32), np.random.randn(200, 300).astype(np.float32)
    c = matmul(a, b)
    triton.testing.assert_close(c, a @ b, atol=1e-3)
    triton.testing.assert_close(matmul(a.T.copy().T, b), a @ b, atol=1e-3)
    ms = triton.testing.do_bench(lambda: matmul(a, b), warmup=5, rep=20)
    print(f"matmul of 250 x 200 by 200 x 300: {ms:.2f} ms, chosen: {matmul_kernel.best_config}")
