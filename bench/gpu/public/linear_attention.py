"""flash-linear-attention: gated linear attention, delta rules, KDA, RWKV, sparse attention, forward and backward in chunks."""

from functools import partial

import torch

from cases import add, attention

B, T, H, D = 1, 8192, 16, 128


def inputs(make, D=D, T=T, H=H):
    """q, k of length one, v."""
    q, k, v = make.randn(B, T, H, D), make.randn(B, T, H, D), make.randn(B, T, H, D)
    if make.device != "cpu":
        q, k = (torch.nn.functional.normalize(x.float(), dim=-1).to(x.dtype) for x in (q, k))
    return q, k, v


def decays(make, *shape):
    """Logarithms of decays, summed in no chunk yet."""
    return make.rand(*shape, least=-0.1, most=-0.001)


def gla(make):
    q, k, v = inputs(make)
    g = decays(make, B, T, H, D)
    return lambda m: m.chunk_gla_fwd(q, k, v, g, None, D**-0.5, None, True)[3:]


def gla_backward(make):
    q, k, v = inputs(make, T=4096)
    g, given = decays(make, B, 4096, H, D), make.randn(B, 4096, H, D)

    def run(m):
        sums, A, h, _, _ = m.chunk_gla_fwd(q, k, v, g, None, D**-0.5, None, False)
        return m.chunk_gla_bwd(q, k, v, g, sums, D**-0.5, None, h, A, given, None)
    return run


add("fla GLA forward 8k", "fla.ops.gla.chunk", gla)


def simple(make, D):
    q, k, v = inputs(make, D)
    g = decays(make, B, T, H)
    return lambda m: m.chunk_simple_gla_fwd(q, k, v, g, None, D**-0.5, None, True)


add("fla simple GLA forward 8k D128", "fla.ops.simple_gla.chunk", partial(simple, D=128))
add("fla simple GLA forward 8k D64", "fla.ops.simple_gla.chunk", partial(simple, D=64))


def retention(make):
    q, k, v = inputs(make, 256, H=8)

    def run(m):
        return m.chunk_simple_gla_fwd(q, k, v, None, gamma, 256**-0.5, None, True)
    gamma = torch.log(1 - 2.0**(-5 - torch.arange(8, device=make.device, dtype=torch.float32)))
    return run


add("fla retention forward 8k D256", "fla.ops.simple_gla.chunk", retention)


def delta(make):
    q, k, v = inputs(make)
    beta = make.rand(B, T, H, dtype=torch.bfloat16)
    return lambda m: m.chunk_delta_rule_fwd(q, k, v, beta, D**-0.5, None, True)


add("fla delta rule forward 8k", "fla.ops.delta_rule.chunk", delta)


def gated_delta(make):
    q, k, v = inputs(make)
    beta, g = make.rand(B, T, H, dtype=torch.bfloat16), decays(make, B, T, H)
    return lambda m: m.chunk_gated_delta_rule_fwd(q, k, v, g, beta, D**-0.5, None, True)[1:4]


add("fla gated delta rule forward 8k", "fla.ops.gated_delta_rule.chunk", gated_delta)


def w_u(make):
    _, k, v = inputs(make)
    beta, g, A = make.rand(B, T, H, dtype=torch.bfloat16), decays(make, B, T, H), make.randn(B, T, H, 64, scale=0.1)
    return lambda m: m.recompute_w_u_fwd(k, v, beta, A, g)


add("fla gated delta rule w, u", "fla.ops.gated_delta_rule.wy_fast", w_u)


def w_u_backward(make):
    _, k, v = inputs(make)
    beta, g, A = make.rand(B, T, H, dtype=torch.bfloat16), decays(make, B, T, H), make.randn(B, T, H, 64, scale=0.1)
    dw, du = make.randn(B, T, H, D), make.randn(B, T, H, D)
    return lambda m: m.prepare_wy_repr_bwd(k=k, v=v, beta=beta, g=g, A=A, dw=dw, du=du)


add("fla gated delta rule w, u backward", "fla.ops.gated_delta_rule.wy_fast", w_u_backward)


def kda(make):
    q, k, v = inputs(make)
    beta, g = make.rand(B, T, H, dtype=torch.bfloat16), decays(make, B, T, H, D)
    return lambda m: m.chunk_kda_fwd(q, k, v, g, beta, D**-0.5, None, True)[:2]


add("fla KDA forward 8k", "fla.ops.kda.chunk_fwd", kda)


def output(make):
    q, k, v = inputs(make)
    h, g = make.randn(B, T // 64, H, D, D, scale=0.1), decays(make, B, T, H)
    return lambda m: m.chunk_fwd_o(q, k, v, h, g, scale=D**-0.5)


def backward_qkwg(make):
    q, k, v = inputs(make)
    h = make.randn(B, T // 64, H, D, D, scale=0.1)
    given, dh, dv, w = make.randn(B, T, H, D), make.randn(B, T // 64, H, D, D, scale=0.1), make.randn(B, T, H, D), make.randn(B, T, H, D)
    return lambda m: m.chunk_bwd_dqkwg(q=q, k=k, v=v, do=given, h=h, dh=dh, w=w, dv=dv, scale=D**-0.5)


def backward_dv(make):
    q, k, _ = inputs(make)
    g, given = decays(make, B, T, H), make.randn(B, T, H, D)
    return lambda m: m.chunk_bwd_dv_local(q=q, k=k, g=g, do=given, scale=D**-0.5)


add("fla chunk output 8k", "fla.ops.common.chunk_o", output)
add("fla chunk backward dq, dk, dw", "fla.ops.common.chunk_o", backward_qkwg)
add("fla chunk backward dv", "fla.ops.common.chunk_o", backward_dv)


def dplr(make):
    q, k, v = inputs(make, 64, T=4096, H=32)
    a, b = make.randn(B, 4096, 32, 64, scale=0.05), make.randn(B, 4096, 32, 64, scale=0.05)
    g = decays(make, B, 4096, 32, 64)
    return lambda m: m.chunk_dplr_fwd(q, k, v, a, b, g, 1.0, None, True)[:2]


add("fla RWKV 7 (DPLR) forward 4k", "fla.ops.generalized_delta_rule.dplr.chunk", dplr)


def rwkv6(make):
    q, k, v = inputs(make, 64, T=4096, H=32)
    g, u = decays(make, B, 4096, 32, 64), make.randn(32, 64)
    return lambda m: m.chunk_rwkv6_fwd(q, k, v, g, u, 0.125, None, True)[-1:]


add("fla RWKV 6 forward 4k", "fla.ops.rwkv6.chunk", rwkv6)


def parallel(make, D, window=None):
    q = make.randn(1, 4096, 32, D)
    k, v = make.randn(1, 4096, 8, D), make.randn(1, 4096, 8, D)

    def run(m):
        return m.parallel_attn_fwd(q, k, v, None, None, D**-0.5, window)

    def want():
        return attention(q[0], k[0], v[0], window=window or 0)[None]
    return run, want


def parallel_backward(make, D):
    q, given = make.randn(1, 2048, 32, D), make.randn(1, 2048, 32, D)
    k, v = make.randn(1, 2048, 8, D), make.randn(1, 2048, 8, D)

    def run(m):
        out, lse = m.parallel_attn_fwd(q, k, v, None, None, D**-0.5)
        return m.parallel_attn_bwd(q, k, v, out, None, lse, given, scale=D**-0.5)[:3]
    return run


for size in (64, 128):
    add(f"fla parallel attention D{size} 4k", "fla.ops.attn.parallel", partial(parallel, D=size))
add("fla parallel attention backward D128 2k", "fla.ops.attn.parallel", partial(parallel_backward, D=128))


def sparse(make):
    length, heads, kv = 4096, 64, 4
    q, k, v = make.randn(1, length, heads, 128), make.randn(1, length, kv, 128), make.randn(1, length, kv, 128)
    places = torch.arange(length)[None, :, None, None] // 64
    chosen = ((places * torch.tensor([0, 1, 3, 5, 7, 9, 11, 13]) // 13 + torch.tensor([0] * 8)).expand(1, length, kv, 8)).clone()
    chosen[..., -1] = places[..., 0]
    chosen = chosen.to(torch.int32).to(make.device).contiguous()
    return lambda m: m.parallel_nsa_fwd(q, k, v, chosen, 8, 64, 128**-0.5)


add("fla NSA selected blocks 4k", "fla.ops.nsa.parallel", sparse)


def states(make, given, BT, D=128, T=4096):
    """What chunks carry from one to the next; given: the argument of the decays, of heads or of keys."""
    _, k, v = inputs(make, D, T=T)
    g = decays(make, 1, T, H, D) if given == "gk" else decays(make, 1, T, H)
    return lambda m: m.chunk_fwd_h(k=k, v=v, output_final_state=True, chunk_size=BT, **{given: g})


def states_backward(make, given, BT, D=128, T=4096):
    q, k, v = inputs(make, D, T=T)
    g, out = decays(make, 1, T, H, D) if given == "gk" else decays(make, 1, T, H), make.randn(1, T, H, D)
    return lambda m: m.chunk_bwd_dh(q=q, k=k, v=v, do=out, h0=None, dht=None, scale=D**-0.5, chunk_size=BT, **{given: g})[:1]


def delta_states(make, D, T=4096):
    _, k, v = inputs(make, D, T=T)
    w, g = make.randn(1, T, H, D, scale=0.1), decays(make, 1, T, H)
    return lambda m: m.chunk_gated_delta_rule_fwd_h(k=k, w=w, u=v, g=g, output_final_state=True)


def dplr_states_backward(make, D=64, T=4096):
    q, k, v = inputs(make, D, T=T)
    w, b, g = make.randn(1, T, H, D, scale=0.05), make.randn(1, T, H, D, scale=0.05), decays(make, 1, T, H, D)
    return lambda m: m.chunk_dplr_bwd_dhu(q, b, w, g, None, None, v, k, chunk_size=16)[:1]


for given, BT in (("g", 16), ("gk", 16), ("g", 64)):
    add(f"fla states {given} 4k chunk {BT}", "fla.ops.common.chunk_h", partial(states, given=given, BT=BT))
for given, BT in (("g", 64), ("gk", 32)):
    add(f"fla states {given} backward 4k chunk {BT}", "fla.ops.common.chunk_h", partial(states_backward, given=given, BT=BT))
add("fla gated delta rule states 4k D64", "fla.ops.common.chunk_delta_h", partial(delta_states, D=64))
add("fla RWKV 7 states backward 4k", "fla.ops.generalized_delta_rule.dplr.chunk_h_bwd", dplr_states_backward)
