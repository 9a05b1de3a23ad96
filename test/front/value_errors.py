# Faults of values that are known while compiling.
# run: neso compile %s:kernel --signature "*fp32,i32,8"
# run: neso compile %s:more --signature "*fp32,i32,8"
import enum
import triton
import triton.language as tl


class Pair:
    left: int
    right: int

    def __init__(self, a):
        self.left = a


class Other:
    left: int

    def __init__(self, a):
        self.middle = a  # error: 9: class Other declares no field 'middle'


class Color(enum.Enum):
    RED = 1


@triton.constexpr_function
def half(n):
    if n % 2:
        raise ValueError(f"{n} is odd")  # error: 9: ValueError: 7 is odd
    return n // 2


@triton.constexpr_function
def checked(n):
    assert n < 4, "too many"  # error: 5: assertion failed: too many
    return n


@triton.constexpr_function
def opened(n):
    with open("file") as f:  # error: 5: WITH cannot be run while compiling
        return f


@triton.jit
def kernel(p, n, N: tl.constexpr):
    zero: tl.constexpr = N // 0  # error: 26: division by zero
    shifted: tl.constexpr = 1 << -1  # error: 29: negative shift count
    big: tl.constexpr = 1 << 1000000  # error: 25: integer too large
    long: tl.constexpr = "ab" * 10000000  # error: 26: a sequence of more than 1048576 items
    item: tl.constexpr = (1, 2)[5]  # error: 26: index 5 is out of range for 2 items
    key: tl.constexpr = {"a": 1}["b"]  # error: 25: key 'b' was not found
    a, b = (1, 2, 3)  # error: 5: too many values to unpack (expected 2, got 3)
    text: tl.constexpr = f"{N:q}"  # error: 28: the format 'q' does not fit the value
    sub: tl.constexpr = N[0]  # error: 25: int 8 cannot be subscripted
    called: tl.constexpr = N(1)  # error: 28: int 8 cannot be called
    for i in N:  # error: 14: int 8 cannot be iterated over
        pass
    for j in tl.static_range(0, n):  # error: 14: tl.static_range: 'end' must be an integer known when compiling, not int32
        pass
    for k in tl.static_range(0, 4, 0):  # error: 14: the step must not be zero
        pass
    kind: tl.constexpr = isinstance(N, 5)  # error: 26: isinstance() expects a type, found int 5
    wrong: tl.constexpr = int("xyz")  # error: 27: int() does not take str 'xyz'
    mixed: tl.constexpr = "a" + 1  # error: 27: operator + does not take str 'a' and int 1
    minus: tl.constexpr = -"a"  # error: 27: operator - does not take str 'a'
    h: tl.constexpr = half(7)  # note: 23: in the call of 'half' here
    g: tl.constexpr = f"{n}"  # error: 25: a value in an f-string must be known while compiling, found int32 scalar


@triton.jit
def more(p, n, N: tl.constexpr):
    c: tl.constexpr = checked(9)
    o: tl.constexpr = opened(9)
    x = Pair(1)  # error: 9: __init__ of class Pair does not set the field 'right'
    y = Other(1)
    z: tl.constexpr = max(*N)  # error: 27: int 8 cannot be iterated over
    d: tl.constexpr = max(**N)  # error: 29: expected a dict of names after **, found int 8
    e: tl.constexpr = Color(3)  # error: 23: key 3 was not found
