# What host code makes of functions, classes and values is obeyed where its text tells, and refused with its line where it does not.
# run: neso compile %s:obeyed --signature "*fp32" --emit ttir
# run: CHANGES_TEST_VALUE=43 neso compile %s:environment --signature "*fp32" --emit ttir
# run: neso compile %s:wrapped --signature "*fp32" --emit ttir
# run: neso compile %s:refused --signature "*fp32"
# run: neso compile %s:inside --signature "*fp32"
# exit: 1
import os

import triton
import triton.language as tl
import unread

ENVIRONMENT = tl.constexpr(float(os.environ.get("CHANGES_TEST_VALUE", "1")) + float(os.getenv("CHANGES_NO_SUCH_VALUE", "0.5")))
PRESENT = tl.constexpr("CHANGES_TEST_VALUE" in os.environ)


class P:
    X = 2.0

    @staticmethod
    @triton.jit
    def f(v):
        return v * 3.0


def triple(fn):
    def inner(x):
        return fn(x) * 3.0
    return inner


def same(fn):
    return fn


@triple
def count(x):
    return x + 1.0


@same
@triton.jit
def plain(v):
    return v * 7.0


@triton.jit
def other(v):
    return v * 11.0


P.X = 5.0
P.f = other
setattr(P, "Y", 13.0)
A = B = 17.0
A = 19.0


@triton.constexpr_function
def numbers():
    return P.X * 1000.0 + count(1.0) * 100.0 + P.Y + B


# CHECK-LABEL: @obeyed
@triton.jit
def obeyed(p):
    # 5 * 1000 + 6 * 100 + 13 + 17
    # CHECK-DAG: 5.630000e+03
    tl.store(p, numbers())
    # CHECK-DAG: 7.000000e+00
    tl.store(p + 1, plain(tl.load(p)))
    # CHECK-DAG: 1.100000e+01
    tl.store(p + 2, P.f(tl.load(p + 9)))


# CHECK-LABEL: @environment
@triton.jit
def environment(p):
    # CHECK: 4.350000e+01
    if PRESENT:
        tl.store(p, ENVIRONMENT)


@unread.around
@triton.jit
def wrapped(p):  # warning: @-2:2: what 'unread.around' makes of the kernel 'wrapped' is not known here
    tl.store(p, 0.0)


# ---- refused ----

SIZES = [1.0, 2.0]
SIZES[0] = 3.0
MORE = [1.0]
MORE.append(2.0)
TABLE = {"a": 1.0}
TABLE.update(a=2.0)
GONE = 1.0
del GONE
TURNS = 1.0
for _ in range(3):
    TURNS = TURNS * 2.0
LATER = 1.0


def set_later():
    global LATER
    LATER = 2.0


@unread.transform
def strange(x):
    return x


def fixed(x):
    return x


fixed.__code__ = count.__code__
P.Z = 1.0
P.Z += 1.0


@triton.constexpr_function
def sizes():
    return SIZES[0]


@triton.jit
def refused(p):
    tl.store(p, SIZES)  # error: 17: line 94 of
    tl.store(p, MORE)  # error: 17: line 96 of
    tl.store(p, TABLE)  # error: 17: line 98 of
    tl.store(p, GONE)  # error: 17: line 100 of
    tl.store(p, TURNS)  # error: 17: it is set by a loop of host code
    tl.store(p, LATER)  # error: 17: it is set by host code
    tl.store(p, strange(1.0))  # error: 17: what its decorator 'unread.transform' makes of it is not known here
    tl.store(p, fixed(1.0))  # error: 17: line 121 of
    tl.store(p, P.Z)  # error: 19: line 123 of


@triton.jit
@unread.transform
def inside(p):  # error: @-1:2: 'unread.transform' is applied to 'inside' before it is a kernel
    tl.store(p, 0.0)
