# Products of tiles that masks, or sizes of their own, keep narrower than powers of two multiply no padding, and their tiles end in
# shared memory where that ends.
# run: neso compile %s:kernel --target sim:sm_90a --num-warps 8 --num-stages 2 --why --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,256"
# run: neso compile %s:kernel --target sim:sm_90a --num-warps 8 --num-stages 2 --why --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,192"
import triton
import triton.language as tl


@triton.jit
def tile(p, d, DP: tl.constexpr):
    if DP == 192:
        return tl.load(p)
    else:
        return tl.load(p, mask=d < 192, other=0.0)


@triton.jit
def kernel(q, k, v, o, N, DP: tl.constexpr):
    m, n, d = tl.program_id(0) * 128 + tl.arange(0, 128), tl.arange(0, 64), tl.arange(0, DP)
    x = tile(q + m[:, None] * 192 + d[None, :], d[None, :], DP)
    acc = tl.zeros((128, DP), tl.float32)
    for i in range(0, N, 64):
        i = tl.multiple_of(i, 64)
        s = tl.dot(x, tile(k + (i + n)[None, :] * 192 + d[:, None], d[:, None], DP))
        acc = tl.dot(s.to(tl.float16), tile(v + (i + n)[:, None] * 192 + d[None, :], d[None, :], DP), acc)
    if DP == 192:
        tl.store(o + m[:, None] * 192 + d[None, :], acc.to(tl.float16))
    else:
        tl.store(o + m[:, None] * 192 + d[None, :], acc.to(tl.float16), mask=d[None, :] < 192)

# CHECK: load tensor-map: copied by TMA {{.*}} slots of 24576 bytes
# CHECK: trimmed.py:24: s = tl.dot
# CHECK: dot wgmma: wgmma.m64n64k16.f32.f16.f16, 12 times a warp group
# CHECK: trimmed.py:25: acc = tl.dot
# CHECK: dot wgmma: wgmma.m64n192k16.f32.f16.f16, 4 times a warp group
# CHECK: load tensor-map: copied by TMA {{.*}} slots of 24576 bytes
# CHECK: trimmed.py:24: s = tl.dot
# CHECK-NOT: tile padded: 128x192x64
# CHECK: dot wgmma: wgmma.m64n64k16.f32.f16.f16, 12 times a warp group
# CHECK: trimmed.py:25: acc = tl.dot
# CHECK-NOT: tile padded: 128x64x192
# CHECK: dot wgmma: wgmma.m64n192k16.f32.f16.f16, 4 times a warp group
