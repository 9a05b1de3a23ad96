"""vLLM's products: AWQ, LoRA, experts, float8 by blocks."""

from functools import partial

import torch

from cases import add

LAYERS = "vllm.model_executor.layers."
ORDER = (0, 4, 1, 5, 2, 6, 3, 7)  # where AWQ has an int32's nibbles


def nibbles(packed):
    """[R, C] int32 of AWQ as [R, 8 C] numbers."""
    parts = [(packed >> (4 * place)) & 15 for place in ORDER]
    return torch.stack(parts, -1).reshape(packed.shape[0], -1)


def awq(make, rows, K, N, splits, blocks):
    x, packed = make.randn(rows, K, dtype=torch.float16), make.ints(-2**31, 2**31 - 1, (K, N // 8))
    zeros, scales = make.ints(-2**31, 2**31 - 1, (K // 128, N // 8)), make.rand(K // 128, N, dtype=torch.float16, least=0.005, most=0.01)

    def run(m):
        return m.awq_gemm_triton(x, packed, scales, zeros, splits, *blocks)

    def want():
        w = (nibbles(packed) - nibbles(zeros).repeat_interleave(128, 0)).float() * scales.float().repeat_interleave(128, 0)
        return x.float() @ w
    return run, want


def awq_dequantize(make, K, N):
    packed = make.ints(-2**31, 2**31 - 1, (K, N // 8))
    zeros, scales = make.ints(-2**31, 2**31 - 1, (K // 128, N // 8)), make.rand(K // 128, N, dtype=torch.float16, least=0.005, most=0.01)

    def want():
        return (nibbles(packed) - nibbles(zeros).repeat_interleave(128, 0)).float() * scales.float().repeat_interleave(128, 0)
    return lambda m: m.awq_dequantize_triton(packed, scales, zeros), want


AWQ = LAYERS + "quantization.awq_triton"
add("vllm AWQ 16 rows 4096x4096", AWQ, partial(awq, rows=16, K=4096, N=4096, splits=8, blocks=(32, 32, 32)))
add("vllm AWQ 128 rows 4096x11008", AWQ, partial(awq, rows=128, K=4096, N=11008, splits=1, blocks=(64, 64, 64)))
add("vllm AWQ dequantize 4096x11008", AWQ, partial(awq_dequantize, K=4096, N=11008))


def lora_places(make, tokens, loras):
    """Which LoRA each token has: (mapping, tokens in order of it, how many of each, where they start, LoRAs)."""
    mapping = [i * 7 % loras for i in range(tokens)]
    order = sorted(range(tokens), key=lambda i: mapping[i])
    counts = [mapping.count(i) for i in range(loras)]
    starts = [sum(counts[:i]) for i in range(loras + 1)]
    return (make.tensor(mapping), make.tensor(order), make.tensor(counts + [0]), make.tensor(starts + [tokens]), make.tensor(list(range(loras)) + [-1]),
            torch.tensor([False]), torch.tensor([loras + 1]))


def shrink(make, tokens, hidden, rank, loras, slices):
    x = make.randn(tokens, hidden)
    weights = [make.randn(loras, rank, hidden, scale=0.02) for _ in range(slices)]
    places = lora_places(make, tokens, loras)

    def run(m):
        out = make.zeros(slices, tokens, rank, dtype=torch.float32)
        m._lora_shrink(x, weights, out, *places, 1.0)
        return out

    def want():
        return torch.stack([torch.einsum("tk,trk->tr", x.float(), w[places[0].long()].float()) for w in weights])
    return run, want


def expand(make, tokens, hidden, rank, loras, slices):
    x = make.randn(slices, tokens, rank, dtype=torch.float32)
    weights = [make.randn(loras, hidden, rank, scale=0.1) for _ in range(slices)]
    places, before = lora_places(make, tokens, loras), make.randn(tokens, hidden * slices)

    def run(m):
        out = before.clone()
        m._lora_expand(x, weights, out, *places, 0, True)
        return out

    def want():
        added = [torch.cat([torch.zeros(0, hidden, device=x.device)] + [
            (x[s, i:i + 256].to(w.dtype).float()[:, None] @ w[places[0][i:i + 256].long()].float().transpose(1, 2))[:, 0] for i in range(0, tokens, 256)])
            for s, w in enumerate(weights)]
        return before.float() + torch.cat(added, 1)
    return run, want


SHRINK, EXPAND = "vllm.lora.ops.triton_ops.lora_shrink_op", "vllm.lora.ops.triton_ops.lora_expand_op"
add("vllm LoRA shrink 64 tokens rank 16", SHRINK, partial(shrink, tokens=64, hidden=4096, rank=16, loras=4, slices=3))
add("vllm LoRA shrink 2048 tokens rank 64", SHRINK, partial(shrink, tokens=2048, hidden=4096, rank=64, loras=4, slices=3))
add("vllm LoRA expand 64 tokens rank 16", EXPAND, partial(expand, tokens=64, hidden=4096, rank=16, loras=4, slices=3))
add("vllm LoRA expand 2048 tokens rank 64", EXPAND, partial(expand, tokens=2048, hidden=4096, rank=64, loras=4, slices=3))


def sorted_blocks(make, tokens, experts, top, block):
    """Experts of tokens as moe_align_block_size gives them: places by expert, padded to blocks; the expert of each block; their number."""
    chosen = [[(i * 5 + j * (i % 3 + 1)) % experts for j in range(top)] for i in range(tokens)]
    lists = [[] for _ in range(experts)]
    for i, each in enumerate(chosen):
        for j, expert in enumerate(each):
            lists[expert].append(i * top + j)
    places, of_blocks = [], []
    for expert, each in enumerate(lists):
        padded = -(-len(each) // block) * block
        places += each + [tokens * top] * (padded - len(each))
        of_blocks += [expert] * (padded // block)
    return make.tensor(places), make.tensor(of_blocks), make.tensor([len(places)]), make.tensor(chosen)


def experts(make, tokens, count, top, N, K, dtype="bf16"):
    """The first product of experts: [tokens, K] by [count, N, K]."""
    block = [128, 128] if dtype == "fp8 blocks" else None
    fp8 = dtype.startswith("fp8")
    holds = torch.float8_e4m3fn if fp8 else torch.bfloat16
    x, w = make.randn(tokens, K, dtype=holds), make.randn(count, N, K, scale=1 if fp8 else 0.05, dtype=holds)
    a_scale = make.rand(tokens, K // 128, least=0.5) if block else make.ones(1) if fp8 else None
    w_scale = make.rand(count, N // 128, K // 128, least=0.005, most=0.01) if block else make.rand(count, least=0.005, most=0.01) if fp8 else None

    def configuration(m):
        return m.get_default_config(tokens, count, N, K, top, "fp8_w8a8" if fp8 else None, block)
    chosen = {}

    def run(m):
        config = configuration(m)
        places, of_blocks, number, chosen["experts"] = sorted_blocks(make, tokens, count, top, config["BLOCK_SIZE_M"])
        out = make.zeros(tokens, top, N)
        m.invoke_fused_moe_triton_kernel(x, w, out, a_scale, w_scale, None, places, of_blocks, number, False, top, config, m.tl.bfloat16, fp8, False, False, False,
                                         False, block)
        return out

    def want():
        wide_x, parts = x.float(), torch.empty(tokens, top, N, device=x.device)
        if block:
            wide_x = (wide_x.view(tokens, -1, 128) * a_scale[..., None]).view(tokens, K)
        for e in range(count):
            here = (chosen["experts"] == e).nonzero()
            wide = w[e].float()
            if block:
                wide = wide * w_scale[e].repeat_interleave(128, 0).repeat_interleave(128, 1)
            elif fp8:
                wide = wide * w_scale[e]
            parts[here[:, 0], here[:, 1]] = wide_x[here[:, 0]] @ wide.T
        return parts
    return run, want


MOE = LAYERS + "fused_moe.fused_moe"
for tokens in (16, 64, 512, 4096):
    add(f"vllm experts bf16 {tokens} tokens", MOE, partial(experts, tokens=tokens, count=8, top=2, N=4096, K=4096))
add("vllm experts bf16 64 of 64 experts, 2048 tokens", MOE, partial(experts, tokens=2048, count=64, top=8, N=1536, K=2048))
for tokens in (64, 4096):
    add(f"vllm experts fp8 {tokens} tokens", MOE, partial(experts, tokens=tokens, count=8, top=2, N=4096, K=4096, dtype="fp8"))
    add(f"vllm experts fp8 by blocks {tokens} tokens", MOE, partial(experts, tokens=tokens, count=8, top=2, N=4096, K=4096, dtype="fp8 blocks"))


def fp8_blocks(make, M, N, K):
    x, w = make.randn(M, K, dtype=torch.float8_e4m3fn), make.randn(N, K, dtype=torch.float8_e4m3fn)
    xs, ws = make.rand(M, K // 128, least=0.005, most=0.01), make.rand(-(-N // 128), K // 128, least=0.5)

    def want():
        wide = w.float() * ws.repeat_interleave(128, 0)[:N].repeat_interleave(128, 1)
        return (x.float().view(M, -1, 128) * xs[..., None]).view(M, K) @ wide.T
    return lambda m: m.w8a8_triton_block_scaled_mm(x, w, xs, ws, [128, 128], torch.bfloat16), want


for M in (16, 64, 4096):
    add(f"vllm fp8 product by blocks {M} rows", LAYERS + "quantization.utils.fp8_utils", partial(fp8_blocks, M=M, N=4096, K=7168))
