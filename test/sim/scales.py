# Maxima of scaled tiles, as they are and behind a mask, in a loop, where scales are taken out of them (guard-masks), and in
# straight code, where they are not: the same bits for any scale, and an element that equals them in each row.
# run: neso run %s:scales --target sim:sm_90a --check -q -g 1 x=rand:64x256 most=zeros:8x64 same=zeros:8x64:i32 wrong=zeros:1:i32 scale=0.37 N=4 BM=64 BN=64 --num-warps 4 --expect wrong=zeros:1:i32
# run: neso run %s:scales --target sim:sm_90a --check -q -g 1 x=rand:64x256 most=zeros:8x64 same=zeros:8x64:i32 wrong=zeros:1:i32 scale=-0.37 N=4 BM=64 BN=64 --num-warps 4 --expect wrong=zeros:1:i32
# run: neso run %s:scales --target sim:sm_90a --check -q -g 1 x=rand:64x256 most=zeros:8x64 same=zeros:8x64:i32 wrong=zeros:1:i32 scale=0.0 N=4 BM=64 BN=64 --num-warps 4 --expect wrong=zeros:1:i32
# run: neso run %s:scales --target sim:sm_90a --check -q -g 1 x=rand:64x256 most=zeros:8x64 same=zeros:8x64:i32 wrong=zeros:1:i32 "scale=float('inf')" N=4 BM=64 BN=64 --num-warps 4 --expect wrong=zeros:1:i32
# run: neso run %s:scales --target sim:sm_90a --check -q -g 1 x=rand:64x256 most=zeros:8x64 same=zeros:8x64:i32 wrong=zeros:1:i32 "scale=float('nan')" N=4 BM=64 BN=64 --num-warps 4 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def both(x, scale, i, BM: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr):
    m, k = tl.arange(0, BM), i * BN + tl.arange(0, BN)
    s = tl.load(x + m[:, None] * (4 * BN) + k[None, :]) * scale
    if MASKED:
        s = tl.where(m[:, None] >= k[None, :], s, float("-inf"))
    most = tl.max(s, 1)
    return most, tl.sum((s == most[:, None]).to(tl.int32), 1)


@triton.jit
def scales(x, most, same, wrong, scale, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.arange(0, BM)
    for i in range(0, N):
        a, n = both(x, scale, i, BM, BN, False)
        b, o = both(x, scale, i, BM, BN, True)
        tl.store(most + i * BM + m, a)
        tl.store(same + i * BM + m, n)
        tl.store(most + (4 + i) * BM + m, b)
        tl.store(same + (4 + i) * BM + m, o)
    tl.debug_barrier()
    for i in tl.static_range(4):
        for masked in tl.static_range(2):
            a, n = both(x, scale, i, BM, BN, masked == 1)
            was = tl.load(most + (4 * masked + i) * BM + m)
            count = tl.load(same + (4 * masked + i) * BM + m)
            differs = ((was != a) & ((was == was) | (a == a))) | (count != n)
            tl.atomic_add(wrong, tl.sum(differs.to(tl.int32)))
