# Mistakes of those who come from NumPy, torch and CUDA: what is meant follows the error.
# options: --signature "*fp32,*fp32,i32,64"
import math
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    a = []
    y[0] = 1.0  # error: 5: unsupported tensor index: pointer<fp32> cannot be indexed by 0  # note: -: tl.store(pointer + index, value) writes to memory
    c = x[i]  # error: 9: unsupported tensor index: pointer<fp32> cannot be indexed by int32[64]  # note: -: a pointer is added to
    a.pop(n)  # error: 7: has no attribute 'pop'  # note: -: a list in a kernel grows by append() and extend()
    d = math.exp(v)  # error: 9: the argument of math.exp() must be known while compiling  # note: -: in a kernel: tl.exp
    e = int(n)  # error: 9: the argument of int() must be known  # note: -: x.to(tl.int32) casts
    f = x + i / 2  # error: 9: operator +: invalid operands  # note: -: offsets are whole numbers
    g = v.to(float32)  # error: 14: name 'float32' is not defined  # note: -: tl.float32 is a name of the tile language
    h = v.astype(tl.float16)  # error: 11: has no attribute 'astype'  # note: -: in a kernel: x.to(dtype)
    j = tl.relu(v)  # error: 12: has no attribute 'relu'  # note: -: tl.maximum(x, 0.0)
    k = v**v  # error: 9: operator **  # note: -: tl.exp2(y * tl.log2(x))
    m = v @ v  # error: 9: cannot multiply fp32[64] by fp32[64]: input and other must have equal ranks >= 2
    o = tl.max(v, 0.0)  # error: 9: 'axis' must be an integer known when compiling  # note: -: tl.maximum(a, b)
    for p in v:  # error: 14: cannot be iterated over  # note: -: an operation works on all elements
        pass
    for q in n:  # error: 14: cannot be iterated over  # note: -: for i in range(n) counts
        pass
    tl.static_assert(n > 3)  # error: 5: must be known when compiling  # note: -: tl.device_assert(cond)
    r = tl.load(n)  # error: 9: tl.load: Unsupported ptr type: expected a pointer, found int32
    s = tl.exp(i)  # error: 9: tl.exp takes fp32 or fp64
    tl.store(y + i, v, mask=i < n & i > 2)  # warning: 33: `n & i` is computed before the comparisons on both sides of it  # note: -: (a < b) & (c < d)
    tl.store(y + i, v, mask=0 <= i < n)
