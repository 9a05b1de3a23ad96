# Attention's queries come by TMA, beside the loop's first copies; where a CTA runs several programs and a warp of its own copies, by
# that warp, while the program before is at its end. Programs of no iteration, of one, of several; several programs of a CTA, along
# both axes, in rounds that go there and back where programs take differently long.
# run: neso run %s:attention --target sim:sm_90a --check -q -g 4,2 h=rand:262144:fp16 o=zeros:65536:fp16 N=256 B=64 C=False --num-warps 4 --num-stages 2 --out o=%t/256.npy
# run: neso run %s:attention --target interp -q -g 4,2 h=rand:262144:fp16 o=zeros:65536:fp16 N=256 B=64 C=False --expect o=%t/256.npy --atol 2e-3
# run: for n in 64 192; do neso run %s:attention --target sim:sm_90a --check -q -g 5,2 h=rand:262144:fp16 o=zeros:65536:fp16 N=$n B=64 C=False --num-warps 4 --num-stages 2 --out o=%t/$n.npy; for c in 1 4; do NESO_PERSIST=1 NESO_WARP_SPECIALIZE=1 NESO_PERSIST_CTAS=$c neso run %s:attention --target sim:sm_90a --check -q -g 5,2 h=rand:262144:fp16 o=zeros:65536:fp16 N=$n B=64 C=False --num-warps 4 --num-stages 2 --expect o=%t/$n.npy || exit 1; done; done
# run: NESO_PERSIST=1 NESO_WARP_SPECIALIZE=1 NESO_PERSIST_CTAS=1 neso run %s:attention --target sim:sm_90a -q -g 5,2 h=rand:262144:fp16 o=zeros:65536:fp16 N=0 B=64 C=False --num-warps 4 --num-stages 2 --expect o=zeros:65536:fp16
# run: neso run %s:attention --target sim:sm_90a --check -q -g 4,1 h=rand:262144:fp16 o=zeros:65536:fp16 N=512 B=128 C=True --num-warps 8 --num-stages 2 --out o=%t/causal.npy
# run: for w in 0 1; do NESO_PERSIST=1 NESO_WARP_SPECIALIZE=$w NESO_PERSIST_CTAS=1 neso run %s:attention --target sim:sm_90a --check -q -g 4,1 h=rand:262144:fp16 o=zeros:65536:fp16 N=512 B=128 C=True --num-warps 8 --num-stages 2 --expect o=%t/causal.npy || exit 1; done
# run: neso run %s:attention --target sim:sm_90a --check -q -g 5,2 h=rand:262144:fp16 o=zeros:65536:fp16 N=0 B=64 C=True --num-warps 4 --num-stages 2 --out o=%t/both.npy
# run: for w in 0 1; do for c in 2 4 6; do NESO_PERSIST=1 NESO_WARP_SPECIALIZE=$w NESO_PERSIST_CTAS=$c neso run %s:attention --target sim:sm_90a --check -q -g 5,2 h=rand:262144:fp16 o=zeros:65536:fp16 N=0 B=64 C=True --num-warps 4 --num-stages 2 --expect o=%t/both.npy || exit 1; done; done
# run: NESO_PERSIST=1 NESO_WARP_SPECIALIZE=1 NESO_PERSIST_CTAS=1 neso run %s:attention --target sim:sm_90a --schedules 3 -q -g 5,2 h=rand:262144:fp16 o=zeros:65536:fp16 N=192 B=64 C=False --num-warps 4 --num-stages 2 --expect o=%t/192.npy
# expect: success
import triton
import triton.language as tl


@triton.jit
def attention(h, o, N, B: tl.constexpr, C: tl.constexpr):
    start, head = tl.program_id(0), tl.program_id(1)
    m, n, d = start * B + tl.arange(0, B), tl.arange(0, B), tl.arange(0, 64)
    q = tl.load(h + head * 32768 + m[:, None] * 64 + d[None, :])
    most = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, 64), tl.float32)
    end = (start + 1) * B if C else N
    for i in range(0, end, B):
        k = tl.load(h + 65536 + head * 32768 + (i + n)[None, :] * 64 + d[:, None])
        s = tl.dot(q, k) * 0.5
        if C:
            s = tl.where(m[:, None] >= (i + n)[None, :], s, -float("inf"))
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        by = tl.exp2(most - new)
        total = total * by + tl.sum(p, 1)
        v = tl.load(h + 131072 + head * 32768 + (i + n)[:, None] * 64 + d[None, :])
        acc = tl.dot(p.to(tl.float16), v, acc * by[:, None])
        most = new
    tl.store(o + head * 32768 + m[:, None] * 64 + d[None, :], (acc / (total + (total == 0).to(tl.float32))[:, None]).to(tl.float16))
