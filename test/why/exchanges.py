# Seven shuffles with 24 selects of half words cost more than a trip through shared memory: a select is half a warp a cycle.
# run: neso compile %s:kernel --target sim:sm_90a --num-warps 2 --why --signature "*bf16:16,*bf16:16"
import triton
import triton.language as tl


@triton.jit
def stage(x, N: tl.constexpr, STRIDE: tl.constexpr):
    pairs = tl.permute(tl.reshape(x, (N // (2 * STRIDE), 2, STRIDE)), (0, 2, 1))
    a, b = tl.split(pairs)
    pairs = tl.permute(tl.join(a + b, a - b), (0, 2, 1))
    return tl.reshape(pairs, (N,))


@triton.jit
def kernel(x, out):
    at = tl.program_id(0) * 512 + tl.arange(0, 512)
    v = tl.load(x + at)
    for s in tl.static_range(9):
        v = stage(v, 512, 256 >> s)
    tl.store(out + at, v)

# CHECK: tl.join(a + b, a - b)
# CHECK: conversion shared: 32x8x2xbf16 from tt.join to tt.trans: through 1024 bytes of shared memory
# CHECK-NOT: conversion shuffles
