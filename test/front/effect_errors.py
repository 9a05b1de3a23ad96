# Effects that a condition cannot decide, or that Python would have later, are refused where they stand.
# run: neso compile %s:kernel --signature "*i32,i32,i32"
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class Box:
    x: tl.tensor

    def __init__(self, x):
        self.x = x

    @triton.jit
    def bump(self):
        self.x = self.x + 1  # error: 9: 'x' can only be assigned where the object was made, not in a branch


@triton.jit
def apply(f, v):
    return f(v)


@triton.jit
def put(p, v):
    tl.store(p, v)
    return v


@triton.constexpr_function
def counted(n):
    global COUNT  # error: 5: GLOBAL cannot be run while compiling
    COUNT = n
    return n


@triton.jit
def kernel(p, a, b):
    tl.arange(0, 16) > a and tl.store(p, 1)  # error: 5: what follows `and` has an effect, and whether it runs cannot depend on a  # warning: 5: Logical operators 'and' and 'or'
    x = tl.arange(0, 16) > a or put(p, a) > 2  # error: 9: what follows `or` has an effect  # warning: 9: Logical operators 'and' and 'or'
    y = apply(len, (put(p, i) for i in tl.static_range(3)))  # error: 20: a generator expression has an effect, which Python would have later or not at all
    z = apply(len, map(lambda v: put(p, v), (1, 2)))  # error: 20: map() or filter() has an effect
    y = (a for i in tl.static_range(3))  # error: 9: a generator that a name holds is not supported
    z = map(lambda v: v, (1, 2))  # error: 9: map() or filter() that a name holds is not supported
    assert a > 2, put(p, 3)  # error: 19: the message of an `assert` has an effect
    s = Box(a)
    if a > b:
        s.x = b  # error: 9: 'x' can only be assigned where the object was made
    same = s
    for i in range(a):
        s.x = s.x + i  # error: 9: 'x' can only be assigned where the object was made
    t, late = Box(a), Box(b)
    for i in range(a):
        t.x = t.x + i
        if i > 2:
            t.x = t.x * 2  # error: 13: 'x' can only be assigned where the object was made
    for i in range(a):  # error: 5: an object that a loop changes and that two names hold is not supported
        late = t
        t.x = t.x + late.x
    s.bump()
    first, *rest = (1, 2, 3)
    rest.append(4)  # error: 5: elements of 'rest' cannot be assigned
    q = 2 in (a, b)  # error: 9: what `in` looks at must be known while compiling, found int32 scalar
    k = {put(p, a): 3}  # error: 9: a key of a dict must be known while compiling
    c: tl.constexpr = counted(3)
