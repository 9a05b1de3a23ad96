# Calls that do not fit the function.
# run: neso compile %s:kernel --signature "*fp32,i32,64"
import triton
import triton.language as tl


@triton.jit
def add(left, right, SCALE: tl.constexpr = 1):
    return left + right * SCALE


@triton.jit(noinline=True)
def apart(x):
    return x


@triton.jit
def again(x):
    return again(x)  # error: 12: 'again' calls itself with the same types and constants


@triton.jit
def either(x):
    if x > 0:
        return x
    return x * 1.5  # error: 5: Inconsistent return types: int32 scalar elsewhere, fp32 scalar here


@triton.jit
def pair(a, b):
    return a, b


@triton.jit
def kernel(p, n, B: tl.constexpr):
    tile = tl.arange(0, B)
    add(1)  # error: 5: add() is called without 'right'
    add(n, 2, 3, 4)  # error: 5: add() takes 3 positional arguments, 4 given
    add(n, 2, SCLAE=3)  # error: 5: add() has no parameter 'SCLAE'; did you mean 'SCALE'?
    add(n, 2, nonsense=3)  # error: 5: add() has no parameter 'nonsense'
    add(n, 2, left=3)  # error: 5: add() got two values for 'left'
    apart(tile)  # error: 5: 'apart' is noinline and takes only scalars: argument 'x' is int32[64] tensor
    again(n)  # note: 5: in the call of 'again' here
    either(n)  # note: 5: in the call of 'either' here
    add[(1,)](n, 2)  # error: 5: kernel 'add' cannot be launched from inside a kernel
    s = tl.reduce(tile, 0, pair)  # error: 9: the combining function pair gives int32, int32, expected int32
    add(*(n, 2), **{"SCALE": 2})
