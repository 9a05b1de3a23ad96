"""lmdeploy, lightllm, xformers, unsloth, liger: attention, experts, grouped and quantised products."""

from functools import partial

import torch

from cases import Context, add, attention

LMDEPLOY, LIGHT = "lmdeploy.pytorch.kernels.cuda.", "lightllm.models.llama.triton_kernel."


def lmdeploy_prefill(make, D):
    length = 4096
    q, k, v = make.randn(length, 32, D), make.randn(length, 8, D), make.randn(length, 8, D)
    starts, used = make.tensor([0]), make.tensor([length])

    def run(m):
        return m.flash_attn_varlen_func(q, k, v, max_seqlen_q=length, causal=True, q_start_loc=starts, q_seqlens=used, kv_start_loc=starts, kv_seqlens=used,
                                        kv_layout="shd")
    return run, lambda: attention(q, k, v)


for D in (64, 128):
    add(f"lmdeploy prefill attention D{D} 4k", LMDEPLOY + "flashattention", partial(lmdeploy_prefill, D=D))


def lmdeploy_decode(make, D, batch, length, page=64):
    pages = length // page
    q = make.randn(batch, 32, D)
    k, v = make.randn(batch * pages, page, 8, D), make.randn(batch * pages, page, 8, D)
    table, used = make.permutation(batch * pages).view(batch, pages), make.tensor([length] * batch)

    def run(m):
        return m.flash_attn_with_kvcache(q, k, v, used, table)

    def want():
        return torch.cat([attention(q[b:b + 1], *(x[table[b].long()].reshape(length, 8, D) for x in (k, v)), causal=False) for b in range(batch)])
    return run, want


add("lmdeploy paged attention 32x4k D128", LMDEPLOY + "pagedattention", partial(lmdeploy_decode, D=128, batch=32, length=4096))


def lmdeploy_awq(make, rows):
    K = N = 4096
    x, packed = make.randn(rows, K, dtype=torch.float16), make.ints(-2**31, 2**31 - 1, (K, N // 8))
    zeros, scales = make.ints(-2**31, 2**31 - 1, (K // 128, N // 8)), make.rand(K // 128, N, dtype=torch.float16, least=0.005, most=0.01)
    return lambda m: m.awq_linear(x, packed, scales, zeros)


for rows in (16, 512):
    add(f"lmdeploy AWQ {rows} rows", LMDEPLOY + "awq_kernels", partial(lmdeploy_awq, rows=rows))


def lmdeploy_int8(make, M):
    x, w = make.ints(-127, 128, (M, 4096), torch.int8), make.ints(-127, 128, (4096, 4096), torch.int8)
    xs, ws = make.rand(M, 1, least=0.005, most=0.01), make.rand(4096, 1, least=0.005, most=0.01)
    return (lambda m: m.matmul_kernel_dynamic_quant(x, w, xs, ws)), lambda: (x.float() @ w.float().T) * xs * ws.T


add("lmdeploy int8 product 2048 rows", LMDEPLOY + "w8a8_triton_kernels", partial(lmdeploy_int8, M=2048))


def light_context(make, D, length, batch):
    q, k, v = make.randn(batch * length, 32, D), make.randn(batch * length, 8, D), make.randn(batch * length, 8, D)
    starts, used, requests = make.arange(batch) * length, make.tensor([length] * batch), make.arange(batch)
    places, before = make.arange(batch * length).view(batch, length), make.tensor([0] * batch)

    def run(m):
        out = make.empty(batch * length, 32, D)
        m.context_attention_fwd(q, k, v, out, requests, starts, used, before, length, places)
        return out

    def want():
        return torch.cat([attention(*(x[b * length:(b + 1) * length] for x in (q, k, v))) for b in range(batch)])
    return run, want


for D in (64, 128):
    add(f"lightllm context attention D{D} 2x2k", LIGHT + "context_flashattention_nopad", partial(light_context, D=D, length=2048, batch=2))


def light_decode(make, batch, length, split=256):
    q, k, v = make.randn(batch, 32, 128), make.randn(batch * length, 8, 128), make.randn(batch * length, 8, 128)
    places, requests, used = make.permutation(batch * length).view(batch, length), make.arange(batch), make.tensor([length] * batch)
    blocks = length // split
    batches, starts = make.arange(batch * blocks) // blocks, make.arange(batch * blocks) % blocks * split

    def run(m):
        out, lse = make.zeros(batch, 32, blocks, 128, dtype=torch.float32), make.zeros(batch, 32, blocks, dtype=torch.float32)
        m.flash_decode_stage1(batches, starts, q, k, v, places, requests, used, out, lse, split)
        return out, lse
    return run


add("lightllm GQA decode 32x4k D128", LIGHT + "gqa_flash_decoding_stage1", partial(light_decode, batch=32, length=4096))


def xformers_matmul(make):
    M, N, K = 4096, 4096, 2048
    a, b = [[make.randn(M, K)]], [[make.randn(K, N)], ]

    def run(m):
        c = make.empty(M, N)
        m._launch_triton_matmul(a, b, [[c]], [M], [N], [K])
        return c
    return run, lambda: a[0][0].float() @ b[0][0].float()


add("xformers tiled matmul 4096x4096x2048", "xformers.ops._triton.tiled_matmul_kernels", xformers_matmul,
    configs={"_xformers_tiled_matmul_kernel": dict(BLOCK_M=128, BLOCK_N=256, BLOCK_K=32, SPLIT_K=1)})


def grouped(make, tokens, experts, top, N, K, permute):
    total = tokens * top
    x, w = make.randn(tokens if permute else total, K), make.randn(experts, N, K, scale=0.05)
    sizes = [total // experts + (17 if e % 2 else -17) for e in range(experts)]
    places = make.permutation(total)
    counts = make.tensor(sizes)

    def run(m):
        out = make.empty(total, N)
        m._grouped_gemm_forward_kernel[(132, )](
            x_ptr=x, w_ptr=w.view(-1, K), m_sizes_ptr=counts, gather_indices_ptr=places, topk_weights_ptr=None, y_ptr=out, NUM_TOKENS=tokens, NUM_EXPERTS=experts,
            TOPK=top, N=N, K=K, NUM_SMS=132, PERMUTE_X=permute, PERMUTE_Y=False, FUSE_MUL_POST=False, FLATTEN=True, USE_TMA_LOAD_W=False, USE_TMA_LOAD_X=False,
            USE_TMA_STORE=False, BLOCK_SIZE_M=64, BLOCK_SIZE_N=128, BLOCK_SIZE_K=64, num_warps=4, num_stages=3)
        return out

    def want():
        rows = x[places.long() // top] if permute else x
        at, parts = 0, []
        for e, size in enumerate(sizes):
            parts.append(rows[at:at + size].float() @ w[e].float().T)
            at += size
        return torch.cat(parts)
    return run, want


GROUPED = "unsloth.kernels.moe.grouped_gemm.kernels.forward"
add("unsloth grouped product 4096x8", GROUPED, partial(grouped, tokens=4096, experts=32, top=4, N=2048, K=2048, permute=False))
add("unsloth grouped product 4096x8, gathered", GROUPED, partial(grouped, tokens=4096, experts=32, top=4, N=2048, K=2048, permute=True))


def liger_moe(make, back):
    tokens, E, inner, hidden, top = 4096, 16, 1024, 2048, 4
    x, up, down = make.randn(tokens, hidden), make.randn(E, 2 * inner, hidden, scale=0.05), make.randn(E, hidden, inner, scale=0.05)
    chosen = make.tensor([[(i * 5 + j * (i % 3 + 1)) % E for j in range(top)] for i in range(tokens)])
    weights, given = make.rand(tokens, top, dtype=torch.bfloat16), make.randn(tokens, hidden)

    def run(m):
        context = Context()
        out = m.LigerFusedMoEFunction.forward(context, x, up, down, chosen, weights)
        return m.LigerFusedMoEFunction.backward(context, given) if back else out
    return run


MOE = "liger_kernel.ops.fused_moe"
add("liger experts forward", MOE, partial(liger_moe, back=False), only=("_fused_up_proj_swiglu_kernel", "_fused_down_proj_kernel"), configs={
    name: dict(BLOCK_N=128, BLOCK_K=64, num_warps=4, num_stages=3) for name in ("_fused_up_proj_swiglu_kernel", "_fused_down_proj_kernel")})
BACK = ("_moe_bwd_down_proj_kernel", "_moe_bwd_dX_expanded_kernel")
WEIGHTS = ("_moe_bwd_dW1_kernel", "_moe_bwd_dW2_kernel")
add("liger experts backward", MOE, partial(liger_moe, back=True), only=BACK + WEIGHTS, configs={
    **{name: dict(BLOCK_N=128, BLOCK_K=64, num_warps=8, num_stages=2) for name in BACK},
    **{name: dict(BLOCK_M=64, BLOCK_N=128, BLOCK_K=32, num_warps=8) for name in WEIGHTS}})
