"""flash-attn: attention as Dao-AILab's Triton file has it, forward and backward."""

from functools import partial

import torch

from cases import add, attention


def forward(make, batch, length, heads, D, causal):
    q, k, v = (make.randn(batch, length, heads, D, dtype=torch.float16) for _ in range(3))

    def run(m):
        return m._flash_attn_forward(q, k, v, causal=causal)[:2]

    def want():
        return torch.stack([attention(*(x[b] for x in (q, k, v)), causal=causal) for b in range(batch)])
    return run, want


def backward(make, batch, length, heads, D, causal):
    q, k, v, given = (make.randn(batch, length, heads, D, dtype=torch.float16) for _ in range(4))

    def run(m):
        out, lse, scale = m._flash_attn_forward(q, k, v, causal=causal)
        dq, dk, dv = (torch.empty_like(q) for _ in range(3))
        m._flash_attn_backward(given, q, k, v, out, lse, dq, dk, dv, causal=causal)
        return dq, dk, dv

    def want():
        made = [x.transpose(1, 2).float().requires_grad_() for x in (q, k, v)]
        torch.nn.functional.scaled_dot_product_attention(*made, is_causal=causal).backward(given.transpose(1, 2).float())
        return [x.grad.transpose(1, 2) for x in made]
    return run, want


FILE = "flash_attn.flash_attn_triton"
for D in (64, 128):
    add(f"Dao attention forward D{D} causal 4k", FILE, partial(forward, batch=2, length=4096, heads=16, D=D, causal=True))
    add(f"Dao attention backward D{D} 2k", FILE, partial(backward, batch=2, length=2048, heads=16, D=D, causal=False), only=("_bwd_kernel", "_bwd_preprocess_do_o_dot"))
add("Dao attention forward D128 4k", FILE, partial(forward, batch=2, length=4096, heads=16, D=128, causal=False))
