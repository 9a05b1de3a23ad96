"""Attention, forward: softmax(Q K^T / sqrt(d)) V without the score matrix, by an online softmax over tiles of keys."""
import math

import torch
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def attention_tiles(acc, total, top, q, k_ptrs, v_ptrs, stride_kn, stride_vn, rows, first, last, scale,
                    N, BLOCK_N: tl.constexpr, MASKED: tl.constexpr):
    """Folds the keys [first, last) into the running output, sum and maximum of each query row."""
    cols = tl.arange(0, BLOCK_N)
    for start in range(first, last, BLOCK_N):
        start = tl.multiple_of(start, BLOCK_N)
        there = start + cols < N
        k = tl.load(k_ptrs + start * stride_kn, mask=there[None, :], other=0.0)
        scores = tl.dot(q, k) * scale
        if MASKED:
            scores = tl.where(rows[:, None] >= (start + cols)[None, :], scores, -float("inf"))
        scores = tl.where(there[None, :], scores, -float("inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        p = tl.math.exp2(scores - new_top[:, None])
        shrink = tl.math.exp2(top - new_top)
        total = total * shrink + tl.sum(p, 1)
        v = tl.load(v_ptrs + start * stride_vn, mask=there[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = new_top
    return acc, total, top


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, scale,
    stride_qh, stride_qn, stride_kh, stride_kn, stride_vh, stride_vn, stride_oh, stride_on,
    N,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):
    """One program: BLOCK_M queries of one head. The innermost dimension of size D is contiguous."""
    tile = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    rows = tile * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    inside = rows[:, None] < N
    q = tl.load(q_ptr + head * stride_qh + rows[:, None] * stride_qn + d[None, :], mask=inside, other=0.0)
    k_ptrs = k_ptr + head * stride_kh + cols[None, :] * stride_kn + d[:, None]
    v_ptrs = v_ptr + head * stride_vh + cols[:, None] * stride_vn + d[None, :]

    top = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    scale *= LOG2_E
    if CAUSAL:
        # Tiles left of the diagonal need no mask; those on it do.
        diagonal = tile * BLOCK_M
        acc, total, top = attention_tiles(acc, total, top, q, k_ptrs, v_ptrs, stride_kn, stride_vn, rows,
                                          0, diagonal, scale, N, BLOCK_N, MASKED=False)
        acc, total, top = attention_tiles(acc, total, top, q, k_ptrs, v_ptrs, stride_kn, stride_vn, rows,
                                          diagonal, min(diagonal + BLOCK_M, N), scale, N, BLOCK_N, MASKED=True)
    else:
        acc, total, top = attention_tiles(acc, total, top, q, k_ptrs, v_ptrs, stride_kn, stride_vn, rows,
                                          0, N, scale, N, BLOCK_N, MASKED=False)
    out = acc / total[:, None]
    tl.store(out_ptr + head * stride_oh + rows[:, None] * stride_on + d[None, :],
             out.to(out_ptr.dtype.element_ty), mask=inside)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> torch.Tensor:
    """q, k, v: (heads, sequence, d) with contiguous d."""
    heads, n, d = q.shape
    out = torch.empty_like(q)
    block_m, block_n = 64, 64
    attention_kernel[(triton.cdiv(n, block_m), heads)](
        q, k, v, out, 1 / math.sqrt(d),
        q.stride(0), q.stride(1), k.stride(0), k.stride(1), v.stride(0), v.stride(1), out.stride(0), out.stride(1),
        n, D=d, BLOCK_M=block_m, BLOCK_N=block_n, CAUSAL=causal,
    )
    return out


if __name__ == "__main__":
    q, k, v = (torch.randn(4, 512, 64, dtype=torch.float16) for _ in range(3))
    for causal in (False, True):
        expected = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal)
        print("largest difference:", (attention(q, k, v, causal).float() - expected).abs().max().item())
