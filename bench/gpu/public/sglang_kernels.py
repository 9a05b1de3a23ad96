"""SGLang's attention, experts, products in int8 and float8."""

from functools import partial

import torch

from cases import add, attention
from vllm_products import sorted_blocks

OPS = "sglang.kernels.ops."


def extend(make, heads, kv_heads, D, prefix, new, batch, DV=None):
    """`new` tokens of each sequence after `prefix` tokens that lie in a pool, token by token."""
    DV = DV or D
    q, k, v = make.randn(batch * new, heads, D), make.randn(batch * new, kv_heads, D), make.randn(batch * new, kv_heads, DV)
    pool_k, pool_v = make.randn(batch * prefix + 8, kv_heads, D), make.randn(batch * prefix + 8, kv_heads, DV)
    starts, kept = make.arange(batch + 1) * new, make.arange(batch + 1) * prefix
    places = make.permutation(batch * prefix, dtype=torch.int64)

    def run(m):
        out = make.empty(batch * new, heads, DV)
        m.extend_attention_fwd(q, k, v, out, pool_k, pool_v, starts, kept, places, None, True, None, new, 1.0, 1.0)
        return out

    def want():
        parts = []
        for b in range(batch):
            at, here = places[b * prefix:(b + 1) * prefix], slice(b * new, (b + 1) * new)
            parts.append(attention(q[here], torch.cat((pool_k[at], k[here])), torch.cat((pool_v[at], v[here]))))
        return torch.cat(parts)
    return run, want


EXTEND = OPS + "attention.extend_attention"
add("sglang extend attention D128 2048+512", EXTEND, partial(extend, heads=32, kv_heads=8, D=128, prefix=2048, new=512, batch=4))
add("sglang extend attention D64 1024+1024", EXTEND, partial(extend, heads=32, kv_heads=4, D=64, prefix=1024, new=1024, batch=4))
add("sglang extend attention MLA D192 0+4096", EXTEND, partial(extend, heads=16, kv_heads=16, D=192, DV=128, prefix=16, new=4096, batch=1))
add("sglang extend attention D256 1024+1024", EXTEND, partial(extend, heads=16, kv_heads=8, D=256, prefix=1024, new=1024, batch=2))


def decode(make, heads, kv_heads, D, DV, batch, length, splits=8):
    q, k = make.randn(batch, heads, D), make.randn(batch * length, kv_heads, D)
    v = k[..., :DV] if DV < D else make.randn(batch * length, kv_heads, DV)
    starts, places = make.arange(batch + 1) * length, make.permutation(batch * length, dtype=torch.int64)
    each = make.tensor([splits] * batch)

    def run(m):
        out = make.empty(batch, heads, DV)
        logits, lse = make.zeros(batch, heads, splits, DV, dtype=torch.float32), make.zeros(batch, heads, splits, dtype=torch.float32)
        m.decode_attention_fwd(q, k, v, out, starts, places, logits, lse, each, splits, D**-0.5, 1.0, 1.0, has_mla=DV < D)
        return out

    def want():
        parts = []
        for b in range(batch):
            at = places[b * length:(b + 1) * length]
            parts.append(attention(q[b:b + 1], k[at], v[at], causal=False))
        return torch.cat(parts)
    return run, want


DECODE = OPS + "attention.decode_attention"
add("sglang decode attention GQA 32x4k D128", DECODE, partial(decode, heads=32, kv_heads=8, D=128, DV=128, batch=32, length=4096))
add("sglang decode attention MHA 16x2k D128", DECODE, partial(decode, heads=32, kv_heads=32, D=128, DV=128, batch=16, length=2048), rms=0.03)
add("sglang decode attention MLA 32x4k", DECODE, partial(decode, heads=16, kv_heads=1, D=576, DV=512, batch=32, length=4096))


def prefill(make, D):
    length = 4096
    q, k, v = make.randn(length, 32, D), make.randn(length, 8, D), make.randn(length, 8, D)
    starts, used = make.tensor([0]), make.tensor([length])

    def run(m):
        out = make.empty(length, 32, D)
        m.context_attention_fwd(q, k, v, out, starts, used, length, is_causal=True)
        return out
    return run, lambda: attention(q, k, v)


for D in (64, 128):
    add(f"sglang prefill attention D{D} 4k", OPS + "attention.prefill_attention", partial(prefill, D=D))


def experts(make, tokens, count, top, N, K, block):
    x, w = make.randn(tokens, K), make.randn(count, N, K, scale=0.05)
    places, of_blocks, number, chosen = sorted_blocks(make, tokens, count, top, block)
    weights = make.rand(tokens, top)
    config = dict(BLOCK_SIZE_M=block, BLOCK_SIZE_N=128 if tokens > 64 else 64, BLOCK_SIZE_K=64, GROUP_SIZE_M=8)

    def run(m):
        out = make.zeros(tokens, top, N)
        m.invoke_fused_moe_kernel(x, w, None, out, None, None, None, weights, chosen, places, of_blocks, number, True, top, config, m.tl.bfloat16, False, False,
                                  False, False, False)
        return out

    def want():
        parts = torch.empty(tokens, top, N, device=x.device)
        for e in range(count):
            here = (chosen == e).nonzero()
            parts[here[:, 0], here[:, 1]] = x[here[:, 0]].float() @ w[e].float().T
        return parts * weights[..., None]
    return run, want


MOE = OPS + "moe.fused_moe_triton_kernels"
add("sglang experts bf16 64 tokens", MOE, partial(experts, tokens=64, count=64, top=8, N=1536, K=2048, block=16))
add("sglang experts bf16 4096 tokens", MOE, partial(experts, tokens=4096, count=8, top=2, N=4096, K=4096, block=64))


def by_blocks(make, M, N, K, dtype):
    holds = torch.int8 if dtype == "int8" else torch.float8_e4m3fn
    x, w = ((make.ints(-127, 128, shape, torch.int8) if dtype == "int8" else make.randn(*shape, dtype=holds)) for shape in ((M, K), (N, K)))
    xs, ws = make.rand(M, K // 128, least=0.0005, most=0.001), make.rand(N // 128, K // 128, least=0.05, most=0.1)

    def want():
        return (x.float().view(M, -1, 128) * xs[..., None]).view(M, K) @ (w.float() * ws.repeat_interleave(128, 0).repeat_interleave(128, 1)).T
    if dtype == "int8":
        return lambda m: m.w8a8_block_int8_matmul(x, w, xs, ws, [128, 128], torch.bfloat16), want
    return lambda m: m.w8a8_block_fp8_matmul_triton(x, w, xs, ws, [128, 128], torch.bfloat16), want


for M in (64, 4096):
    add(f"sglang int8 product by blocks {M} rows", OPS + "gemm.int8_kernel", partial(by_blocks, M=M, N=4096, K=4096, dtype="int8"))
    add(f"sglang fp8 product by blocks {M} rows", OPS + "gemm.fp8_kernel", partial(by_blocks, M=M, N=4096, K=4096, dtype="fp8"))


def scaled(make, M, N, K, dtype):
    if dtype == "int8":
        x, w = make.ints(-127, 128, (M, K), torch.int8), make.ints(-127, 128, (N, K), torch.int8).T
    else:
        x, w = make.randn(M, K, dtype=torch.float8_e4m3fn), make.randn(N, K, dtype=torch.float8_e4m3fn).T
    xs, ws = make.rand(M, 1, least=0.005, most=0.01), make.rand(N, 1, least=0.005, most=0.01)

    def want():
        return (x.float() @ w.float()) * xs * ws.T
    return lambda m: m.triton_scaled_mm(x, w, xs, ws, torch.bfloat16), want


for M in (16, 2048):
    for dtype in ("int8", "fp8"):
        add(f"sglang scaled {dtype} product {M} rows", OPS + "gemm.fp8_kernel", partial(scaled, M=M, N=4096, K=4096, dtype=dtype))
