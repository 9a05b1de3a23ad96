# A product that adds to 1, behind which its sums are shuffled: ptxas 12.8 took them for 1 (llvm/lower/arith.c). The simulator
# has right results always.
# run: difftest %s
# expect: success
# launch: 1 8 3 1 1 4
# buffer: a fp16 24576 1126202859669645928 -1 2
# buffer: b fp16 6144 16242059398527300872 -1 2
# buffer: e i32 64 7723407477342692672 0 3
# buffer: q i32 256 13739045642129044416 0 255
# buffer: o fp32 4096 8577788549457921120 0 0
# buffer: v fp32 1152 6066855147101385104 0 0
# buffer: h i32 64 15500558747159388552 0 0
# buffer: w8 i8 16 13396528826119442528 0 0
# buffer: w16 i16 128 17462415336789406184 0 0
# buffer: sent fp32 24576 9576871558783503584 0 0
# number: T i32 1
# number: N i32 20
import triton
import triton.language as tl


BK = tl.constexpr(32)


@triton.jit
def last(f1, v1, f2, v2):
    return f1 | f2, tl.where(f2 > 0, v2, v1)


@triton.jit
def twice(v, LEFT: tl.constexpr):
    if LEFT == 0:
        return v
    return twice(v + v, LEFT - 1) if LEFT > 1 else v + 1


@triton.jit
def kernel(a, b, e, q, o, v, h, w8, w16, sent, T, N):
    pid = tl.program_id(0)
    r, s, k = tl.arange(0, 128), tl.arange(0, 32), tl.arange(0, 32)
    a += pid * 24576
    b += pid * 6144
    o += pid * 4096
    v += pid * 1152
    h += pid * 64
    w8 += pid * 16
    w16 += pid * 128
    sent += pid * 24576
    acc = tl.zeros((128, 32), tl.float32)
    side = tl.zeros((128,), tl.float32)
    n = T * 0
    st = [acc, side, n]
    for t in range(T - 1, -1, -1):
        acc, side, n = st[0], st[1], st[2]
        x = tl.make_tensor_descriptor(a, [768, 32], [32, 1], [128, 32]).load([t * 128, 0])
        y = tl.load(b + t * 1024 + k[:, None] + s[None, :] * BK, mask=k[:, None] < N, other=0)
        _, z = tl.associative_scan((x.to(tl.int32) & 1, x.to(tl.int32)), 0, last, reverse=True)
        x = z.to(tl.float16)
        acc += tl.dot(x, y, out_dtype=tl.float32)
        side = tl.sort(side + r, descending=True)
        n += 1
        st[0], st[1], st[2] = acc, side, n
    acc, side, n = st[0], st[1], st[2]
    u = acc
    u = twice(u, 1)
    tl.make_tensor_descriptor(o, [128, 32], [32, 1], [1, 32]).scatter(u.to(tl.float32), (r * 3 + 1) % 128, 0)
    tl.store(v + 1024 + r, side)
    tl.store(h + 32, n)
