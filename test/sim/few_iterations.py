# Loops of two to four iterations, which is known: all copies begin in front of them, in an outer loop too, which fills the slots again;
# for products of warps and of warp groups, by threads' copies and by TMA, and for operands that threads read and change.
# run: neso run %s:few --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 ROUNDS=3 K=128 BK=64 BM=64 BN=64 BOXES=False --num-warps 4 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:few --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 ROUNDS=3 K=128 BK=64 BM=128 BN=64 BOXES=False --num-warps 8 --num-stages 2 --expect wrong=zeros:2:i32
# run: neso run %s:few --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 ROUNDS=2 K=128 BK=32 BM=64 BN=64 BOXES=False --num-warps 4 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:few --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 ROUNDS=3 K=128 BK=64 BM=32 BN=32 BOXES=False --num-warps 2 --num-stages 4 --expect wrong=zeros:2:i32
# run: neso run %s:few --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 ROUNDS=3 K=96 BK=32 BM=32 BN=32 BOXES=False --num-warps 4 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:few --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 ROUNDS=3 K=128 BK=64 BM=64 BN=64 BOXES=True --num-warps 4 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:few --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 ROUNDS=3 K=128 BK=64 BM=128 BN=64 BOXES=True --num-warps 8 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:few --target sim:sm_80 --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 ROUNDS=3 K=128 BK=64 BM=64 BN=64 BOXES=False --num-warps 4 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:changed --target sim:sm_90a --check -q -g 1 h=rand:131072:fp16 wrong=zeros:1:i32 K=128 BK=64 BM=64 BN=64 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:changed --target sim:sm_90a --check -q -g 1 h=rand:131072:fp16 wrong=zeros:1:i32 K=128 BK=32 BM=64 BN=64 --num-warps 4 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:changed --target sim:sm_90a --check -q -g 1 h=rand:131072:fp16 wrong=zeros:1:i32 K=128 BK=64 BM=32 BN=64 --num-warps 1 --num-stages 3 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def few(h, wrong, ROUNDS, K: tl.constexpr, BK: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BOXES: tl.constexpr):
    pid = tl.program_id(0)
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    if BOXES:
        da = tl.make_tensor_descriptor(h, [256, K], [K, 1], [BM, BK])
        db = tl.make_tensor_descriptor(h + 65536, [K, 256], [256, 1], [BK, BN])
    total = tl.zeros([BM, BN], tl.float32)
    own = tl.zeros([BM, BN], tl.float32)
    for i in range(ROUNDS):
        acc = tl.zeros([BM, BN], tl.float32)
        for at in range(0, K, BK):
            if BOXES:
                a = da.load([pid * BM, at])
                b = db.load([at, i * 16])
            else:
                a = tl.load(h + (pid * BM + m)[:, None] * K + (at + k)[None, :])
                b = tl.load(h + 65536 + (at + k)[:, None] * 256 + (i * 16 + n)[None, :])
            acc = tl.dot(a, b, acc)
        total = total * 0.5 + acc
    for i in tl.range(ROUNDS, num_stages=1):
        acc = tl.zeros([BM, BN], tl.float32)
        for at in tl.range(0, K, BK, num_stages=1):
            a = tl.load(h + (pid * BM + m)[:, None] * K + (at + k)[None, :])
            b = tl.load(h + 65536 + (at + k)[:, None] * 256 + (i * 16 + n)[None, :])
            acc = tl.dot(a, b, acc)
        own = own * 0.5 + acc
    tl.store(wrong + pid, tl.sum((tl.abs(total - own) > 1e-3 * (1 + tl.abs(own))).to(tl.int32)))


@triton.jit
def changed(h, wrong, K: tl.constexpr, BK: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    pa, pb = h + m[:, None] * K + k[None, :], h + 65536 + k[:, None] * 256 + n[None, :]
    acc, other, own, own_other = tl.zeros([BM, BN], tl.float32), tl.zeros([BM, BN], tl.float32), tl.zeros([BM, BN], tl.float32), tl.zeros([BM, BN], tl.float32)
    for at in range(0, K, BK):
        a = tl.load(pa)
        b = tl.load(pb)
        s = tl.load(h + 100000 + at + k)
        acc = tl.dot((a * s[None, :]).to(tl.float16), b, acc)
        other += tl.dot(a, (b * s[:, None]).to(tl.float16)) + tl.sum(s.to(tl.float32))
        pa += BK
        pb += BK * 256
    for at in tl.range(0, K, BK, num_stages=1):
        a = tl.load(h + m[:, None] * K + (at + k)[None, :])
        b = tl.load(h + 65536 + (at + k)[:, None] * 256 + n[None, :])
        s = tl.load(h + 100000 + at + k)
        own = tl.dot((a * s[None, :]).to(tl.float16), b, own)
        own_other += tl.dot(a, (b * s[:, None]).to(tl.float16)) + tl.sum(s.to(tl.float32))
    bad = (tl.abs(acc - own) > 1e-3 * (1 + tl.abs(own))) | (tl.abs(other - own_other) > 1e-3 * (1 + tl.abs(own_other)))
    tl.store(wrong, tl.sum(bad.to(tl.int32)))
