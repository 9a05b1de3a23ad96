# Functions inside operations, and shapes of what they work on.
# options: --signature "*fp32,i32,64"
import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def three(a, b, c, d):
    return a, b, c


@triton.jit
def put(p):
    tl.store(p, 1)
    return 1


@triton.jit
def count(a, b):
    put(b)
    return a


@triton.jit(noinline=True)
def meet(a):
    tl.debug_barrier()
    return a


@triton.jit
def put_one_of(a, b):
    put(b)
    return a


@triton.jit
def meet_both(a, b):
    return meet(a) + meet(b)


@triton.jit
def kernel(p, n, B: tl.constexpr):
    x = tl.arange(0, B)
    a = tl.reduce(n, 0, add)  # error: 9: tl.reduce: expected a tile, found int32
    b = tl.reduce((x, x[:, None]), 0, add)  # error: 9: tl.reduce: inputs have different shapes: int32[64] and int32[64, 1]
    c = tl.reduce((), 0, add)  # error: 9: tl.reduce: 0 inputs; from 1 to 32 are possible
    d = tl.reduce(x, 0, 5)  # error: 9: tl.reduce: expected a function, found int 5
    e = tl.map_elementwise(three, x, x, pack=2)  # error: 9: tl.map_elementwise: the function returns 3 values, no multiple of pack, which is 2
    e = tl.map_elementwise(three, x, pack=3)  # error: 9: tl.map_elementwise: pack=3 does not divide the elements of int32[64]
    e = tl.map_elementwise(add, n, pack=2)  # error: 9: tl.map_elementwise: expected a tile, found int32
    e = tl.map_elementwise(add, x[:1], pack=2)  # error: 9: tl.map_elementwise: pack=2 does not divide the elements of int32[1]
    f = tl.histogram(x.to(tl.float32), 16)  # error: 9: tl.histogram: expected integers of rank 1, found fp32[64]
    g = tl.gather(x[:, None], x, 0)  # error: 9: tl.gather: source int32[64, 1] and index int32[64] must agree in all dimensions but the axis
    h = tl.histogram(x, 16, mask=x)  # error: 9: tl.histogram: the mask must be int1, not int32[64]
    i = tl.map_elementwise(put, p + x)  # error: 9: function put is called for single elements, and must not have an effect; it has a tt.store
    i = tl.map_elementwise(count, x, p + x)  # error: 9: function count is called for single elements, and must not have an effect
    i = tl.reduce(p + x, 0, put_one_of)  # error: 9: function put_one_of is called for single elements, and must not have an effect; it has a tt.store
    i = tl.associative_scan(x, 0, meet_both)  # error: 9: function meet_both is called for single elements, and must not have an effect; it has a gpu.barrier
    i = tl.map_elementwise(meet, x)  # error: 9: function meet is called for single elements, and must not have an effect; it has a gpu.barrier
