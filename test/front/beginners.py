# What beginners write, each with a note that says what was meant.
# run: neso compile %s:kernel --signature "*fp32,i32,16"
# exit: 1
import triton
import triton.language as tl


@triton.jit
def either(n):
    if n > 3:
        return tl.zeros((4,), tl.float32)
    return 0.0  # error: 5: Inconsistent return types  # note: -: one type and shape at each return


@triton.jit
def other_value(n, B: tl.constexpr):
    B = n
    return tl.arange(0, B)  # error: 12: 'end' must be an integer known when compiling  # note: -: 'B' has another value here than the one it was given


@triton.jit
def kernel(p, n, B: tl.constexpr):
    f = tl.load(p + tl.arange(0, 16))
    tl.load(n)  # error: 5: expected a pointer, found int32  # note: -: an argument that is an array or a tensor is a pointer
    tl.store(n, 1)  # error: 5: expected a pointer, found int32  # note: -: an argument that is an array or a tensor is a pointer
    for i in range(n / 2):  # error: 14: the upper bound of a loop must be an integer scalar  # note: -: // divides whole numbers
        pass
    p.shape[0]  # error: 5: index 0 is out of range for 0 items  # note: -: the sizes of an array are arguments of their own
    len(p)  # error: 5: len() does not take pointer<fp32> scalar  # note: -: a pointer does not know its array's sizes
    print("n = %d" % n)  # error: 11: operator %: invalid operands  # note: -: print("text", x) and f-strings
    f ^ f  # error: 5: operator ^: invalid operands of type fp32[16] and fp32[16]  # note: -: x.to(tl.int32, bitcast=True) has the bits
    f.fill_(0)  # error: 7: has no attribute 'fill_'  # note: -: tiles are values: x = tl.full
    f.T  # error: 5: tl.trans needs two dimensions  # note: -: x[:, None] makes a column
    other_value(n, B)  # note: 5: in the call of 'other_value' here
    either(n)  # note: 5: in the call of 'either' here

    def add(x):
        if x:
            nonlocal n  # error: 13: `nonlocal` under a condition, or outside a function of the kernel is not supported
        n += x

    add(1)  # note: 5: in the call of 'add' here
