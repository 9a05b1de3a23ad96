# Arguments of builtins: names, numbers, kinds.
# options: --signature "*fp32,i32,64"
import triton
import triton.language as tl


@triton.jit
def kernel(p, n, B: tl.constexpr):
    x = tl.arange(0, B)
    a = tl.load()  # error: 9: tl.load: argument 'pointer' is missing
    b = tl.load(p, msk=None)  # error: 9: tl.load has no argument 'msk'; did you mean 'mask'?
    c = tl.load(p, pointer=p)  # error: 9: tl.load: argument 'pointer' is given twice
    d = tl.exp(x, x)  # error: 9: tl.exp takes 1 argument by position, 2 given
    e = tl.program_id(3)  # error: 9: tl.program_id axis must be 0, 1, or 2 but got 3
    f = tl.program_id(n)  # error: 9: tl.program_id: 'axis' must be an integer known when compiling, not int32
    g = tl.full([B], 0, "fp32")  # error: 9: tl.full: 'dtype' must be a dtype, not str 'fp32'
    h = tl.multiple_of(x, [4, 4])  # error: 9: tl.multiple_of: 2 values for int32[64]
    i = tl.tensor(x)  # error: 9: tl.tensor is a class for isinstance and annotations, not a function: what runs: a scalar or a tile
    j = x.dtype.get_int_max_value() + tl.float32.get_int_max_value()  # error: 39: fp32 has no attribute 'get_int_max_value'
    k = tl.extra.cuda.experimental_device_tensormap_create2d(p)  # error: 9: tl.extra.cuda.experimental_device_tensormap_create2d is not available: Neso has no raw TMA descriptors
    tl.static_assert(B == 32, "B must be 32")  # error: 5: static assertion failed: B must be 32
    tl.static_assert(n == 32)  # error: 5: tl.static_assert: 'cond' must be known when compiling, not int1
    tl.assume(x)  # error: 5: tl.assume: expected int1, found int32[64]
