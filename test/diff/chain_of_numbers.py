# A number is looked up by a chain of ifs: numbers in no order, twice, below zero, and those that it does not name.
# run: difftest %s
# expect: success
# launch: 1 1 1 4 1
# buffer: a i32 256 11 -12 40
# buffer: b i8 256 12 -128 127
# buffer: o fp32 256 13 0 100
# buffer: p i32 256 14 0 100
import triton
import triton.language as tl


@triton.jit
def weight(x):
    if x == 3:
        return 0.25
    if x == -7:
        return -0.0
    if x == 9:
        return 4.5
    if x == 3:
        return 100.0
    if x == 0:
        return -1.0
    if x == 12:
        return 3.0
    return -2.5


@triton.jit
def code(x):
    if x == 15:
        return 1000
    elif x == 14:
        return -3
    elif x == 2:
        return 7
    elif x == 1:
        return 2147483647
    else:
        return -2147483648


@triton.jit
def kernel(a, b, o, p):
    for i in range(256):
        tl.store(o + i, weight(tl.load(a + i)))
        byte = tl.load(b + i).to(tl.uint8)
        tl.store(p + i, code(byte >> 4) ^ code(byte & 15) * 3 + code(byte))
