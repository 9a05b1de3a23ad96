# Conversions of layouts that are left, and what they cost: a transposition goes through shared memory, without conflicts.
# run: neso compile %s:transpose --target sim:sm_80 --why --signature "*fp32:16,*fp32:16"
import triton
import triton.language as tl


@triton.jit
def transpose(x, y):
    r = tl.arange(0, 64)
    at = r[:, None] * 64 + r[None, :]
    tl.store(y + at, tl.trans(tl.load(x + at)))

# CHECK: conversions.py:11: tl.store(y + at, tl.trans(tl.load(x + at)))
# CHECK: conversion shared: 64x64xf32 from {{.*}} to tt.store: through 16384 bytes of shared memory, {{[0-9]+}} stores and {{[0-9]+}} loads a warp in {{[0-9]+}} wavefronts
