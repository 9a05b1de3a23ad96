# More mistakes of those who come from NumPy, torch and CUDA: what is meant follows the error.
# options: --signature "*fp32,i32,64"
import triton
import triton.language as tl


@triton.jit
def kernel(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(p + i)
    tl.store(p, v)  # error: 5: tl.store: 'value' is fp32[64], the pointer is pointer<fp32>: one address  # note: -: pointer + tl.arange(0, N) are N addresses
    a = tl.load(p, mask=i < n)  # error: 9: 'mask' is int1[64], the pointer is pointer<fp32>: one address
    tl.atomic_add(p, v)  # error: 5: 'val' is fp32[64], the pointer is pointer<fp32>: one address
    b = tl.load(p[n])  # error: 17: unsupported tensor index: pointer<fp32> cannot be indexed by int32  # note: -: a pointer is added to
    c = p * 4  # error: 9: operator *: invalid operands  # note: -: offsets are added to a pointer
    d = p + p  # error: 9: operator +: invalid operands  # note: -: offsets are added to a pointer
    e = tl.zeros((B,), "float32")  # error: 9: 'dtype' must be a dtype, not str 'float32'  # note: -: dtypes are names of the tile language
    f = v.to(float)  # error: 9: 'dtype' must be a dtype, not type  # note: -: tl.float32
    g = tl.sum(v, dim=0)  # error: 9: sum() has no parameter 'dim'  # note: -: in a kernel: axis
    h = p.stride(0)  # error: 11: has no attribute 'stride'  # note: -: strides are arguments, x.stride(0) in the launch
    j = tl.arange(B)  # error: 9: tl.arange: argument 'end' is missing  # note: -: tl.arange(0, N) are the N numbers
    k = tl.exp(n)  # error: 9: tl.exp takes fp32 or fp64, not int32  # note: -: x.to(tl.float32)
    m = n in (1, 2)  # error: 9: the left side of `in` must be known  # note: -: (x == a) | (x == b)
