# What functions, blocks that may not run and other names for a thing change is refused with its line, and what they leave is known.
# run: neso compile %s:obeyed --signature "*fp32" --emit ttir
# run: neso compile %s:refused --signature "*fp32"
# run: neso compile %s:refused_too --signature "*fp32"
# run: neso compile %s:one_of_two --signature "*fp32"
# run: neso compile %s:rebound --signature "*fp32"
# exit: 1
import contextlib
import os
import sys

import triton
import triton.language as tl


class P:
    X = tl.constexpr(1.0)
    Y = tl.constexpr(2.0)
    Z = tl.constexpr(3.0)


class Q(P):
    V = tl.constexpr(4.0)


EARLY = tl.constexpr(float(os.environ.get("HOST_EFFECTS", "5")))
os.environ["HOST_EFFECTS"] = "6"
LATE = tl.constexpr(float(os.environ.get("HOST_EFFECTS", "5")))

if len(sys.argv) > 5:
    BOTH = tl.constexpr(7.0)
    EITHER = tl.constexpr(8.0)
    P.Y = tl.constexpr(9.0)
else:
    BOTH = tl.constexpr(7.0)
    EITHER = tl.constexpr(10.0)

ONE = tl.constexpr(11.0)
if len(sys.argv) > 5:
    ONE = tl.constexpr(12.0)
if __name__ == "__main__":
    BOTH = tl.constexpr(13.0)

try:
    TRIED = tl.constexpr(14.0)
    int("x")
except ValueError:
    TRIED = tl.constexpr(15.0)

KEPT = tl.constexpr(16.0)
try:
    import no_such_module_at_all
    KEPT = tl.constexpr(17.0)
except ImportError:
    pass

WITH = tl.constexpr(18.0)
with contextlib.suppress(ValueError):
    int("x")
    WITH = tl.constexpr(19.0)


def setup():
    P.X = tl.constexpr(20.0)
    TABLE["a"] = 21.0


def fill(x):
    x.append(22.0)


def configure(c):
    c.V = tl.constexpr(23.0)


def late():
    setattr(P, "Z", 24.0)


TABLE = {"a": 25.0}
SIZES = [26.0]
NAMES = SIZES
FILLED = [27.0]
FIRST = tl.constexpr(SIZES[0])
setup()
NAMES.append(28.0)
fill(FILLED)
configure(Q)
(WALRUS := 29.0)


class Meta(type):
    pass


class Made(metaclass=Meta):
    X = tl.constexpr(30.0)


def replaced(c):
    return P


@replaced
class Decorated:
    X = tl.constexpr(31.0)


NEVER = tl.constexpr(32.0)
for _ in ():
    class Turn:
        X = tl.constexpr(33.0)
else:
    NEVER = tl.constexpr(34.0)

match len(sys.argv):
    case 1:
        MATCHED = tl.constexpr(35.0)
    case _:
        MATCHED = tl.constexpr(36.0)
RUN = tl.constexpr(37.0)
exec("RUN = 38.0", globals())




class Own:
    X = tl.constexpr(41.0)


class Own(P):
    Y = tl.constexpr(Own.X)


FROM_TABLE = tl.constexpr(TABLE["a"])
FROM_LIST = tl.constexpr(SIZES[0])


# CHECK-LABEL: @obeyed
@triton.jit
def obeyed(p):
    # CHECK-DAG: 5.000000e+00
    tl.store(p, EARLY)
    # CHECK-DAG: 7.000000e+00
    tl.store(p + 1, BOTH)
    # CHECK-DAG: 1.600000e+01
    tl.store(p + 2, KEPT)
    # CHECK-DAG: 2.600000e+01
    tl.store(p + 3, FIRST)
    # CHECK-DAG: 4.100000e+01
    tl.store(p + 4, Own.Y)


@triton.jit
def refused(p):
    tl.store(p, LATE)  # error: 17: what the environment has for HOST_EFFECTS is not known: line 27 of
    tl.store(p, EITHER)  # error: 17: it depends on line 30 of
    tl.store(p, P.Y)  # error: 19: it depends on line 30 of
    tl.store(p, ONE)  # error: 17: it depends on line 39 of
    tl.store(p, TRIED)  # error: 17: a `try` whose end is not known here
    tl.store(p, WITH)  # error: 17: a `with` that may end early
    tl.store(p, P.X)  # error: 19: line 64 of
    tl.store(p, FROM_TABLE)  # error: 17: line 65 of
    tl.store(p, FROM_LIST)  # error: 17: line 86 of
    tl.store(p, FILLED)  # error: 17: line 87 of
    tl.store(p, Q.V)  # error: 19: line 88 of
    tl.store(p, P.Z)  # error: 19: line 77 of
    tl.store(p, Q.Z)  # error: 19: line 88 of


@triton.jit
def refused_too(p):
    tl.store(p, WALRUS)  # error: 17: it is set inside an expression of host code
    tl.store(p, Made.X)  # error: 22: what its metaclass 'Meta' makes of it is not known here
    tl.store(p, Decorated.X)  # error: 27: what its decorator 'replaced' makes of it is not known here
    tl.store(p, NEVER)  # error: 17: a loop of host code
    tl.store(p, MATCHED)  # error: 17: name 'MATCHED' is not defined
    tl.store(p, RUN)  # error: 17: line 122 of


if len(sys.argv) > 5:
    @triton.jit
    def one_of_two(p):  # error: 9: 'one_of_two' is not the kernel of this name: it depends on line 181 of
        tl.store(p, 0.0)
else:
    @triton.jit
    def one_of_two(p):
        tl.store(p, 1.0)


@triton.jit
def rebound(p):  # error: 5: 'rebound' is not the kernel of this name: it is bound to 'refused' by then
    tl.store(p, 0.0)


rebound = refused
