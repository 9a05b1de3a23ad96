# An operand that is the sum of a value and itself is computed an iteration ahead (stage-ahead).
# run: difftest %s
# expect: success
# launch: 1 4 3 1 2 1
# buffer: a i8 12288 5260666305663877168 -1 2
# buffer: b i8 12288 15873306810298370944 -1 2
# buffer: e i32 64 15445013694754022688 0 3
# buffer: q i32 256 5131307863413061416 0 255
# buffer: o fp32 4096 6236863572117857432 0 0
# buffer: v fp32 576 12711363505736698648 0 0
# buffer: h i32 64 7962824916031819896 0 0
# buffer: w8 i8 16 6542685626705340344 0 0
# buffer: w16 i16 64 15454892461753591856 0 0
# buffer: sent fp32 24576 13721792781577529688 0 0
# number: T i32 0
# number: N i32 1000
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, e, q, o, v, h, w8, w16, sent, T, N):
    pid = tl.program_id(0)
    r, s, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 32)
    a += pid * 12288
    b += pid * 12288
    o += pid * 4096
    acc = tl.zeros((64, 64), tl.int32)
    for t in range(T - 1, -1, -1):
        x = tl.make_tensor_descriptor(a, [384, 32], [32, 1], [64, 32]).load([t * 64, 0])
        y = tl.load(b + t * 2048 + k[:, None] * 64 + s[None, :], mask=k[:, None] < N, other=0)
        x = tl.where(x < 0, -x, x - 1)
        y += y
        y = (y + y + 1).to(tl.int8)
        acc = tl.dot(x, y, acc, out_dtype=tl.int32)
    tl.store(o + r[:, None] * 64 + s[None, :], acc.to(tl.float32))
