# Attention of heads of 160 and 192 numbers, whose tiles TMA copies without their last boxes, agrees with the interpreter: as it is, with
# warps that copy, and from program to program; in several orders of warps.
# run: for d in 160 192; do neso run %s:attention --target interp -q -g 2,2 q=rand:98304:fp16:1 k=rand:98304:fp16:2 v=rand:98304:fp16:3 o=zeros:98304:fp16 N=256 D=$d DP=256 BM=128 BN=64 --out o=%t/$d.npy || exit 1; done
# run: for d in 160 192; do neso run %s:attention --target sim:sm_90a --check -q -g 2,2 q=rand:98304:fp16:1 k=rand:98304:fp16:2 v=rand:98304:fp16:3 o=zeros:98304:fp16 N=256 D=$d DP=256 BM=128 BN=64 --num-warps 8 --num-stages 2 --expect o=%t/$d.npy --atol 2e-3 || exit 1; done
# run: neso run %s:attention --target sim:sm_90a --check -q -g 2,2 q=rand:98304:fp16:1 k=rand:98304:fp16:2 v=rand:98304:fp16:3 o=zeros:98304:fp16 N=256 D=192 DP=192 BM=128 BN=64 --num-warps 8 --num-stages 2 --expect o=%t/192.npy --atol 2e-3
# run: for w in 0 1; do NESO_PERSIST=1 NESO_WARP_SPECIALIZE=$w NESO_PERSIST_CTAS=1 neso run %s:attention --target sim:sm_90a --check -q -g 2,2 q=rand:98304:fp16:1 k=rand:98304:fp16:2 v=rand:98304:fp16:3 o=zeros:98304:fp16 N=256 D=192 DP=256 BM=128 BN=64 --num-warps 8 --num-stages 2 --expect o=%t/192.npy --atol 2e-3 || exit 1; done
# run: NESO_PERSIST=1 NESO_WARP_SPECIALIZE=1 NESO_PERSIST_CTAS=1 neso run %s:attention --target sim:sm_90a --schedules 3 -q -g 2,2 q=rand:98304:fp16:1 k=rand:98304:fp16:2 v=rand:98304:fp16:3 o=zeros:98304:fp16 N=256 D=160 DP=160 BM=128 BN=64 --num-warps 8 --num-stages 2 --expect o=%t/160.npy --atol 2e-3
# run: neso run %s:attention --target sim:sm_90a --check -q -g 4,2 q=rand:98304:fp16:1 k=rand:98304:fp16:2 v=rand:98304:fp16:3 o=zeros:98304:fp16 N=256 D=192 DP=256 BM=64 BN=64 --num-warps 4 --num-stages 2 --expect o=%t/192.npy --atol 2e-3
# Heads of 256 have memory for one tile of queries: the next one comes when the inner loop has ended.
# run: neso run %s:attention --target interp -q -g 2,2 q=rand:131072:fp16:1 k=rand:131072:fp16:2 v=rand:131072:fp16:3 o=zeros:131072:fp16 N=256 D=256 DP=256 BM=128 BN=64 --out o=%t/256.npy
# run: for c in 1 2; do NESO_PERSIST=1 NESO_WARP_SPECIALIZE=1 NESO_PERSIST_CTAS=$c neso run %s:attention --target sim:sm_90a --check -q -g 2,2 q=rand:131072:fp16:1 k=rand:131072:fp16:2 v=rand:131072:fp16:3 o=zeros:131072:fp16 N=256 D=256 DP=256 BM=128 BN=64 --num-warps 8 --num-stages 2 --expect o=%t/256.npy --atol 2e-3 || exit 1; done
# run: NESO_PERSIST=1 NESO_WARP_SPECIALIZE=1 NESO_PERSIST_CTAS=1 neso run %s:attention --target sim:sm_90a --schedules 3 -q -g 2,2 q=rand:131072:fp16:1 k=rand:131072:fp16:2 v=rand:131072:fp16:3 o=zeros:131072:fp16 N=192 D=256 DP=256 BM=128 BN=64 --num-warps 8 --num-stages 2 --against interp --atol 2e-3
# expect: success
import triton
import triton.language as tl


@triton.jit
def fetch(p, d, D: tl.constexpr, DP: tl.constexpr):
    if D == DP:
        return tl.load(p)
    else:
        return tl.load(p, mask=d < D, other=0.0)


@triton.jit
def attention(q, k, v, o, N, D: tl.constexpr, DP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    start, head = tl.program_id(0), tl.program_id(1)
    m, n, d = start * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, DP)
    base = head * 256 * D
    x = fetch(q + base + m[:, None] * D + d[None, :], d[None, :], D, DP)
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DP), tl.float32)
    for i in range(0, N, BN):
        i = tl.multiple_of(i, BN)
        s = tl.dot(x, fetch(k + base + (i + n)[None, :] * D + d[:, None], d[:, None], D, DP)) * 0.1
        higher = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - higher[:, None])
        fade = tl.exp2(most - higher)
        total = total * fade + tl.sum(p, 1)
        acc = acc * fade[:, None]
        acc = tl.dot(p.to(tl.float16), fetch(v + base + (i + n)[:, None] * D + d[None, :], d[None, :], D, DP), acc)
        most = higher
    acc = (acc / total[:, None]).to(tl.float16)
    if D == DP:
        tl.store(o + base + m[:, None] * D + d[None, :], acc)
    else:
        tl.store(o + base + m[:, None] * D + d[None, :], acc, mask=d[None, :] < D)
