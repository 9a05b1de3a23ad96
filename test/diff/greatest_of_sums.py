# The greatest of a product's sums of integers, looked at after each of several products: ptxas 12.8 to 13.0
# gave one for two (llvm/lower/wgmma.c). The simulator has right results always.
# run: difftest %s
# expect: success
# launch: 1 4 2 1 1 1
# buffer: a i8 12288 6156625746613443800 -1 2
# buffer: b i8 12288 2973784868838787752 -1 2
# buffer: e i32 64 10371773816154076640 0 3
# buffer: q i32 256 2095537980235922144 0 255
# buffer: o fp32 4096 12379033882522187616 0 0
# buffer: v fp32 576 7927282393467350280 0 0
# buffer: h i32 64 14162459874674390888 0 0
# buffer: w8 i8 16 14390763995457638112 0 0
# buffer: w16 i16 64 3590625266312760664 0 0
# buffer: sent fp32 24576 17764476136796371392 0 0
# number: T i32 6
# number: N i32 1000
import triton
import triton.language as tl


BN = tl.constexpr(64)


@triton.jit
def after(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def kernel(a, b, e, q, o, v, h, w8, w16, sent, T, N):
    pid = tl.program_id(0)
    r, s, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 32)
    a += pid * 12288
    b += pid * 12288
    o += pid * 4096
    v += pid * 576
    h += pid * 64
    w8 += pid * 16
    w16 += pid * 64
    sent += pid * 24576
    acc = tl.zeros((64, 64), tl.int32)
    side = tl.zeros((64,), tl.float32)
    n = T * 0
    for t in tl.static_range(1, 6, 2):
        x = tl.load(a + t * 2048 + r[:, None] * 32 + k[None, :])
        y = tl.load(b + t * 2048 + k[:, None] * BN + s[None, :])
        acc = tl.dot(x, y, acc, out_dtype=tl.int32)
        side += tl.max(acc, 1).to(tl.float32)
        n += 1
    u = acc
    g, u2 = tl.associative_scan((u.to(tl.int32) & 3, u.to(tl.int32)), 1, after, reverse=True)
    u = (u2 % 1024).to(u.dtype) + (g & 7)
    tl.store(o + r[:, None] * BN + s[None, :], u.to(tl.float32))
    tl.store(v + 512 + r, side)
    tl.store(h + 32, n)
