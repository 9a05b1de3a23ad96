# Branches and loops whose values do not fit together, and statements that kernels do not have.
# run: neso compile %s:kernel --signature "*fp32,i32,fp32,64"
# run: neso compile %s:cases --signature "*fp32,i32,fp32,64"
# run: neso compile %s:statements --signature "*fp32,i32,fp32,64"
import triton
import triton.language as tl


@triton.jit
def kernel(p, n, f, B: tl.constexpr):
    x = n
    if n > 0:
        x = f  # error: 9: initial value for `x` is of type int32 scalar, but the then block redefines it as fp32 scalar
    if n > 1:
        y = n  # error: 9: Mismatched type for y between then block (int32 scalar) and else block (fp32 scalar)
    else:
        y = f
    z = n if n > 2 else f  # error: 9: Ternary expression with dynamic condition has inconsistent types: int32 scalar and fp32 scalar
    total = 0
    for i in range(n):
        total += f * 1.0  # error: 9: Loop-carried variable total has initial type int32 scalar before the loop on line 20, but is re-assigned to fp32 scalar in loop: its type must stay the same
    for j in range(n):
        B = j  # error: 9: 'B' is int 64, known while compiling, before the loop on line 22, and cannot be assigned in it
    none = None
    while n > 3:
        none = n  # error: 9: 'none' is None, known while compiling, before the loop on line 25, and cannot be assigned in it
        n = n - 1
    for k in range(f):  # error: 14: the upper bound of a loop must be an integer scalar, found fp32 scalar
        pass
    for m in range(0, n, B - 64):  # error: 14: the step must not be zero
        pass
    width: tl.constexpr = 4
    width: tl.constexpr = 5  # error: 5: constexpr 'width' already has a value and cannot get another
    if B == 64:
        raise ValueError("64 is no size")  # error: 9: ValueError: 64 is no size
    tl.store(p, nothing_after_raise)


@triton.jit
def cases(p, n, f, B: tl.constexpr):
    x = n
    w = n
    match n:
        case 1:
            x = f  # error: 13: initial value for `x` is of type int32 scalar, but the case block redefines it as fp32 scalar
    match n:
        case 1:
            pass
        case _:
            w = f  # error: 13: initial value for `w` is of type int32 scalar, but the later case block redefines it as fp32 scalar
    match n:
        case 1:
            y = n
        case 2:
            y = 2
    tl.store(p, y)  # error: 17: 'y' has no value here: not every case of the `match` on line 51 assigns it
    match n:
        case 1:
            z = f  # error: 13: Mismatched type for z between this case (fp32 scalar) and the cases below it (int32 scalar)
        case _:
            z = n
    match tl.arange(0, 4):
        case 1:  # error: 14: a case compares one element, found int1[4]
            pass


@triton.jit
def statements(p, n, f, B: tl.constexpr):
    with n:  # error: 5: a `with` statement is not supported in a kernel
        pass
    try:  # error: 5: `try` is not supported in a kernel
        pass
    except ValueError:
        pass
    global g  # error: 5: `global` is not supported in a kernel
    p[0] = n  # error: 5: unsupported tensor index: pointer<fp32> cannot be indexed by 0
    p.name = n  # error: 5: assignment to an attribute is not supported in a kernel
    c: tl.constexpr = 2j  # error: 23: a complex number is not supported in a kernel
    assert B == 32, "B is wrong"  # error: 5: assertion failed: B is wrong

# tests: RAISED
