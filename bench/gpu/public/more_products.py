"""Products, distances and attention of further libraries: fewer bits, experts, losses without logits, neighbours, late interaction."""

from functools import partial

import torch

from cases import add, attention

HALF, SINGLE, BYTE, INT8, FP8 = torch.float16, torch.float32, torch.uint8, torch.int8, torch.float8_e4m3fn

# ---- flashinfer

FLASHINFER = "flashinfer.triton."


def limited(make, name, N=4096, K=4096, M=4096):
    a, b = make.randn(M, K), make.randn(N, K, scale=0.05)
    turned = b if "descriptor" in name else b.T
    return lambda m: getattr(m, name)(a, turned, make.zeros(M, N)), lambda: a.float() @ b.float().T


for name in ("gemm", "gemm_persistent", "gemm_descriptor_persistent"):
    add(f"flashinfer {name} bf16 4096", FLASHINFER + "sm_constraint_gemm", partial(limited, name=name))


def merged(make, name, tokens=4096, sets=4, heads=32, D=128):
    v, s = make.randn(tokens, sets, heads, D), make.randn(tokens, sets, heads, dtype=SINGLE)
    if name == "merge_states":
        return lambda m: m.merge_states(v, s)
    if name == "merge_state":
        a, b, c, d = v[:, 0].contiguous(), s[:, 0].contiguous(), v[:, 1].contiguous(), s[:, 1].contiguous()
        return lambda m: m.merge_state(a, b, c, d)
    ends = make.arange(tokens + 1) * sets
    return lambda m: m.variable_length_merge_states(v.view(-1, heads, D), s.view(-1, heads), ends)


for name in ("merge_state", "merge_states", "variable_length_merge_states"):
    add(f"flashinfer {name}", FLASHINFER + "cascade", partial(merged, name=name))


def info_norm(make, rows=8192, wide=4096):
    x, r, w = make.randn(rows, wide), make.randn(rows, wide), make.randn(wide)

    def run(m):
        out, kept = torch.empty_like(x), r.clone()
        m.rms_norm_add_residual(x, kept, w, 1e-6, out)
        return out, kept
    return run


def info_silu(make, rows=8192, wide=11008):
    x = make.randn(rows, 2 * wide)
    return lambda m: m.silu_and_mul(x), lambda: torch.nn.functional.silu(x[:, :wide].float()) * x[:, wide:].float()


def info_sums(make, batch=4, length=4096, heads=128):
    dt, A, bias = make.randn(batch, length, heads), -make.rand(heads), make.randn(heads)
    return lambda m: m.chunk_cumsum_fwd(dt, A, 256, dt_bias=bias, dt_softplus=True)


add("flashinfer norm with residual", FLASHINFER + "norm", info_norm)
add("flashinfer silu and mul", FLASHINFER + "activation", info_silu)
add("flashinfer sums of chunks", FLASHINFER + "kernels.ssd_chunk_state", info_sums)

# ---- losses without logits


def classes(make, back, rows=4096, words=32768, wide=2048):
    e, c = make.randn(rows, wide), make.randn(words, wide, scale=0.05)
    if not back:
        return lambda m: m.cce_lse_forward_kernel(e, c), lambda: torch.logsumexp(e.float() @ c.float().T, -1)
    lse, y = make.rand(rows, least=10.5, most=10.6), make.ints(0, words, (rows,), dtype=torch.int64)
    given = make.rand(1, most=0.001)
    return lambda m: m.cce_backward_kernel(given, e, c, lse, None, None, None, targets=y)[0]


def chosen(make, rows=8192, words=128256, wide=4096):
    e, c, y = make.randn(rows, wide), make.randn(words, wide, scale=0.05), make.ints(0, words, (rows,), dtype=torch.int64)
    return lambda m: m.indexed_neg_dot_forward_kernel(e, c, y, out_dtype=SINGLE), lambda: -(e.float() * c[y].float()).sum(-1)


CCE = "cut_cross_entropy."
add("cut cross entropy forward", CCE + "cce_lse_forward", partial(classes, back=False))
add("cut cross entropy backward", CCE + "cce_backward", partial(classes, back=True), rms=0.05, most=0.2)
add("cut cross entropy of the targets", CCE + "indexed_dot", chosen)

# ---- attention by bytes


def sage(make, causal, D=128, batch=2, heads=32, length=4096):
    q, k, v = (make.randn(batch, heads, length, D, dtype=HALF) for _ in range(3))

    def run(quantise, m):
        return m.forward(*[x for pair in (quantise.per_block_int8(q, k),) for x in (pair[0], pair[2], v, pair[1], pair[3])])
    return run


for causal in (False, True):
    name = "_causal" * causal
    add(f"SageAttention int8{' causal' * causal} D128 4k", ["sageattention.quant_per_block", "sageattention.attn_qk_int8_per_block" + name],
        partial(sage, causal=causal), rms=0.02)

# ---- flashlib


def pairs(make, n=8192, wide=128):
    x = make.randn(n, wide, dtype=SINGLE)
    return lambda m: m.pairwise_l2sq(x), lambda: torch.cdist(x, x)**2


def nearest_centre(make, n=262144, clusters=1024, wide=128):
    x, c = make.randn(1, n, wide, dtype=HALF), make.randn(1, clusters, wide, dtype=HALF)
    return lambda m: m.euclid_assign_triton(x, c)


def neighbours(make, n=4096, many=65536, wide=128, k=16):
    x, c = make.randn(1, n, wide), make.randn(1, many, wide)

    def run(m):
        made = m.flash_knn_triton(x, c, k)
        return made if isinstance(made, torch.Tensor) else made[0]
    return run


def tsne(make, n=8192):
    y, p, total = make.randn(n, 2, dtype=SINGLE), make.rand(n, n), make.rand(1, least=1000, most=2000)
    return lambda m: (m.triton_tsne_qsum(y), m.triton_tsne_grad(y, p, total))


def histogram(make, n=262144, features=64):
    x, g = make.ints(0, 256, (n, features), dtype=BYTE), make.randn(n, dtype=SINGLE)
    return lambda m: m.triton_rf_histogram(x, g, features)


def scaler(make, n=262144, features=256):
    x = make.randn(n, features, dtype=SINGLE)

    def run(m):
        mean, _, inverse = m.flash_standard_scaler_fit(x)
        return mean, inverse, m.flash_standard_scaler_transform(x, mean, inverse)
    return run


LIB = "flashlib."
add("flashlib pairwise distances", LIB + "kernels.distance.triton.pairwise", pairs)
add("flashlib nearest centres", LIB + "primitives.kmeans.triton.assign", nearest_centre, most=1e9, rms=0.2)
add("flashlib nearest neighbours", LIB + "primitives.knn.triton.dispatch", neighbours, most=1e9, rms=0.5)
add("flashlib t-SNE gradient", LIB + "primitives.tsne.triton.grad", tsne)
add("flashlib forest histogram", LIB + "primitives.random_forest.triton.histogram", histogram)
add("flashlib standard scaler", LIB + "primitives.standard_scaler.triton.scaler", scaler)


def exact(make, name, n=4096):
    a, b = make.randn(n, n, dtype=SINGLE), make.randn(n, n, dtype=SINGLE)
    if name == "kahan":
        return lambda m: m.matmul_fp16x3_kahan(a, b)
    if name == "int8":
        a, b = (make.ints(-127, 128, (n, n), INT8) for _ in range(2))

        def run(m):
            out = make.empty(n, n, dtype=torch.int32)
            m._triton_int_mm(a, b, out)
            return out
        return run
    if name == "split":
        x = make.randn(n, n, dtype=torch.float64)
        return lambda m: m.split_fp64_to_int8(x, 4)
    if name == "3xbf16":
        return lambda m: m.fused_ozaki_matmul(a, b)
    return lambda m: m.fused_tf32_matmul(a, b, mode=name)


GEMM = LIB + "linalg.gemm.triton."
add("flashlib fp16x3 product 4096", GEMM + "fp16x3_kahan", partial(exact, name="kahan"))
add("flashlib int8 product 4096", GEMM + "ozaki1_dispatch", partial(exact, name="int8"))
add("flashlib float64 to bytes", GEMM + "ozaki1_dispatch", partial(exact, name="split"))
add("flashlib 3xbf16 product 4096", GEMM + "fused_kernels", partial(exact, name="3xbf16"))
add("flashlib tf32 product 4096", GEMM + "fused_kernels", partial(exact, name="tf32"))


def tall(make, name, n=262144, wide=512, more=128):
    x, w = make.randn(n, wide, dtype=SINGLE), make.randn(wide, more, dtype=SINGLE)
    return lambda m: m.triton_cov_gemm(x) if name == "covariance" else m.triton_streaming_matmul(x, w)


for name in ("covariance", "product"):
    add(f"flashlib tall {name}", GEMM + "tall_skinny", partial(tall, name=name))

# ---- FlashNN


def nn(make, name, M, N=4096, K=4096):
    x, out = make.randn(M, K, dtype=HALF), make.empty(M, N, dtype=HALF)
    if name == "a8w8":
        a, b = make.ints(-127, 128, (M, K), INT8), make.ints(-127, 128, (N, K), INT8)
        rows, columns = make.rand(M, 1, dtype=HALF, most=0.001), make.rand(N, 1, dtype=HALF, most=0.01)

        def run(m):
            made = torch.empty_like(out)
            m.triton_gemm_a8w8_forward(made, a, b, rows, columns)
            return made
        return run
    w, scales = make.ints(-127, 128, (N, K) if name == "a16w8" else (N // 2, K), INT8), make.rand(N, 1, dtype=HALF, most=0.001)
    return lambda m: getattr(m, f"triton_gemm_{name}_forward")(torch.zeros_like(out), x, w, scales)


NN = "flashnn.triton_kernels."
for M in (16, 2048):
    add(f"FlashNN a8w8 {M} rows", NN + "gemm_a8w8", partial(nn, name="a8w8", M=M))
    add(f"FlashNN a16w8 {M} rows", NN + "gemm_a16w8", partial(nn, name="a16w8", M=M))


def nn_norm(make, rows=8192, wide=4096):
    x, w = make.randn(rows, wide, dtype=HALF), make.randn(wide, dtype=HALF)
    return lambda m: m.triton_rmsnorm_dquant_forward(x, w, 1e-6)


add("FlashNN rms norm to int8", NN + "rms_norm_dquant", nn_norm)

# ---- groups, late interaction, mLSTM


def grouped(make, name, G=8, M=4096, N=4096, K=4096):
    ends = make.tensor([(i + 1) * M // G for i in range(G)])
    if name == "2d2d":
        a, b = make.randn(N, M), make.randn(M, K)
    else:
        a, b = make.randn(M, K), make.randn(G, K, N, scale=0.05)

    def run(m):
        out = make.empty(*((G, N, K) if name == "2d2d" else (M, N)))
        getattr(m, "grouped_mm_" + name)(a, b, ends, out)
        return out
    return run


for name in ("2d3d", "2d2d"):
    add(f"grouped_mm_bf16 {name}", "grouped_mm_bf16.kernels", partial(grouped, name=name))


def late(make, q=64, docs=4096, width=128):
    x, d = make.randn(q, 32, width, dtype=HALF), make.randn(docs, 180, width, dtype=HALF)
    return lambda m: m.maxsim_forward(x, d)[0]


def mlstm(make, chunk, heads=8, length=4096):
    q, k = (make.randn(1, heads, length, 64 if chunk else 128) for _ in range(2))
    v, i, f = make.randn(1, heads, length, 128), make.randn(1, heads, length), make.rand(1, heads, length, dtype=torch.bfloat16, least=3, most=6)
    if chunk:
        return lambda m: m.mlstm_chunkwise_fw(q, k, v, i, f, chunk_size=64, output_dtype=torch.bfloat16)[0]
    return lambda m: m.mlstm_parallel_fw(q, k, v, i, f)[0]


add("late interaction 64 by 4096", "late_interaction_kernels.forward", late)
add("mLSTM forward in chunks 4k", "mlstm_kernels.torch.chunkwise.triton_xl_chunk.fw", partial(mlstm, chunk=True))
add("mLSTM forward 4k", "mlstm_kernels.torch.parallel.triton_limit_headdim.fw", partial(mlstm, chunk=False))

# ---- gemlite, torchao, bitsandbytes


def gem(make, name, M, N=4096, K=4096, group=128):
    x, w = make.randn(M, K, dtype=HALF), make.ints(-2**31, 2**31 - 1, (K // 8, N))
    scales, zeros = make.rand(K // group, N, dtype=HALF, most=0.01), make.rand(K // group, N, dtype=HALF, least=7, most=8)
    return lambda m: getattr(m, name + "_forward")(x, w, scales, zeros, None, 4, group, 15, 8, 1, 1, 0, 1, 0, 3, True, 104)


GEM = "gemlite.triton_kernels."
add("gemlite 4 bits 1024 rows", GEM + "gemm_kernels", partial(gem, name="gemm", M=1024), prunes=True)
add("gemlite 4 bits 16 rows", GEM + "gemm_splitK_kernels", partial(gem, name="gemm_splitK", M=16), prunes=True)
add("gemlite 4 bits 1 row", GEM + "gemv_revsplitK_kernels", partial(gem, name="gemv_revsplitK", M=1), prunes=True)
add("gemlite 4 bits 1 row by parts", GEM + "gemv_splitK_kernels", partial(gem, name="gemv_splitK", M=1), prunes=True)


def heads_to_fp8(make, batch=2, heads=32, length=4096, D=128):
    q, k, v = (make.randn(batch, heads, length, D) for _ in range(3))
    return lambda m: m.triton_fp8_sdpa_quantize(q, k, v)


add("torchao heads to fp8", "torchao.prototype.attention.quantization.triton_qkv_quantization", heads_to_fp8)


def bytes_of(make, back, n=1 << 24):
    code = torch.sort(make.rand(256, least=-1))[0]
    if back:
        x, most = make.ints(0, 256, (n,), dtype=BYTE), make.rand(n // 256)
        return lambda m: m.dequant_8bit_blockwise(x, most, code, 256, dtype=HALF)
    x = make.randn(n, dtype=HALF)
    return lambda m: m.quantize_blockwise_triton(x, code, 256)


def optimiser(make, n=1 << 24):
    g, p = make.randn(n), make.randn(n)
    first, second = make.randn(n, dtype=SINGLE), make.rand(n)

    def run(m):
        made = [x.clone() for x in (p, first, second)]
        m.optimizer_update_32bit_impl("adam", g, *made, None, 0.0, 0.0, 0.9, 0.999, 0.0, 0.0, 1e-8, 0.01, 10, 1e-3)
        return made
    return run


BITS = "bitsandbytes.backends.triton."
add("bitsandbytes to 8 bits", BITS + "kernels_8bit_quant", partial(bytes_of, back=False), most=1e9)
add("bitsandbytes from 8 bits", BITS + "kernels_8bit_quant", partial(bytes_of, back=True))
add("bitsandbytes Adam", BITS + "kernels_optim", optimiser)
