# Types of values that are known while compiling; names that are declared constexpr before they get a value.
# run: neso compile %s:kernel --signature "*i32,i32,7" --emit ttir > %t/out; neso compile %s:wrong --signature "*i32,i32"; cat %t/out; false
import triton
import triton.language as tl


@triton.constexpr_function
def next_of(n):
    return n + 1


@triton.jit
def stored(o, t):
    tl.static_assert(t.type[0] == tl.int32 and t.type[1] == tl.constexpr_type(3))
    tl.static_assert(t.type == tl.tuple_type([tl.int32, tl.constexpr_type(3)]))
    tl.static_assert(t.type != tl.tuple_type((tl.int32, tl.int32)))
    tl.store(o + t[1], t[0])


@triton.jit
def kernel(o, n, N: tl.constexpr):
    # CHECK: %[[P:[0-9]+]] = tt.addptr %o, %c3
    # CHECK-NEXT: tt.store %[[P]], %n
    tl.static_assert(N.type == tl.constexpr_type(7) and N.type != tl.constexpr_type(8))
    tl.static_assert(isinstance(N.type, tl.constexpr_type) and not isinstance(n.type, tl.constexpr_type))
    tl.static_assert(N.type.value == 7 and n.type == tl.int32)
    tl.static_assert(tl.constexpr_type(next_of(6)) == N.type)
    y: tl.constexpr
    x, y = 0, 1
    tl.static_assert(x.dtype == tl.int32 and y.type == tl.constexpr_type(1))
    z: tl.constexpr
    if (z := next_of(N)) != 7:
        tl.static_assert(z.type == tl.constexpr_type(8))
    else:
        tl.static_assert(False)
    pair: tl.constexpr
    pair = (y, (z, 2))
    tl.static_assert(pair.type[1][0] == z.type)
    stored(o, (n, tl.constexpr(3)))


@triton.jit
def wrong(o, n):
    y: tl.constexpr
    y = n + 1  # error: 5: y must be known while compiling, found int32 scalar
    tl.constexpr_type(n)  # error: 5: tl.constexpr_type: 'value' must be known when compiling, not int32
