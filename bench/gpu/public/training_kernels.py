"""Transformer Engine's permutations, cross entropy and hyper-connections, DeepSpeed's groups, torchao's fp8 by blocks, xformers' split attention."""

from functools import partial

import torch

from cases import Context, add

SINGLE, FP8 = torch.float32, torch.float8_e4m3fn

# ---- Transformer Engine

TE = "transformer_engine.pytorch.triton."


def routed(make, tokens, experts, top):
    """A mask of the experts that each token chose."""
    if make.device == "cpu":
        return make.zeros(tokens, experts, dtype=torch.int32)
    chosen = torch.rand(tokens, experts, device=make.device).argsort(-1)[:, :top]
    return make.zeros(tokens, experts, dtype=torch.int32).scatter_(1, chosen, 1)


def permuted(make, tokens=8192, experts=32, top=4, wide=4096):
    """There, back, and the backward of the way back."""
    mask, x, shares, given = routed(make, tokens, experts, top), make.randn(tokens, wide), make.rand(tokens, experts), make.randn(tokens, wide)
    rows = tokens * top

    def run(m):
        # What the map holds of no expert is not made.
        places = m.make_row_id_map(mask, tokens, experts)
        moved, _, probabilities = m.permute_with_mask_map(x, places, shares, None, None, tokens, experts, rows, wide, 0)
        back, _ = m.unpermute_with_mask_map(moved, places, shares, None, None, tokens, experts, wide)
        grad, _ = m.unpermute_with_mask_map_bwd_with_merging_probs(given, places, moved, shares, None, tokens, experts, rows, wide)
        return moved, probabilities, back, grad

    def want():
        token = mask.T.nonzero()
        weight = shares.T[token[:, 0], token[:, 1]]
        return x[token[:, 1]], weight, x.float() * (shares * mask).sum(1, keepdim=True), given[token[:, 1]].float() * weight[:, None]
    return run, want


def entropy(make, tokens=4096, words=128256):
    logits, wanted, given = make.randn(1, tokens, words), make.ints(0, words, (1, tokens), dtype=torch.int64), make.rand(1, tokens)

    def run(m):
        loss, kept, stats, target, counted, rank, size = m.cross_entropy_forward(logits, wanted, 0.0, False, None, -100, False)
        m.cross_entropy_backward(kept, stats, target, counted, given, 0.0, False, rank, size, -100)
        return loss, kept

    def want():
        loss = torch.nn.functional.cross_entropy(logits[0].float(), wanted[0], reduction="none")
        grad = torch.softmax(logits[0].float(), -1)
        grad[torch.arange(tokens, device=grad.device), wanted[0]] -= 1
        return loss[None], (grad * given[0][:, None])[None]
    return run, want


add("TE rows to experts and back", TE + "permutation", permuted)
add("TE cross entropy 4096x128k", TE + "cross_entropy", entropy)


def connected(make, what, tokens=4096, C=2048, n=4):
    """Parts of manifold-constrained hyper-connections, forward and backward."""
    x, given, f = make.randn(1, tokens, C, n), make.randn(1, tokens, C, n), make.randn(1, tokens, C)
    before, after = make.rand(1, tokens, n), make.rand(1, tokens, n)
    between, logits = make.rand(1, tokens, n, n), make.randn(1, tokens, n, n, dtype=SINGLE)
    phi, norm, bias = make.randn(2 * n + n * n, n * C, scale=0.02), make.rand(n * C), make.randn(C)
    grad, squares = make.randn(tokens, 32, dtype=SINGLE), make.randn(tokens, dtype=SINGLE)

    def run(m):
        context = Context()
        if what == "projection":
            made = m.mHCProjectionOp.forward(context, x.view(tokens, n * C), phi, norm, True, None, True)
            return made, m.mHCProjectionOp.backward(context, grad, squares)[:3]
        if what == "sinkhorn":
            made = m.mHCSinkhornOp.forward(context, logits, n)
            return made, m.mHCSinkhornOp.backward(context, between)[:1]
        if what == "aggregate":
            made = m.mHCAggregateOp.forward(context, x, before, n)
            return made, m.mHCAggregateOp.backward(context, f)[:2]
        made = m.mHCExpandCombineOp.forward(context, f, bias, after, x, between, n)
        return made, m.mHCExpandCombineOp.backward(context, given)[:5]

    def want():
        if what != "aggregate":
            return ()
        return ((x.float() * before[:, :, None, :]).sum(-1), f.float()[..., None] * before[:, :, None, :],
                (f.float()[..., None] * x.float()).sum(2))
    return run, want


for what in ("projection", "sinkhorn", "aggregate", "combine"):
    add(f"TE hyper-connections, {what}", TE + "mhc", partial(connected, what=what), prunes=True, configs=dict(
        _mhc_projection_bwd_fused_dx=dict(BLOCK_SIZE_M=32)))

# ---- DeepSpeed

ENDS = [1000, 1900, 3100, 4096, 5000, 6200, 7168, 8192]


def groups(make, how, K=2048, N=4096):
    a, b, given, ends = make.randn(ENDS[-1], K), make.randn(len(ENDS), N, K, scale=0.05), make.randn(ENDS[-1], N), make.tensor(ENDS)

    def run(m):
        if how == "grad":
            return m._grouped_dw(given, a, ends, len(ENDS))
        return m._group_gemm(a, b.transpose(1, 2), ends) if how == "turned" else m._group_gemm(given, b, ends)

    def want():
        parts = [slice(*both) for both in zip([0] + ENDS, ENDS)]
        if how == "grad":
            return torch.stack([given[part].float().T @ a[part].float() for part in parts])
        return torch.cat([a[part].float() @ b[e].float().T if how == "turned" else given[part].float() @ b[e].float() for e, part in enumerate(parts)])
    return run, want


for how in ("turned", "not turned", "grad"):
    add(f"DeepSpeed groups, {how}", "deepspeed.ops.triton_ops.group_gemm_triton", partial(groups, how=how), configs=dict(
        _group_gemm_kernel=dict(BLOCK_M=128, BLOCK_N=256)))

# ---- torchao: fp8 by blocks

BLOCKS = "torchao.prototype.blockwise_fp8_training.kernels"


def by_blocks(make, square, M=4096, N=4096, K=4096):
    a, b = make.randn(M, K, dtype=FP8), make.randn(N, K, dtype=FP8).T
    of_a, of_b = make.rand(K // 128, M, most=0.02).T, make.rand(K // 128, N // 128 if square else N, most=0.02)

    def run(m):
        c = make.empty(M, N)
        sizes, options = (M, N, K), dict(BLOCK_SIZE_K=128)

        def grid(chosen):
            return M // chosen["BLOCK_SIZE_M"], N // chosen["BLOCK_SIZE_N"]
        operands = (a, a.stride(0), a.stride(1), b, b.stride(0), b.stride(1), c)
        scales = (of_a, of_a.stride(0), of_a.stride(1), of_b, of_b.stride(0), of_b.stride(1))
        if square:
            m.triton_fp8_gemm_1x128_128x128_kernel[grid](*operands, N, 1, *scales, *sizes, out_dtype=torch.bfloat16, **options)
        else:
            m.triton_fp8_gemm_1x128_128x1_kernel[grid](*operands, *scales, *sizes, **options)
        return c

    def want():
        of_b_rows = of_b.repeat_interleave(128, 1) if square else of_b
        return (a.float() * of_a.repeat_interleave(128, 1)) @ (b.float() * of_b_rows.repeat_interleave(128, 0))
    return run, want


def turned(make, M=8192, K=4096):
    x = make.randn(M, K)

    def run(m):
        y, scales = make.empty(K, M, dtype=FP8), make.zeros(M // 128, K, dtype=SINGLE).T
        m.triton_fp8_blockwise_act_quant_transposed_lhs_kernel[lambda chosen: (M // 128, K // chosen["NUM_GROUPS"])](
            x, K, 1, y, M, 1, scales, 1, K, M, K=K, BLOCK_SIZE=128, EPS=1e-12, FP8_MAX=448.0)
        return y.float() * scales.repeat_interleave(128, 1)
    return run, lambda: x.T


for square in (False, True):
    add("torchao fp8 by blocks, " + ("128x128" if square else "128x1"), BLOCKS, partial(by_blocks, square=square), configs={
        f"triton_fp8_gemm_1x128_128x{128 if square else 1}_kernel": dict(BLOCK_SIZE_M=128, num_warps=8)})
add("torchao fp8 of columns", BLOCKS, turned, rms=0.03, configs=dict(
    triton_fp8_blockwise_act_quant_transposed_lhs_kernel=dict(NUM_GROUPS=64, num_warps=4, num_stages=2)))

# ---- xformers: attention of few queries, keys in parts


def split(make, batch=32, groups=8, queries=4, length=8192, parts=8, D=128):
    q, k, v = make.randn(batch, queries, groups, 1, D), make.randn(batch, length, groups, 1, D), make.randn(batch, length, groups, 1, D)
    used = make.ints(length // 2, length, (batch,))

    def strides(tensor, names):
        return {f"stride_{name}": tensor.stride(i) if tensor is not None else 0 for i, name in enumerate(names.split())}

    def run(m):
        out, sums = make.zeros(batch, groups, 1, parts, 16, D, dtype=SINGLE), make.zeros(batch, groups, 1, parts, queries, dtype=SINGLE)
        m._get_splitk_kernel(1)[(1, batch * groups, parts)](
            Q=q, K=k, V=v, sm_scale=D**-0.5, Out_splitK=out, LSE_splitk=sums, block_tables=None, Seq_len=used, Seq_starts_k=None, Seq_starts_q=None,
            Seq_starts_q_multiplier=None, additive_bias=None, K_fp8_scale_shift=None, V_fp8_scale_shift=None, **strides(q, "qz qm qg qh qk"),
            **strides(k, "kz kn kg kh kk"), **strides(v, "vz vn vg vh vk"), **strides(out, "osk_z osk_g osk_h osk_s osk_m osk_k"),
            **strides(sums, "lsek_z lsek_g lsek_h lsek_s lsek_m"), **strides(None, "blocktablesz blocktablesl bias_b bias_g bias_h bias_qm bias_km"),
            **strides(None, " ".join(f"{of}_fp8_scale_shift_{dim}" for of in "kv" for dim in "zngh")), kv_cache_blocks_per_row=0, Z=batch, H=1, G=groups,
            N_CTX_Q=queries, N_CTX_K=length, BLOCK_N_PER_SPLIT=length // parts, BLOCK_DMODEL=D, USE_SEQ_LEN=True, PACKED_PER_VAL=1, N_GROUPS=1,
            IS_CAUSAL=False, IS_LOCAL=False, NUM_QUERIES_CAUSAL=1, IS_SPLITK=True, SPLIT_K_EARLY_EXIT=False, USE_PAGED_ATTENTION=False, PAGE_SIZE=0,
            WINDOW_LEFT=-1, WINDOW_RIGHT=-1, WRITE_LSE=True, HAS_ADDITIVE_BIAS=False, NUM_PROGRAMS_DIM2_CONST=parts, IS_HIP=False, BLOCK_M=16, BLOCK_N=64,
            num_warps=2, num_stages=3)
        weights = torch.softmax(sums, 3)
        return (out[:, :, :, :, :queries] * weights[..., None]).nan_to_num(0).sum(3)

    def want():
        hidden = torch.arange(length, device=q.device) >= used[:, None]
        scores = torch.einsum("bqghd,bnghd->bghqn", q.float(), k.float()) * D**-0.5
        return torch.einsum("bghqn,bnghd->bghqd", scores.masked_fill(hidden[:, None, None, None], float("-inf")).softmax(-1), v.float())
    return run, want


add("xformers split attention, 32x8 groups of 4", "xformers.ops.fmha._triton.splitk_kernels", split)
