# Sums of a loop that is left begin with 0, and go through shuffles in each turn: ptxas 12.8 took what was
# shuffled for 0, on a GPU alone.
# run: difftest %s
# expect: success
# launch: 3 8 1 1 1 1
# buffer: a bf16 73728 17034646594830565288 -1 2
# buffer: b bf16 18432 8133415180020241288 -1 2
# buffer: e i32 64 9410333985440909136 0 3
# buffer: o fp32 3072 24 0 0
# buffer: v fp32 192 32 0 0
# number: T i32 6
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, e, o, v, T):
    pid = tl.program_id(0)
    r, s, k = tl.arange(0, 64), tl.arange(0, 16), tl.arange(0, 64)
    a += pid * 24576
    b += pid * 6144
    acc = tl.zeros((64, 16), tl.float32)
    side = tl.zeros((64,), tl.float32)
    for g in range(2):
        for d in range(T // 2 + g):
            t = g + d
            x = tl.load(a + t * 4096 + r[:, None] * 64 + k[None, :])
            y = tl.load(b + t * 1024 + k[:, None] + s[None, :] * 64)
            acc = tl.dot(x, y, acc)
            side += tl.argmax(acc, 1).to(tl.float32)
            if tl.load(e + 6 + t) > 2:
                break
        acc = tl.where(acc > 50, 0, acc)
    tl.store(o + pid * 1024 + r[:, None] * 16 + s[None, :], acc)
    tl.store(v + pid * 64 + r, side)
