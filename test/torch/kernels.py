# not a test: kernels that users write, inside of what torch compiles.
"""Kernels written by hand, for torch.compile: plain, autotuned, with heuristics, calling one another, and as operators."""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=8)], key=["n"])
@triton.jit
def scale_kernel(x, out, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) * factor, mask=mask)


@triton.heuristics({"BLOCK": lambda given: 32 if given["n"] < 100 else 256})
@triton.jit
def negate_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, -tl.load(x + at, mask=mask), mask=mask)


@triton.jit
def put(p, v, mask):
    tl.store(p, v, mask=mask)


@triton.jit
def loop_kernel(x, out, n, BLOCK: tl.constexpr):
    p, q = x, out
    for i in range(0, n, BLOCK):
        mask = tl.arange(0, BLOCK) < n - i
        v = tl.load(p + tl.arange(0, BLOCK), mask=mask)
        if i > 0:
            v = v * 2
        put(q + tl.arange(0, BLOCK), v, mask)
        p += BLOCK
        q += BLOCK


@triton.jit
def count_kernel(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    tl.atomic_add(counts, tl.sum((v > 0).to(tl.int32), 0))


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 256), )](x, y, out, x.numel(), BLOCK=256)
    return out.sin()


def scale(x):
    out = torch.empty_like(x)
    scale_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]), )](x, out, x.numel(), 3.0)
    return out + 1


def negate(x):
    out = torch.empty_like(x)
    negate_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]), )](x, out, x.numel())
    return out * 2


def loop(x):
    out = torch.empty_like(x)
    loop_kernel[(1, )](x, out, x.numel(), BLOCK=128)
    return out + 1


def count(x):
    counts = torch.zeros(1, dtype=torch.int32, device=x.device)
    count_kernel[(triton.cdiv(x.numel(), 64), )](x.cos(), counts, x.numel(), BLOCK=64)
    return counts + 1


@triton_op("neso_test::scaled", mutates_args={})
def scaled(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(scale_kernel)[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]), )](x, out, x.numel(), -1.0)
    return out


def operator(x):
    return scaled(x.sin()) + 1
