# What an inner loop loads is the same in each iteration of the outer one, or is not.
# run: difftest %s
# expect: success
# launch: 2 1 1 0 4
# buffer: x i32 4096 2878765784226899608 -100 100
# buffer: h i8 4096 2878765784226899609 -100 100
# buffer: w i32 4096 2878765784226899610 -100 100
# buffer: o i32 4096 2878765784226899611 -100 100
# number: n i32 700
import triton
import triton.language as tl


@triton.jit
def kernel(x, h, w, o, n):
    p = tl.program_id(0)
    i = tl.arange(0, 256)
    row, byte = x + p * 1024, h + p * 1024
    t = 0
    for k in range(5):
        s = tl.zeros((256,), tl.int32)
        for b in range(0, 1024, 256):
            v = tl.load(row + b + i, mask=b + i < n, other=7) + tl.load(byte + b + i).to(tl.int32)
            s += tl.maximum(v - t, 0)
        t += tl.sum(s) // 2048
    tl.store(o + p * 16, t)
    for k in range(4):
        q = row + i
        s = tl.zeros((256,), tl.int32)
        for b in range(3):
            s += tl.load(q) * (t + k)
            q += 256
        t = tl.sum(s) // 512
    tl.store(o + p * 16 + 1, t)
    for k in range(4):
        s = tl.zeros((256,), tl.int32)
        for b in range(2):
            s += tl.load(w + p * 1024 + b * 256 + i) * (t + k)
        tl.store(w + p * 1024 + i, s // 4)
    for k in range(n):
        s = tl.zeros((256,), tl.int32)
        for b in range(2):
            s += tl.load(row + b * 256 + i + k) + tl.load(byte + i).to(tl.int32)
        t = t // 2 + tl.sum(s) // 1024
    for k in range(0, 3):
        t += tl.load(x + 5) + tl.load(x + k)
    tl.store(o + p * 16 + 2, t)
