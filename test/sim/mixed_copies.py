# A rotated loop of which TMA brings what the late product reads, loaded first, and threads copy what the other one reads: slots of
# both are of the same iteration.
# run: neso run %s:mixed --target sim:sm_90a --check -q -g 1 h=rand:131072:fp16 wrong=zeros:1:i32 N=256 BM=128 BN=64 D=128 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:mixed --target sim:sm_90a --check -q -g 1 h=rand:131072:fp16 wrong=zeros:1:i32 N=64 BM=128 BN=64 D=128 --num-warps 8 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:mixed --target sim:sm_90a --check -q -g 1 h=rand:131072:fp16 wrong=zeros:1:i32 N=256 BM=128 BN=128 D=128 --num-warps 8 --num-stages 2 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def mixed(h, wrong, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m, k, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    a = tl.load(h + m[:, None] * D + d[None, :])
    late = tl.make_tensor_descriptor(h + 32768, [N, D], [D, 1], [BN, D])
    acc, own = tl.zeros([BM, D], tl.float32), tl.zeros([BM, D], tl.float32)
    for at in range(0, N, BN):
        c = late.load([at, 0])
        b = tl.load(h + 65536 + ((at + k) ^ 1)[None, :] * D + d[:, None])
        acc = tl.dot((tl.dot(a, b) * 0.01).to(tl.float16), c, acc)
    for at in tl.range(0, N, BN, num_stages=1):
        c = tl.load(h + 32768 + (at + k)[:, None] * D + d[None, :])
        b = tl.load(h + 65536 + ((at + k) ^ 1)[None, :] * D + d[:, None])
        own = tl.dot((tl.dot(a, b) * 0.01).to(tl.float16), c, own)
    tl.store(wrong, tl.sum((tl.abs(acc - own) > 1e-3 * (1 + tl.abs(own))).to(tl.int32)))
