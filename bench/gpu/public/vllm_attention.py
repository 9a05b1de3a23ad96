"""vLLM's attention: prefill beside a paged cache, unified attention, decoding in splits, merging."""

from functools import partial

import torch

from cases import add, attention

OPS = "vllm.v1.attention.ops."


def prefix(make, heads, kv_heads, D, context, new, window=None, batch=2, page=16):
    """Queries of `new` tokens after `context` tokens in a cache of pages, whose keys lie in groups of 8 elements."""
    tokens, pages = batch * new, -(-context // page)
    q, k, v = (make.randn(tokens, h, D) for h in (heads, kv_heads, kv_heads))
    k_cache, v_cache = make.randn(batch * pages, kv_heads, D // 8, page, 8), make.randn(batch * pages, kv_heads, D, page)
    table = make.permutation(batch * pages).view(batch, pages)
    starts, lengths = make.arange(batch + 1) * new, make.tensor([context + new] * batch)
    one = make.ones(1)

    def run(m):
        out = make.empty(tokens, heads, D)
        m.context_attention_fwd(q, k, v, out, "auto", k_cache, v_cache, table, starts, lengths, context + new, new, one, one,
                                sliding_window=window)
        return out

    def want():
        parts = []
        for b in range(batch):
            at = table[b].long()
            kept_k = k_cache[at].permute(0, 3, 1, 2, 4).reshape(-1, kv_heads, D)[:context]
            kept_v = v_cache[at].permute(0, 3, 1, 2).reshape(-1, kv_heads, D)[:context]
            here = slice(b * new, (b + 1) * new)
            parts.append(attention(q[here], torch.cat((kept_k, k[here])), torch.cat((kept_v, v[here])), window=window or 0))
        return torch.cat(parts)
    return run, want


add("vllm prefix prefill D128 2048+512", OPS + "prefix_prefill", partial(prefix, heads=32, kv_heads=8, D=128, context=2048, new=512, batch=4))
add("vllm prefix prefill D64 window 1024", OPS + "prefix_prefill",
    partial(prefix, heads=32, kv_heads=8, D=64, context=2048, new=512, window=1024, batch=4))
add("vllm prefix prefill D128 8192+2048", OPS + "prefix_prefill", partial(prefix, heads=16, kv_heads=4, D=128, context=8192, new=2048, batch=1))


def unified(make, heads, kv_heads, D, lengths, new, window=-1, softcap=0.0, split=False, page=16):
    """`new` queries of each sequence of `lengths` tokens, all of whose keys are in the cache; split: over segments of the keys."""
    batch, longest = len(lengths), max(lengths)
    pages = -(-longest // page)
    q = make.randn(batch * new, heads, D)
    k, v = make.randn(batch * pages, page, kv_heads, D), make.randn(batch * pages, page, kv_heads, D)
    table = make.permutation(batch * pages).view(batch, pages)
    starts, used = make.arange(batch + 1) * new, make.tensor(lengths)
    wide = 1 << (D - 1).bit_length()

    def run(m):
        out = make.empty(batch * new, heads, D)
        segments = dict(seq_threshold_3D=128, num_par_softmax_segments=16, softmax_segm_output=make.zeros(batch * new, heads, 16, wide, dtype=torch.float32),
                        softmax_segm_max=make.zeros(batch * new, heads, 16, dtype=torch.float32),
                        softmax_segm_expsum=make.zeros(batch * new, heads, 16, dtype=torch.float32)) if split else {}
        m.unified_attention(q, k, v, out, starts, new, used, longest, D**-0.5, True, (window, 0), table, softcap, None, None, None, **segments)
        return out

    def want():
        if softcap:
            return None
        parts = []
        for b, length in enumerate(lengths):
            at = table[b].long()
            kept_k, kept_v = (cache[at].reshape(-1, kv_heads, D)[:length] for cache in (k, v))
            parts.append(attention(q[b * new:(b + 1) * new], kept_k, kept_v, window=window + 1))
        return torch.cat(parts)
    return run, want


UNIFIED = OPS + "triton_unified_attention"
add("vllm unified attention prefill D128 4k", UNIFIED, partial(unified, heads=32, kv_heads=8, D=128, lengths=[4096], new=4096))
add("vllm unified attention prefill D64 window 1024", UNIFIED, partial(unified, heads=64, kv_heads=8, D=64, lengths=[4096, 4096], new=2048, window=1023))
add("vllm unified attention D256 softcap", UNIFIED, partial(unified, heads=16, kv_heads=8, D=256, lengths=[4096], new=2048, softcap=50.0))
add("vllm unified attention decode 32x4k D128", UNIFIED, partial(unified, heads=32, kv_heads=8, D=128, lengths=[4096] * 32, new=1, split=True))
add("vllm unified attention decode 4x16k D128", UNIFIED, partial(unified, heads=32, kv_heads=8, D=128, lengths=[16384, 12000, 16384, 9000], new=1, split=True))
add("vllm unified attention decode 128x2k D128", UNIFIED, partial(unified, heads=32, kv_heads=8, D=128, lengths=[2048] * 128, new=1))


def decode(make, heads, kv_heads, D, DV, batch, length, splits=8, page=16, mla=False):
    """One query of each sequence; keys and values in pages, of latent attention in the same ones."""
    pages = -(-length // page)
    q = make.randn(batch, heads, D)
    k = make.randn(batch * pages, page, kv_heads, D)
    v = k[..., :DV] if mla else make.randn(batch * pages, page, kv_heads, DV)
    table, used = make.permutation(batch * pages).view(batch, pages), make.tensor([length - 7 * i % 64 for i in range(batch)])

    def run(m):
        out, lse = make.empty(batch, heads, DV), make.zeros(batch, heads, dtype=torch.float32)
        logits = make.zeros(batch, heads, splits, DV + 1, dtype=torch.float32)
        m.decode_attention_fwd(q, k, v, out, lse, table, used, logits, splits, D**-0.5, page_size=page, is_mla=mla)
        return out, lse

    def want():
        parts = []
        for b in range(batch):
            at = table[b].long()
            kept_k, kept_v = (cache[at].reshape(pages * page, kv_heads, -1)[:int(used[b])] for cache in (k, v))
            parts.append(attention(q[b:b + 1], kept_k, kept_v, causal=False))
        return torch.cat(parts)
    return run, want


DECODE = OPS + "triton_decode_attention"
add("vllm decode attention GQA 32x4k D128", DECODE, partial(decode, heads=32, kv_heads=8, D=128, DV=128, batch=32, length=4096))
add("vllm decode attention MHA 16x4k D128", DECODE, partial(decode, heads=32, kv_heads=32, D=128, DV=128, batch=16, length=4096),
    rms=0.03)  # adds up products of bfloat16 as bfloat16
add("vllm decode attention MLA 32x4k", DECODE, partial(decode, heads=16, kv_heads=1, D=576, DV=512, batch=32, length=4096, mla=True))


def prefill(make, heads, kv_heads, D, batch, length):
    q, k, v = (make.randn(batch * length, h, D) for h in (heads, kv_heads, kv_heads))
    starts, used = make.arange(batch) * length, make.tensor([length] * batch)

    def run(m):
        out = make.empty(batch * length, heads, D)
        m.context_attention_fwd(q, k, v, out, starts, used, length, is_causal=True)
        return out

    def want():
        return torch.cat([attention(*(x[b * length:(b + 1) * length] for x in (q, k, v))) for b in range(batch)])
    return run, want


for D in (64, 128):
    add(f"vllm prefill attention D{D} 4k", OPS + "triton_prefill_attention", partial(prefill, heads=32, kv_heads=8, D=D, batch=1, length=4096))


def merge(make, tokens, heads, D):
    a, b = make.randn(tokens, heads, D), make.randn(tokens, heads, D)
    la, lb = make.randn(heads, tokens, dtype=torch.float32), make.randn(heads, tokens, dtype=torch.float32)

    def run(m):
        out, lse = make.empty(tokens, heads, D), make.empty(heads, tokens, dtype=torch.float32)
        m.merge_attn_states(out, a, la, b, lb, lse)
        return out, lse

    def want():
        wa = torch.sigmoid(la - lb).T[..., None]
        return a.float() * wa + b.float() * (1 - wa), torch.logaddexp(la, lb)
    return run, want


add("vllm merge attention states", OPS + "triton_merge_attn_states", partial(merge, tokens=4096, heads=32, D=128))
