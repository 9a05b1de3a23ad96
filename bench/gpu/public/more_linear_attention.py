"""flash-linear-attention's other attentions, and what its layers have around them: slots, gates, memories that are trained on the way."""

from functools import partial

import torch

from cases import add
from linear_attention import decays, inputs

B, T, H, D = 1, 4096, 16, 128
FLA = "fla.ops."


def slots(make, abc):
    q, k, v = inputs(make, T=T)
    s = make.randn(B, T, H, 64)
    if abc:
        return lambda m: m.chunk_abc(q, k, v, s)[0]
    g = decays(make, B, T, H, 64)
    return lambda m: m.chunk_gsa_fwd(q, k, v, s, g, scale=D**-0.5)


add("fla GSA forward 4k", FLA + "gsa.chunk", partial(slots, abc=False))
add("fla ABC forward 4k", FLA + "abc.chunk", partial(slots, abc=True))


def hgrn(make):
    x, g = make.randn(4, T, 2048), decays(make, 4, T, 2048)
    return lambda m: m.chunk_hgrn(x, g)[0]


def of_features(make, name, features=16):
    q, k, v = make.randn(B, T, H, features), make.randn(B, T, H, features), make.randn(B, T, H, D)
    return lambda m: getattr(m, name)(q, k, v)


add("fla HGRN forward 4k", FLA + "hgrn.chunk", hgrn)
add("fla Based forward 4k", FLA + "based.parallel", partial(of_features, name="parallel_based"))
add("fla Rebased forward 4k", FLA + "rebased.parallel", partial(of_features, name="parallel_rebased"))


def mesa(make):
    q, k, v = inputs(make, T=T)
    g, beta = decays(make, B, T, H), make.rand(B, T, H)
    weights = make.rand(H, D, least=0.25, most=1)
    return lambda m: m.chunk_fwd_mesa_net_fwd(q, k, v, g, beta, weights, None, max_CG_iteration=10)[0]


add("fla MesaNet forward 4k", FLA + "mesa_net.chunk", mesa)


def path(make, D=64):
    q, k, v = inputs(make, D, T=T)
    w = torch.nn.functional.normalize(make.randn(B, T, H, D, dtype=torch.float32), dim=-1)
    beta = make.rand(B, T, H)
    return lambda m: m.parallel_path_attn(q, k, v, w, beta)[0]


add("fla PaTH attention forward 4k", FLA + "path_attn.parallel", path)




def log_linear_attention(make):
    q, k, v = inputs(make, 64, T=T)
    g, scales = decays(make, B, T, H), make.rand(B, T, H, 13, dtype=torch.bfloat16)
    return lambda m: m.chunk_log_linear_attn(q, k, v, g, scales)[0]


add("fla log-linear attention forward 4k", FLA + "log_linear_attn.chunk", log_linear_attention)


def trained(make, D=64):
    q, k, v = inputs(make, D, T=T)
    w, b, eta = make.randn(H, D), make.randn(H, D), make.rand(B, T, H, 1, dtype=torch.bfloat16, most=0.01)
    return lambda m: m.chunk_ttt_linear(q, k, v, w, b, eta)[0]


add("fla TTT forward 4k", FLA + "ttt.chunk", trained)


def stick(make, D=64):
    q, k, v = make.randn(B, T, H, D), make.randn(B, T, H, D), make.randn(B, T, H, D)
    return lambda m: m.parallel_stickbreaking_attn_fwd(q, k, v, D**-0.5)[0]


def wall(make, D=64):
    q, k, v = inputs(make, D, T=T)
    g = decays(make, B, T, H, D)
    return lambda m: m.parallel_wall_attn(q, k, v, g)


def parallax(make, D=64):
    q, r, k = (make.randn(B, T, H, D) for _ in range(3))
    v = make.randn(B, T, H, D)
    return lambda m: m.parallel_parallax(q, r, k, v)


add("fla stick-breaking attention forward 4k", FLA + "stickbreaking_attn.parallel", stick)
add("fla wall attention forward 4k", FLA + "wall_attn.parallel", wall)
add("fla parallax attention forward 4k", FLA + "parallax.parallel", parallax)


def comba(make):
    q, k, v = inputs(make, T=T)
    g, beta = decays(make, B, T, H), make.rand(B, T, H)
    p = k * 0.9 if make.device != "cpu" else k.clone()
    return lambda m: m.chunk_comba_fwd(q, k, v, p, g, beta, D**-0.5, None, False)[2]


def deltaformer(make, D=64):
    q, k, v = inputs(make, D, T=T)
    beta = make.rand(B, T, H, dtype=torch.bfloat16)
    return lambda m: m.ParallelDeltaformerFunction.apply(q, k, v, beta, 512, None)


add("fla Comba forward 4k", FLA + "comba.chunk", comba)
add("fla Deltaformer forward 4k", FLA + "deltaformer.parallel", deltaformer)


# ---- around attention


def rwkv(make, name, batch=4, wide=2048):
    if name == "k":
        k, a, ka = make.randn(batch, T, wide), make.rand(batch, T, wide, dtype=torch.bfloat16), make.randn(wide)
        return lambda m: m.k_update_fwd(k, a, ka)
    if name == "mix":
        x, d, weights = make.randn(batch, T, wide), make.randn(batch, T, wide), [make.randn(1, 1, wide) for _ in range(6)]
        return lambda m: m.fused_addcmul_rwkv7(x, d, *weights)
    o, g, r_k = make.randn(batch, T, wide), make.randn(batch, T, wide), make.randn(32, 64)
    r, k, v = (make.randn(batch, T, 32, 64) for _ in range(3))
    return lambda m: m.gate_output_correction(o, r, k, r_k, v, g)


add("fla RWKV7 key update", FLA + "rwkv7.fused_k_update", partial(rwkv, name="k"))
add("fla RWKV7 token mixes", FLA + "rwkv7.fused_addcmul", partial(rwkv, name="mix"))
add("fla RWKV7 output correction", FLA + "rwkv7.gate_output_correction", partial(rwkv, name="gate"))


def convolution(make, back, batch=4, wide=2048):
    x, w, bias = make.randn(batch, T, wide), make.randn(wide, 4), make.randn(wide)
    if not back:
        return lambda m: m.causal_conv1d_fwd(x, w, bias, None, activation="silu")[0]
    d = make.randn(batch, T, wide)
    return lambda m: m.causal_conv1d_bwd(x, d, None, w, bias, activation="silu")[:2]


def shifted(make, batch=4, wide=2048):
    x = make.randn(batch, T, wide)
    return lambda m: m.token_shift_fwd(x)[0]


def rotary(make, batch=4):
    x, c, s = make.randn(batch, T, 32, 128), make.randn(T, 64), make.randn(T, 64)
    return lambda m: m.rotary_embedding_fwdbwd(x, c, s)


def gated_norm(make, back, rows=65536, wide=128):
    x, g, w = make.randn(rows, wide), make.randn(rows, wide), make.randn(wide)
    if not back:
        return lambda m: m.layer_norm_gated_fwd(x, g, w, None, is_rms_norm=True)[0]
    d, rstd = make.randn(rows, wide), make.rand(rows, least=0.5, most=2)
    return lambda m: m.layer_norm_gated_bwd(d, x, g, w, None, rstd=rstd, is_rms_norm=True)[:3]


def norm(make, back, rows=8192, wide=4096):
    x, w, more = make.randn(rows, wide), make.randn(wide), make.randn(rows, wide)
    if not back:
        return lambda m: m.layer_norm_fwd(x, w, None, residual=more, is_rms_norm=True)[0]
    rstd = make.rand(rows, least=0.5, most=2)
    return lambda m: m.layer_norm_bwd(more, x, w, None, rstd=rstd, is_rms_norm=True)[:2]


def activation(make, name, n=1 << 26):
    x, y, g = make.randn(n // 8192, 8192), make.randn(n // 8192, 8192), make.randn(n // 8192, 8192)
    if name == "swiglu":
        return lambda m: m.swiglu_fwdbwd(x, y, g)
    return lambda m: m.logsigmoid_fwd(x)



MODULES = "fla.modules."
for back in (False, True):
    name = " backward" * back
    add("fla causal convolution" + name, MODULES + "causal_conv1d.ops", partial(convolution, back=back))
    add("fla gated norm" + name, MODULES + "norm.fused_norm_gate", partial(gated_norm, back=back))
    add("fla norm with residual" + name, MODULES + "norm.layernorm", partial(norm, back=back))
add("fla token shift", MODULES + "token_shift", shifted)
add("fla rotary", MODULES + "rotary.ops", rotary)
add("fla swiglu forward and backward", MODULES + "activations.ops", partial(activation, name="swiglu"))
add("fla log of sigmoid", MODULES + "activations.ops", partial(activation, name="logsigmoid"))
