"""vLLM's sampling, positions, caches, experts and sparse attention, and triton_kernels' experts."""

from functools import partial

import torch

from cases import add

HALF, SINGLE, INT8, FP8 = torch.float16, torch.float32, torch.int8, torch.float8_e4m3fn
VLLM = "vllm."

# ---- triton_kernels


def ogs(make, tokens, bits, experts=32, top=4, N=2880, K=2880):
    x, logits = make.randn(tokens, K), make.randn(tokens, experts, dtype=HALF)
    N, K = (2880, 2880) if bits == 16 else (2880, 2880)
    if bits == 16:
        w = make.randn(experts, K, N, scale=0.05)
    else:
        w, scales = make.ints(0, 256, (experts, N, K // 2), torch.uint8).mT, make.ints(118, 122, (experts, N, K // 32), torch.uint8).mT

    def run(m, routing):
        data, gathered, scattered = routing.routing(logits, top)
        config = None if bits == 16 else m.PrecisionConfig(weight_scale=scales)
        return m.matmul_ogs(x, w, None, data, gather_indx=gathered, precision_config=config)
    return run


for tokens in (128, 4096):
    for bits in (16, 4):
        add(f"triton_kernels experts {bits} bits {tokens} tokens", ["triton_kernels.matmul_ogs", "triton_kernels.routing"], partial(ogs, tokens=tokens, bits=bits))


def swiglu(make, tokens=8192, wide=5760):
    x = make.randn(tokens, wide)
    return lambda m: m.swiglu(x, 1.702, m.PrecisionConfig(limit=7.0))


add("triton_kernels swiglu", "triton_kernels.swiglu", swiglu)


def to_mx(make, back, rows=8192, columns=4096):
    x = make.randn(rows, columns)
    if not back:
        return lambda m: m.downcast_to_mxfp(x, torch.uint8, 1)
    v, s = make.ints(0, 256, (rows, columns // 2), torch.uint8), make.ints(118, 122, (rows, columns // 32), torch.uint8)
    return lambda m: m.upcast_from_mxfp(v, s, torch.bfloat16, 1)


for back in (False, True):
    add("triton_kernels " + ("from" if back else "to") + " mxfp4", "triton_kernels.numerics_details.mxfp", partial(to_mx, back=back))

# ---- sampling


def sampled(make, top, share, batch=64, words=128256):
    logits = make.randn(batch, words, dtype=SINGLE)
    k, p = make.ints(20, 100, (batch,)) if top else None, make.rand(batch, least=0.8, most=0.95) if share else None
    return lambda m: m.apply_top_k_top_p_triton(logits.clone(), k, p).masked_fill(logits > 1e30, 0)


SAMPLE = VLLM + "v1.sample.ops.topk_topp_triton"
add("vLLM top k 64x128k", SAMPLE, partial(sampled, top=True, share=False))
add("vLLM top k and top p 64x128k", SAMPLE, partial(sampled, top=True, share=True))


def penalties(make, batch=64, words=128256):
    logits = make.randn(batch, words, dtype=SINGLE)
    each, tokens, places = make.arange(batch), make.ints(0, words, (batch,)), make.zeros(batch, dtype=torch.int32)
    repeated, often, there = make.rand(batch, least=1.1, most=1.2), make.rand(batch, least=0.1), make.rand(batch, least=0.1)
    bits, counts = make.ints(-2**31, 2**31 - 1, (batch, words // 32)), make.ints(0, 2, (batch, words))

    def run(m):
        made = logits.clone()
        m.apply_penalties(made, each, tokens, places, repeated, often, there, bits, counts)
        return made
    return run


def logprobs(make, batch=64, words=128256):
    logits, tokens = make.randn(batch, words, dtype=SINGLE), make.ints(0, words, (batch, 20), dtype=torch.int64)
    return lambda m: m.compute_token_logprobs(logits, tokens), lambda: torch.log_softmax(logits, -1).gather(1, tokens)


add("vLLM penalties 64x128k", VLLM + "v1.worker.gpu.sample.penalties", penalties)
add("vLLM logarithms of probabilities 64x128k", VLLM + "v1.worker.gpu.sample.logprob", logprobs)

# ---- attention in segments, by blocks that an index chooses


def lightning(make, heads=16, length=4096, D=128):
    q, k, v = (make.randn(1, heads, length, D, dtype=SINGLE) for _ in range(3))
    slopes, state = make.rand(1, heads, 1, 1, most=0.1), make.zeros(1, heads, D, D, dtype=SINGLE)
    return lambda m: m.lightning_attention_(q, k, v, slopes, state.clone())[0]


def lightning_step(make, batch=64, heads=32, D=128):
    q, k, v = (make.randn(batch, heads, 1, D) for _ in range(3))
    states, slopes, slots = make.randn(batch, heads, D, D, dtype=SINGLE), make.rand(heads, most=0.1), make.arange(batch)

    def run(m):
        kept = states.clone()
        return m.linear_decode_forward_triton(q, k, v, kept, slopes, slots), kept
    return run


LIGHTNING = VLLM + "model_executor.layers.lightning_attn"
add("vLLM lightning attention 4k", LIGHTNING, lightning)
add("vLLM lightning attention step", LIGHTNING, lightning_step)


def pages(make, batch, length):
    return make.permutation(batch * length // 128).view(batch, -1)


def index_scores(make, new=2048, length=16384, heads=4, D=128):
    q, cache = make.randn(new, heads, D), make.randn(length // 128, 128, D)
    starts, used, before = make.tensor([0, new]), make.tensor([length]), make.tensor([length - new])

    def run(m):
        score = m.minimax_m3_index_score(q, cache, pages(make, 1, length), starts, used, before, new, length, heads)
        return m.minimax_m3_index_topk(score, starts, before, new, 16, 1, 1)
    return run


def of_blocks(q, cache, chosen, table, limits):
    """Attention of q [T, H, D] by the keys of the blocks that each query chose, up to the place where it stands."""
    groups, D = cache.shape[1], q.shape[-1]
    both = cache[table[0].long()].transpose(0, 1).reshape(groups, -1, 2 * D).float()
    allowed = torch.zeros(groups, q.shape[0], both.shape[1] // 128, dtype=torch.bool, device=q.device).scatter_(2, chosen.long(), True)
    seen = torch.arange(both.shape[1], device=q.device)[None, :] <= limits[:, None]
    out, per = torch.empty_like(q), q.shape[1] // groups
    for h in range(q.shape[1]):
        g = h // per
        scores = (q[:, h].float() @ both[g, :, :D].T) * D**-0.5
        scores.masked_fill_(~(seen & allowed[g].repeat_interleave(128, 1)), float("-inf"))
        out[:, h] = torch.softmax(scores, -1) @ both[g, :, D:]
    return out


def chosen_blocks(make, step, new=2048, length=16384, heads=32, groups=4, D=128):
    """step: one query for each of 16 requests, which share their pages; else `new` queries of one request."""
    new = 16 if step else new
    q, cache = make.randn(new, heads, D), make.randn(length // 128, groups, 128, 2 * D)
    if make.device == "cpu":
        chosen = make.ints(0, 100, (groups, new, 16))
    else:
        chosen = torch.rand(groups, new, (length - new) // 128, device=make.device).argsort(-1)[..., :16].to(torch.int32)
    starts, used, before, table = make.tensor([0, new]), make.tensor([length]), make.tensor([length - new]), pages(make, 1, length)

    def run(m):
        out = torch.empty_like(q)
        if step:
            m.minimax_m3_sparse_attn_decode(q, cache, chosen, table.expand(new, -1), used.repeat(new), groups, D**-0.5, out, 1)
        else:
            m.minimax_m3_sparse_attn(q, cache, chosen, table, starts, used, before, new, groups, D**-0.5, out)
        return out
    places = torch.full((new,), length - 1, device=q.device) if step else torch.arange(length - new, length, device=q.device)
    return run, lambda: of_blocks(q, cache, chosen, table, places)


M3 = VLLM + "models.minimax_m3.common.ops."
add("vLLM M3 scores and best blocks", M3 + "index_topk", index_scores, most=1e9, rms=0.5)
add("vLLM M3 attention of chosen blocks", M3 + "sparse_attn", partial(chosen_blocks, step=False))
add("vLLM M3 attention of chosen blocks, step", M3 + "sparse_attn", partial(chosen_blocks, step=True))

# ---- products


def scaled(make, M, dtype, N=4096, K=4096):
    if dtype == INT8:
        x, w = make.ints(-127, 128, (M, K), INT8), make.ints(-127, 128, (N, K), INT8).T
    else:
        x, w = make.randn(M, K, dtype=FP8), make.randn(N, K, dtype=FP8).T
    xs, ws = make.rand(M, 1, least=0.005, most=0.01), make.rand(N, 1, least=0.005, most=0.01)
    return lambda m: m.triton_scaled_mm(x, w, xs, ws, torch.bfloat16), lambda: (x.float() @ w.float()) * xs * ws.T


for M in (16, 4096):
    for dtype, name in ((INT8, "int8"), (FP8, "fp8")):
        add(f"vLLM compressed tensors {name} {M} rows", VLLM + "model_executor.layers.quantization.compressed_tensors.triton_scaled_mm",
            partial(scaled, M=M, dtype=dtype))


def w4a16(make, M, N=4096, K=4096, group=128):
    a, w = make.randn(M, K, dtype=HALF), make.ints(-2**31, 2**31 - 1, (K, N // 8))
    scales = make.rand(K // group, N, dtype=HALF, most=0.01)
    return lambda m: m._triton_w4a16_gemm_impl(a, w, scales, None, group)


for M in (16, 2048):
    add(f"vLLM w4a16 {M} rows", VLLM + "model_executor.kernels.linear.mixed_precision.triton_w4a16", partial(w4a16, M=M))


def batched(make, experts=32, tokens=64, N=2048, K=2048):
    a, b = make.randn(experts, tokens, K), make.randn(experts, N, K, scale=0.05)
    used = make.ints(16, tokens + 1, (experts,))
    config = dict(BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, BLOCK_SIZE_K=64)

    def run(m):
        out = make.zeros(experts, tokens, N)
        m.invoke_moe_batched_triton_kernel(a, b, out, used, m.tl.bfloat16, None, None, None, False, False, False, config, False)
        return out
    return run


add("vLLM batched experts 32x64", VLLM + "model_executor.layers.fused_moe.experts.fused_batched_moe", batched)


def groups(make, M=8192, N=4096, K=4096, G=8):
    a, b = make.randn(M, K), make.randn(G, N, K, scale=0.05)
    of_row = make.arange(M) // (M // G)

    def run(m):
        out = make.empty(M, N)
        m.m_grouped_bf16_gemm_nt_contiguous_tl(a, b, out, of_row)
        return out
    return run, lambda: torch.cat([a[g * (M // G):(g + 1) * (M // G)].float() @ b[g].float().T for g in range(G)])


add("DeepGEMM grouped rows 8192", VLLM + "third_party.deep_gemm.legacy.m_grouped_gemm", groups)

# ---- positions, caches, bytes


def mrope(make, tokens=8192, heads=32, keys=8, D=128):
    q, k, c, s = make.randn(tokens, heads * D), make.randn(tokens, keys * D), make.randn(3, tokens, D // 2), make.randn(3, tokens, D // 2)
    return lambda m: m.triton_mrope(q.clone(), k.clone(), c, s, [16, 24, 24], D, D, False, True)


def cached(make, tokens=8192, heads=8, D=128, page=16):
    k, v, slots = make.randn(tokens, heads, D), make.randn(tokens, heads, D), make.permutation(tokens, dtype=torch.int64)
    one = make.ones(1)

    def run(m):
        keys, values = (make.zeros(tokens // page, page, heads, D) for _ in range(2))
        m.triton_reshape_and_cache_flash(k, v, keys, values, slots, "auto", one, one)
        return keys, values
    return run


def to_int8(make, tokens=8192, wide=4096):
    x = make.randn(tokens, wide)
    return lambda m: m.per_token_quant_int8(x)


def gelu_sparse(make, tokens=8192, wide=8192):
    x = make.randn(tokens, 2 * wide)
    return lambda m: m._gelu_and_mul_sparse_triton_op(x, 1.645)


add("vLLM mrope", VLLM + "model_executor.layers.rotary_embedding.mrope", mrope)
add("vLLM tokens into the cache", VLLM + "v1.attention.ops.triton_reshape_and_cache_flash", cached)
add("vLLM to int8", VLLM + "model_executor.layers.quantization.utils.int8_utils", to_int8, most=1e9)
add("vLLM sparse gelu and mul", VLLM + "kernels.triton.activation", gelu_sparse)
