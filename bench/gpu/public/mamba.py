"""mamba_ssm: the kernels of state space duality, forward and backward."""

import torch

from cases import add

FILES = "mamba_ssm.ops.triton."
BATCH, LENGTH, HEADS, D, STATE, CHUNK = 1, 8192, 64, 64, 128, 256


def inputs(make, length=LENGTH):
    x, dt = make.randn(BATCH, length, HEADS, D), make.rand(BATCH, length, HEADS, dtype=torch.bfloat16, least=0.001, most=0.1)
    A, D_ = make.rand(HEADS, least=-2, most=-1), make.randn(HEADS, dtype=torch.float32)
    return x, dt, A, make.randn(BATCH, length, 1, STATE, scale=0.3), make.randn(BATCH, length, 1, STATE, scale=0.3), D_


def forward(make):
    x, dt, A, B, C, skip = inputs(make)
    return lambda m: m._mamba_chunk_scan_combined_fwd(x, dt, A, B, C, CHUNK, D=skip, dt_softplus=True)[0]


def backward(make):
    x, dt, A, B, C, skip = inputs(make, 4096)
    given = make.randn(BATCH, 4096, HEADS, D)

    def run(m):
        out = m._mamba_chunk_scan_combined_fwd(x, dt, A, B, C, CHUNK, D=skip, dt_softplus=True)[0]
        return m._mamba_chunk_scan_combined_bwd(given, x, dt, A, B, C, out, CHUNK, D=skip, dt_softplus=True)[:5]
    return run


add("mamba SSD forward 8k", FILES + "ssd_combined", forward, configs={
    "_chunk_scan_fwd_kernel": dict(BLOCK_SIZE_M=128, BLOCK_SIZE_N=64), "_chunk_state_fwd_kernel": dict(BLOCK_SIZE_M=64, BLOCK_SIZE_N=128),
    "_bmm_chunk_fwd_kernel": dict(BLOCK_SIZE_M=128, BLOCK_SIZE_N=128)})
add("mamba SSD backward 4k", FILES + "ssd_combined", backward)
