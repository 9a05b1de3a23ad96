# Arguments of builtins: names, numbers, kinds.
# options: --signature "*fp32,i32,64"
import triton
import triton.language as tl


@triton.jit
def kernel(p, n, B: tl.constexpr):
    x = tl.arange(0, B)
    a = tl.load()
    b = tl.load(p, msk=None)
    c = tl.load(p, pointer=p)
    d = tl.exp(x, x)
    e = tl.program_id(3)
    f = tl.program_id(n)
    g = tl.zeros([B], "fp32")
    h = tl.multiple_of(x, [4, 4])
    i = tl.tensor(x)
    j = x.dtype.get_int_max_value() + tl.float32.get_int_max_value()
    k = tl.extra.cuda.experimental_device_tensormap_create2d(p)
    tl.static_assert(B == 32, "B must be 32")
    tl.static_assert(n == 32)
    tl.assume(x)
