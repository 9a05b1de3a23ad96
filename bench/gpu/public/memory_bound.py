"""Kernels without products: norms, activations, losses, positions, quantisation, optimisers, sums of rows that belong together."""

import importlib.machinery
import sys
import types
from functools import partial

import torch

from cases import add

try:
    import tqdm  # noqa: F401
except ImportError:  # flash-kmeans imports it, for what cases do not call
    sys.modules["tqdm"] = types.ModuleType("tqdm")
    sys.modules["tqdm"].__spec__ = importlib.machinery.ModuleSpec("tqdm", None)
    sys.modules["tqdm"].tqdm = sys.modules["tqdm"].trange = iter

HALF, SINGLE, BYTE = torch.float16, torch.float32, torch.uint8


def blocks(n, size):
    return -(-n // size)


def power(n):
    return 1 << (n - 1).bit_length()


# ---- 4 and 8 bits


def conch_dequantize(make, kind, n=1 << 24):
    x, scales = make.ints(0, 256, (n // 2,), dtype=BYTE), make.rand(n // 64)

    def run(m):
        out = make.empty(n, dtype=HALF)
        return m.dequantize_blockwise_launcher(x, scales, out, None, 64, n, kind)
    return run


def conch_quantize(make, kind, n=1 << 24):
    x = make.randn(n, dtype=HALF)

    def run(m):
        return m.quantize_blockwise_launcher(x, make.empty(n // 64, dtype=SINGLE), make.empty(n // 2, dtype=BYTE), None, 64, n, kind)
    return run


CONCH = "conch.kernels."
for kind in ("nf4", "fp4"):
    add(f"conch dequantize {kind}", CONCH + "quantization.bitsandbytes.dequantize_blockwise", partial(conch_dequantize, kind=kind))
    add(f"conch quantize {kind}", CONCH + "quantization.bitsandbytes.quantize_blockwise", partial(conch_quantize, kind=kind))


def bits_dequantize(make, kind, n=4096 * 14336):
    x, scales = make.ints(0, 256, (n // 2,), dtype=BYTE), make.rand(n // 64)

    def run(m):
        out = make.empty(n, dtype=HALF)
        m.dequantize_4bit_impl(x, scales, 64, kind, HALF, out)
        return out
    return run


def bits_quantize(make, kind, n=1 << 24):
    x = make.randn(n, dtype=HALF)
    return lambda m: m.quantize_4bit_blockwise_triton(x, 64, kind, n // 64, make.empty(n // 64, dtype=SINGLE), n, make.empty(n // 2, dtype=BYTE))


BITS = "bitsandbytes.backends.triton."
for kind in ("nf4", "fp4"):
    add(f"bitsandbytes dequantize {kind}", BITS + "kernels_4bit", partial(bits_dequantize, kind=kind))
    add(f"bitsandbytes quantize {kind}", BITS + "kernels_4bit", partial(bits_quantize, kind=kind))


# ---- means of clusters, entmax


def kmeans(make, chunks, batch=2, n=65536, clusters=1000, wide=128):
    x, numbers = make.randn(batch, n, wide, dtype=HALF), make.ints(0, clusters, (batch, n))
    sorted_numbers, order = torch.sort(numbers, -1)
    sorted_numbers, order = sorted_numbers.to(torch.int32), order.to(torch.int32)

    def run(m):
        sums, counts = make.zeros(batch, clusters, wide, dtype=SINGLE), make.zeros(batch, clusters, dtype=torch.int32)
        strides = (*sums.stride(), *counts.stride(), batch, n, wide, clusters)
        if chunks:
            m._centroid_update_chunk_kernel[(blocks(n, 256), batch)](
                x, order, sorted_numbers, sums, counts, *x.stride(), *order.stride(), *sorted_numbers.stride(), *strides, BLOCK_N=256, D_PAD=wide)
        else:
            m._centroid_update_kernel[(batch * n,)](x, numbers, sums, counts, *x.stride(), *strides, BLOCK_D=wide)
        return sums, counts

    def want():
        sums, counts = make.zeros(batch, clusters, wide, dtype=SINGLE), make.zeros(batch, clusters, dtype=torch.int32)
        sums.scatter_add_(1, numbers.long()[..., None].expand(-1, -1, wide), x.float())
        counts.scatter_add_(1, numbers.long(), torch.ones_like(numbers))
        return sums, counts
    return run, want


add("kmeans update of sorted rows", "flash_kmeans.centroid_update_triton", partial(kmeans, chunks=True))
add("kmeans update", "flash_kmeans.centroid_update_triton", partial(kmeans, chunks=False))


def entmax(make, alpha, histogram, rows=4096, columns=8192):
    x = make.randn(rows, columns, dtype=SINGLE)

    def run(m):
        out = torch.zeros_like(x)
        m._fwd_entmax[(rows, 1, 1)](x, out, alpha, 3 if histogram else 10, columns, histogram, False)
        return out
    return run


for name, alpha, histogram in (("histogram 1.5", 1.5, True), ("1.5", 1.5, False), ("1.3", 1.3, False)):
    add(f"entmax {name}", "adasplash.triton_entmax_v2", partial(entmax, alpha=alpha, histogram=histogram),
        configs={"_fwd_entmax": {"BLOCK_N": 512, "num_warps": 4}})


def adasplash(make, output, batch=2, heads=16, n=2048, d=64):
    q, k, v = (make.randn(batch, heads, n, d, dtype=HALF) for _ in range(3))
    thresholds = make.ones(batch, heads, n)
    options = dict(IS_CAUSAL=False, IS_VARLEN=False, BLOCK_M=64, BLOCK_N=64, N_H=heads, H_DIM=d, N_CTX=n, stride_qh=n * d, stride_th=n, num_warps=4)

    def run(m):
        grid = (n // 64, heads, batch)
        if not output:
            out = torch.empty_like(thresholds)
            m._get_tau[grid](q, k, out, None, 1.5, d**-0.5, 5, **options)
            return out
        out = torch.empty_like(q)
        m._get_output[grid](q, k, v, out, out, thresholds, None, 1.5, d**-0.5, NEED_BACKWARD=False, **options)
        return out
    return run


add("adasplash thresholds", "adasplash.adasplash_no_block_mask", partial(adasplash, output=False))
add("adasplash output", "adasplash.adasplash_no_block_mask", partial(adasplash, output=True))


# ---- activations


def light_silu(make, rows=8192, columns=11008):
    x = make.randn(rows, 2 * columns, dtype=HALF)
    return lambda m: m.silu_and_mul_fwd(x.clone()), lambda: torch.nn.functional.silu(x[:, :columns].float()) * x[:, columns:].float()


add("lightllm silu and mul", "lightllm.models.llama.triton_kernel.silu_and_mul", light_silu)
LIGER = "liger_kernel.ops."


def gated(make, name, rows=8192, columns=11008):
    a, b = make.randn(rows, columns), make.randn(rows, columns)
    return lambda m: getattr(m, name + "_forward")(a, b)[-1]


def gated_back(make, name, rows=8192, columns=11008):
    a, b, d = make.randn(rows, columns), make.randn(rows, columns), make.randn(rows, columns)
    return lambda m: getattr(m, name + "_backward")(a.clone(), b.clone(), d)


for name in ("swiglu", "geglu"):
    add(f"liger {name}", LIGER + name, partial(gated, name=name))
    add(f"liger {name} backward", LIGER + name, partial(gated_back, name=name))


def unsloth_swiglu(make, tokens=8192, columns=11008):
    e, g = make.randn(1, tokens, columns), make.randn(1, tokens, columns)
    return lambda m: m.swiglu_fg_kernel(e, g), lambda: torch.nn.functional.silu(e.float()) * g.float()


add("unsloth swiglu", "unsloth.kernels.swiglu", unsloth_swiglu)


# ---- norms, losses, positions


def rms(make, rows=8192, columns=4096):
    x, w = make.randn(rows, columns), make.randn(columns)

    def run(m):
        out, scales = torch.empty_like(x), make.empty(rows, dtype=SINGLE)
        m._rms_norm_forward_kernel[(rows,)](out, columns, x, columns, w, 1, scales, 1, columns, 1e-6, 0.0, casting_mode=0, elementwise_affine=True,
                                            BLOCK_SIZE=columns, num_warps=8)
        return out, scales
    return run


def layer(make, rows=8192, columns=4096):
    x, w, b = make.randn(rows, columns), make.randn(columns), make.randn(columns)
    return lambda m: m.layer_norm_forward(x, w, b, 1e-5)[0], lambda: torch.nn.functional.layer_norm(x.float(), (columns,), w.float(), b.float(), 1e-5)


def conch_rms(make, rows=8192, columns=4096):
    x, w = make.randn(rows, columns, dtype=HALF), make.randn(columns, dtype=HALF)

    def run(m):
        out = torch.empty_like(x)
        m.rms_norm_launcher(out, x, w, 1e-6)
        return out
    return run


def light_rms(make, rows=8192, columns=4096):
    x, w = make.randn(rows, columns, dtype=HALF), make.randn(columns, dtype=HALF)
    return lambda m: m.rmsnorm_forward(x, w, 1e-6)


add("liger rms norm", LIGER + "rms_norm", rms)
add("liger layer norm", LIGER + "layer_norm", layer)
add("conch rms norm", CONCH + "normalization.rms_norm", conch_rms)
add("lightllm rms norm", "lightllm.models.llama.triton_kernel.rmsnorm", light_rms)


def sparsemax(make, rows=8192, columns=8192):
    x = make.randn(rows, columns, dtype=HALF)
    ordered = torch.sort(x.float(), -1, descending=True)[0]

    def run(m):
        out = torch.empty_like(x)
        m._sparsemax_forward_kernel[(rows,)](x, columns, ordered, columns, out, columns, columns, BLOCK_SIZE=columns, num_warps=16)
        return out
    return run


def softmax(make, rows=8192, columns=8192):
    x = make.randn(rows, columns, dtype=HALF)

    def run(m):
        out = torch.empty_like(x)
        m._softmax_single_block_forward_kernel[(rows,)](out, columns, x, columns, columns, BLOCK_SIZE=columns, num_warps=16)
        return out
    return run, lambda: torch.softmax(x.float(), -1)


def entropy(make, rows=2048, columns=128256):
    x, y = make.randn(rows, columns), make.ints(0, columns, (rows,), dtype=torch.int64)
    return lambda m: m.cross_entropy_forward(x.clone(), y, None, -100, 0.0, 0.0, "mean", None, False)[0]


def divergence(make, rows=2048, columns=32000):
    x, y = (torch.log_softmax(make.randn(rows, columns, dtype=SINGLE), -1) for _ in range(2))

    def run(m):
        loss = make.zeros(rows, columns, dtype=SINGLE)
        m._kldiv_kernel_forward[(rows,)](x, columns, y, columns, loss, columns, columns, 1e-10, BLOCK_SIZE=power(columns), num_warps=32, reduction=0,
                                         log_target=True)
        return loss
    return run


add("liger sparsemax 8192", LIGER + "sparsemax", sparsemax)
add("liger softmax 8192", LIGER + "softmax", softmax)
add("liger cross entropy 128k", LIGER + "cross_entropy", entropy)
add("liger KL divergence", LIGER + "kl_div", divergence)


def turned(make, batch=4, tokens=4096, heads=32, keys=8, d=128):
    q, k, c, s = make.randn(batch, heads, tokens, d), make.randn(batch, keys, tokens, d), make.randn(1, tokens, d), make.randn(1, tokens, d)
    return lambda m: m.rope_forward(q.clone(), k.clone(), c, s)[:2]


def turned_by_sections(make, batch=4, tokens=2048, heads=28, keys=4, d=128):
    q, k, c, s = make.randn(batch, heads, tokens, d), make.randn(batch, keys, tokens, d), make.randn(3, batch, tokens, d), make.randn(3, batch, tokens, d)
    return lambda m: m.qwen2vl_mrope_forward(q.clone(), k.clone(), c, s, (16, 24, 24))[:2]


add("liger rope", LIGER + "rope", turned)
add("liger mrope", LIGER + "qwen2vl_mrope", turned_by_sections)
