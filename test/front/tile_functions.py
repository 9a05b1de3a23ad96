# Functions inside operations, and shapes of what they work on.
# options: --signature "*fp32,i32,64"
import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def three(a, b):
    return a, b, a


@triton.jit
def kernel(p, n, B: tl.constexpr):
    x = tl.arange(0, B)
    a = tl.reduce(n, 0, add)
    b = tl.reduce((x, x[:, None]), 0, add)
    c = tl.reduce((), 0, add)
    d = tl.reduce(x, 0, 5)
    e = tl.map_elementwise(three, x, x, pack=2)
    f = tl.histogram(x.to(tl.float32), 16)
    g = tl.gather(x[:, None], x, 0)
