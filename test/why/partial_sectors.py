# A tile that is loaded along one dim and stored along the other goes through shared memory: stores of 2 bytes that fill no sector of 32 bytes cost more.
# run: neso compile %s:transposed --target sm_90a --why --signature "*fp16:16,*fp16:16,i32:16"
import triton
import triton.language as tl


@triton.jit
def transposed(x, o, n):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)[:, None]
    j = tl.program_id(1) * 32 + tl.arange(0, 32)[None, :]
    tl.store(o + i * n + j, tl.load(x + j * n + i))

# CHECK: + access wide: load of 32x32xf16: 16 bytes at once, 1 times a thread
# CHECK: + access wide: store of 32x32xf16: 16 bytes at once, 1 times a thread
# CHECK: conversion
