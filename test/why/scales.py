# A row of blocks' scales beside a product: the loop is there twice, and where all columns are of one block it loads one scale, converts
# nothing, and its warps do not meet. Not a row that is no quotient, nor one that is masked.
# run: NESO_PERSIST=0 neso compile %s:scaled --target sim:sm_90a --why --num-warps 8 --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,0"
# run: NESO_PERSIST=0 neso compile %s:scaled --target sim:sm_90a --why --num-warps 8 --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,1"
# run: NESO_PERSIST=0 neso compile %s:scaled --target sim:sm_90a --why --num-warps 8 --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,2"
# run: for t in 0 1; do for g in 16 48 128; do NESO_TURNS=$t neso run %s:scaled --target sim:sm_90a --check --against interp --atol 1e-4 --rtol 1e-5 -q -g 3 a=rand:128x256:fp8e4nv b=rand:320x256:fp8e4nv s=rand:2x20:fp32 o=zeros:128x320:fp32 N=320 K=256 group=$g pitch=20 CASE=0 --num-warps 8 || exit 1; done; done
# run: neso run %s:scaled --target sim:sm_90a --check --against interp --atol 1e-4 --rtol 1e-5 -q -g 3 a=rand:128x256:fp8e4nv b=rand:320x256:fp8e4nv s=rand:2x320:fp32 o=zeros:128x320:fp32 N=320 K=256 group=1 pitch=320 CASE=0 --num-warps 8
# run: for g in 48 128; do neso run %s:scaled --target sim:sm_90a --check --against interp --atol 1e-4 --rtol 1e-5 -q -g 3 a=rand:128x256:fp8e4nv b=rand:320x256:fp8e4nv s=rand:2x20:fp32 o=zeros:128x320:fp32 N=320 K=256 group=$g pitch=20 CASE=3 --num-warps 8 || exit 1; done
# run: NESO_PERSIST=0 neso compile %s:scaled --target sim:sm_90a --why --num-warps 8 --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,3"
import triton
import triton.language as tl


@triton.jit
def scaled(a, b, s, o, N, K, group, pitch, CASE: tl.constexpr):
    m, k = tl.arange(0, 128), tl.arange(0, 128)
    columns = tl.arange(0, 128)
    if CASE == 3:
        columns = columns.to(tl.int64)
    n = (tl.program_id(0) * 128 + columns) % N
    if CASE == 1:
        places = s + n
    else:
        places = s + n // group
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, tl.cdiv(K, 128)):
        x = tl.load(a + m[:, None] * K + i * 128 + k[None, :])
        y = tl.load(b + n[None, :] * K + i * 128 + k[:, None])
        if CASE == 2:
            scale = tl.load(places + i * pitch, mask=n < group, other=0.0)
        else:
            scale = tl.load(places + i * pitch)
        acc += tl.dot(x, y) * scale[None, :]
    c = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.store(o + m[:, None] * N + c[None, :], acc, mask=c[None, :] < N)

# CHECK: loop scales: is there twice
# CHECK: copied by TMA 3 ahead, 4 slots
# CHECK: conversion shared: 128xf32 from what the loop carries
# CHECK-COUNT-1: loop scales
# CHECK-NOT: loop scales
