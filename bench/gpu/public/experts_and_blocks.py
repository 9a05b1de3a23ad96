"""moe_ops' experts, stk's matrices of blocks, tritonBLAS, MInference's sparse attention, attention with forward derivatives, sparse
convolution."""

from functools import partial

import torch

from cases import add

SINGLE, SHORT = torch.float32, torch.int16

# ---- experts: rows by groups

ENDS = [0, 1000, 1900, 3100, 4096, 5000, 6200, 7168, 8192]


def grouped(make, how, N=4096, K=2048):
    a, grad, ends = make.randn(ENDS[-1], K), make.randn(ENDS[-1], N, scale=0.05), make.tensor(ENDS)
    E = len(ENDS) - 1
    b = make.randn(E, N, K, scale=0.05) if how != "not turned" else make.randn(E, K, N, scale=0.05)

    def run(m):
        if how == "grad":
            return m.gmm_try_gradB._init_fn(a, b, ends, grad)
        return m.gmm_try_fn._init_fn(a, b, ends, True) if how == "pointers" else m.group_gemm_tma_fn(a, b, ends, how == "turned")

    def want():
        parts = [slice(*both) for both in zip(ENDS, ENDS[1:])]
        if how == "grad":
            return torch.stack([grad[part].float().T @ a[part].float() for part in parts])
        return torch.cat([a[part].float() @ (b[e].float() if how == "not turned" else b[e].float().T) for e, part in enumerate(parts)])
    return run, want


MOE = "moe_ops."
WIDE = dict(grouped_matmul_tma_kernel=dict(BLOCK_SIZE_N=256, BLOCK_SIZE_K=64, num_warps=8, num_stages=3))
for how in ("turned", "not turned"):
    add(f"moe_ops groups by descriptors, B {how}", MOE + "grouped_gemm_ops_sm90", partial(grouped, how=how), configs=WIDE)
add("moe_ops groups by pointers", MOE + "grouped_gemm_ops", partial(grouped, how="pointers"),
    configs=dict(gmm_forward_kernel=dict(BLOCK_SIZE_M=128, BLOCK_SIZE_N=128, BLOCK_SIZE_K=64)))
add("moe_ops groups, weights' gradient", MOE + "grouped_gemm_ops", partial(grouped, how="grad"),
    configs=dict(gmm_gradB_kernel=dict(BLOCK_SIZE_M=128, BLOCK_SIZE_K=128)))


def permuted(make, tokens=8192, wide=4096, experts=64, top=8):
    x, chosen = make.randn(tokens, wide), make.ints(0, experts, (tokens, top))

    def run(m):
        rows, places, offsets = m.permute_countsort._init_fn(x, chosen, 0, experts)
        return rows[places.long()].view(top, tokens, wide), offsets  # in which order an expert has its rows is chance
    return run, lambda: (x.expand(top, -1, -1), torch.nn.functional.pad(torch.bincount(chosen.flatten(), minlength=experts).cumsum(0), (1, 0)).int())


def unpermuted(make, back, tokens=8192, wide=4096, top=8):
    rows, places, shares = make.randn(tokens * top, wide), make.permutation(tokens * top), make.rand(tokens, top)
    given = make.randn(tokens, wide)
    if back:
        return lambda m: m.unpermute_backward._init_fn(given, rows, places, shares, tokens, top)
    return (lambda m: m.unpermute_forward._init_fn(rows, places, shares, tokens, top),
            lambda: (rows[places.long()].view(top, tokens, wide).float() * shares.T[:, :, None]).sum(0))


def best(make, back, tokens=16384, experts=64, top=8):
    logits, given = make.randn(tokens, experts, dtype=SINGLE), make.randn(tokens, top, dtype=SINGLE)
    weights, chosen = make.rand(tokens, top), make.arange(tokens * top).view(tokens, top) % experts
    if back:
        return lambda m: m._fused_topk_softmax_bwd._init_fn(given, weights, chosen, tokens, experts, top)

    def want():
        values, places = logits.topk(top)
        return values.softmax(-1), places
    return lambda m: m._fused_topk_softmax_fwd._init_fn(logits, top), want


add("moe_ops rows to experts", MOE + "permute_ops", permuted)
for back in (False, True):
    name = " backward" * back
    add("moe_ops rows back from experts" + name, MOE + "unpermute_ops", partial(unpermuted, back=back))
    add("moe_ops best experts" + name, MOE + "fused_topk_softmax_ops", partial(best, back=back))

# ---- matrices of blocks of 128


def of_blocks(make, how, rows=8192, wide=2048, experts=8, columns=1024):
    """Each expert has its rows and its columns: blocks on the diagonal."""
    R, C = rows // 128, columns // 128
    block = torch.arange(R * C)
    row = block // C
    column = row // (R // experts) * C + block % C
    turned = (column * R + row).argsort()
    all_columns = experts * C
    offsets, turned_offsets = make.arange(R + 1) * C, make.arange(all_columns + 1) * (R // experts)
    place = [make.tensor(of.tolist(), dtype=SHORT) for of in (row, column, row[turned])]
    by_column = make.tensor(turned.tolist())
    data = make.randn(R * C, 128, 128)
    shape = (rows, all_columns * 128)

    def dense():
        made = make.zeros(R, 128, all_columns, 128, dtype=SINGLE)
        made[place[0].long(), :, place[1].long()] = data.float()
        return made.view(shape)
    if how == "made":
        a, b = make.randn(rows, wide), make.randn(wide, shape[1])

        def run(m):
            m.sdd(a, b, shape, data, offsets, place[0], place[1])
            return data
        return run, lambda: (a.float() @ b.float()).view(R, 128, all_columns, 128)[place[0].long(), :, place[1].long()]
    about = (data, offsets, place[0], place[1], turned_offsets, place[2], by_column)
    if how == "right":
        a, out = make.randn(wide, rows), make.empty(wide, shape[1])

        def run(m):
            m.dds(a, shape, *about, False, out)
            return out
        return run, lambda: a.float() @ dense()
    turn = how == "left, turned"
    b, out = make.randn(shape[0 if turn else 1], wide), make.empty(shape[1 if turn else 0], wide)

    def run(m):
        m.dsd(shape[::-1] if turn else shape, *about, turn, b, out)
        return out
    return run, lambda: (dense().T if turn else dense()) @ b.float()


for how in ("made", "left", "left, turned", "right"):
    add(f"stk blocks, {how}", "stk.backend.triton_kernels", partial(of_blocks, how=how))

# ---- products whose tiles are shared out


def blas(make, how, turned=False, M=4096, N=4096, K=4096):
    a, b = make.randn(M, K), make.randn(N, K).T if turned else make.randn(K, N)
    tiles = M // 128 * (N // 256)
    shape = dict(BLOCK_SIZE_M=128, BLOCK_SIZE_N=256, BLOCK_SIZE_K=64, GROUP_SIZE_M=8, NUM_SMS=132, BIAS=False, EVEN_K=True, CACHE_MODIFIER_A=None,
                 CACHE_MODIFIER_B=None, num_warps=8, num_stages=3)

    def run(m):
        c = make.empty(M, N)
        scales, sizes = (None, None, None), (M, N, K, a.stride(0), b.stride(1), N, 1, 0, a.stride(1), b.stride(0))
        if how == "stream-K":
            sums, locks = make.zeros(132, 128 * 256, dtype=SINGLE), make.zeros(132, dtype=torch.uint8)
            m.streamk_matmul[(132,)](a, b, c, *scales, sums, locks, *sizes, NUM_XCDS=1, CHUNK_SIZE=1, STREAMK_TILES=tiles % 132, **shape)
        elif how == "stolen":
            mine, all_of = make.zeros(8 * 64, dtype=torch.int32), make.zeros(64, dtype=torch.int32)
            m.ws_persistent_matmul[(132,)](a, b, c, *scales, mine, all_of, *sizes, NUM_XCDS=8, COUNTERS_PER_XCD=1, COUNTER_STRIDE=64, USE_MASK=False, **shape)
        else:
            m.persistent_matmul[(132,)](a, b, c, *scales, *sizes, NUM_XCDS=1, CHUNK_SIZE=64, **shape)
        return c
    return run, lambda: a.float() @ b.float()


BLAS = "tritonblas.kernels."
for turned in (False, True):
    add("tritonBLAS by stages" + ", B turned" * turned, BLAS + "persistent_gemm", partial(blas, how="stages", turned=turned))
add("tritonBLAS in one", BLAS + "persistent_gemm_monolithic", partial(blas, how="one"))
add("tritonBLAS stream-K", BLAS + "streamk_gemm", partial(blas, how="stream-K"))
add("tritonBLAS stolen tiles", BLAS + "persistent_gemm_work_stealing", partial(blas, how="stolen"))

# ---- attention of a part of the keys


def chosen_keys(make, heads, blocks, count):
    """For each of `blocks` rows of blocks `count` blocks of keys, in order: its own and others before it; those that are too many come last."""
    if make.device == "cpu":
        return make.ints(0, 1, (1, heads, blocks, count))
    order = torch.rand(1, heads, blocks, blocks, device=make.device)
    row, column = torch.arange(blocks, device=make.device)[:, None], torch.arange(blocks, device=make.device)
    return order.masked_fill(column > row, 2).masked_fill(column == row, -1).argsort(-1)[..., :count].sort(-1)[0].to(torch.int32)


def sparse(make, how, length=8192, heads=16, D=128):
    q, k, v = (make.randn(1, heads, length, D) for _ in range(3))
    used, rows = make.tensor([length]), length // 64
    if how == "blocks":
        chosen = chosen_keys(make, heads, rows, 32)

        def want():
            out = torch.empty_like(q)
            for h in range(heads):
                seen = torch.zeros(rows, rows, dtype=torch.bool, device=q.device).scatter_(1, chosen[0, h].long(), True)
                seen = seen.repeat_interleave(64, 0).repeat_interleave(64, 1).tril_()
                scores = (q[0, h].float() @ k[0, h].float().T * D**-0.5).masked_fill_(~seen, float("-inf"))
                out[0, h] = scores.softmax(-1) @ v[0, h].float()
            return out
        return lambda m: m._triton_block_sparse_attention(q, k, v, used, chosen, D**-0.5), want
    if how == "stream":
        return lambda m: m.streaming_forward(q, k, v, 128, 1024)
    row = make.arange(rows).expand(1, heads, rows)
    blocks, columns = chosen_keys(make, heads, rows, 16) * 64, (make.rand(1, heads, rows, 512) * row[..., None] * 64).int()
    return lambda m: m._triton_mixed_sparse_attention(
        q, k, v, used, (row + 1).clamp(max=16).contiguous(), blocks, (row * 64).clamp(max=512).contiguous(), columns, D**-0.5)


def scored(make, sums, length=8192, heads=16, D=128):
    if sums:
        scores = make.randn(1, heads, 2048, 2048)
        return lambda m: m.softmax_fuse_block_sum(scores, 8, 1024, 0, 2048, 2048, 1.4426950408889634 / 16, True)
    q, k = make.randn(1, heads, length, D), make.randn(1, heads, length, D)

    def want():
        turned = q.view(heads, -1, 16, D).flip(2).reshape(heads, -1, 16 * D)
        return (turned.float() @ k.view(heads, -1, 16 * D).float().transpose(1, 2))[None]
    return lambda m: m.flat_group_gemm_fuse_reshape(q, k, 16, 0, length // 16, False), want


SPARSE = "minference.ops."
for how, module in (("blocks", "block_sparse_flash_attention"), ("blocks and columns", "pit_sparse_flash_attention_v2"), ("stream", "streaming_kernel")):
    add(f"MInference {how}", SPARSE + module, partial(sparse, how=how))
add("MInference scores of each 16th", SPARSE + "xattention_fa", partial(scored, sums=False))
add("MInference sums of scores", SPARSE + "xattention_fa", partial(scored, sums=True))


def derived(make, causal, Z=2, heads=16, length=2048, D=64):
    """Attention and its derivative along a direction."""
    given = [make.randn(Z, heads, length, D, dtype=torch.float16) for _ in range(6)]

    def attention(q, k, v):
        scores = q @ k.transpose(-1, -2) * D**-0.5
        if causal:
            scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1), float("-inf"))
        return scores.softmax(-1) @ v

    def want():
        in_full = [tensor.float() for tensor in given]
        return torch.func.jvp(attention, tuple(in_full[:3]), tuple(in_full[3:]))
    return lambda m: m._attn_fwd_dual_triton._init_fn(*given, make.empty(1), D**-0.5, 0.0, 0, causal, False, 0)[:2], want


for causal in (False, True):
    add("JVP attention" + ", causal" * causal, "jvp_flash_attention.jvp_attention", partial(derived, causal=causal))

# ---- convolution of few points


def of_points(make, how, points=100_000, C=128, K=128):
    """27 neighbours, of which a fifth is there; masked: rows in the order of which neighbours they have."""
    x, weights, given = make.randn(points, C), make.randn(K, 27, C, scale=0.05), make.randn(points, K)
    pairs = make.ints(0, points, (27, points))
    if make.device != "cpu":
        pairs.masked_fill_(torch.rand(27, points, device=pairs.device) > 0.2, -1)
    of_row = ((pairs >= 0) * (1 << make.arange(27))[:, None]).sum(0).int()
    order = of_row.argsort().int()
    options = dict(pair_mask=of_row[order.long()], mask_argsort=order) if how == "masked" else {}

    def run(m):
        return m.conv_backward_weight(x, given, pairs, (K, 27, C)) if how == "weights" else m.conv_forward(x, weights, pairs, points, **options)

    def want():
        gathered = [x.float()[row.clamp(min=0).long()].masked_fill_((row < 0)[:, None], 0) for row in pairs]
        if how == "weights":
            return torch.stack([given.float().T @ rows for rows in gathered], 1)
        return sum(rows @ weights[:, i].float().T for i, rows in enumerate(gathered))
    return run, want


for how in ("all", "masked", "weights"):
    add(f"spconv 27 neighbours of 100k points, {how}", "spconv_triton.pytorch._impl.gemm", partial(of_points, how=how), configs=dict(
        _gather_gemm_kernel=dict(BLOCK_M=128, BLOCK_N=128, BLOCK_R=64), _dweight_masked_kernel=dict(BLOCK_P=128, BLOCK_K=64, BLOCK_C=128)))
