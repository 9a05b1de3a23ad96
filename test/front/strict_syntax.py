# NESO_STRICT_TRITON refuses the expressions and statements that Triton's front end has not, and what of Python's it does not know.
# run: NESO_STRICT_TRITON=1 neso compile %s:portable --signature "*i32,i32"
# run: NESO_STRICT_TRITON=1 neso compile %s:kernel --signature "*i32,i32"
# run: NESO_STRICT_TRITON=1 neso compile %s:names --signature "*i32,i32"
import typing

import triton
import triton.language as tl

class Pair(typing.NamedTuple):
    first: tl.tensor
    second: tl.constexpr


class Plain:
    value = 3


def plain(a):
    return a + 1


@triton.constexpr_function
def chosen(n):
    """Python's own semantics: all of it may be used here."""
    table = {i: i * i for i in range(n) if i not in (1, 2)}
    first = second = sorted(table.values())
    return max(abs(v) for v in first + second) if 0 < n < 9 else sum(map(lambda v: v, {1, 2}))


@triton.jit
def kernel(p, n):
    x = tl.arange(0, 8)
    t = (n, n + 1)
    d = {"a": n}  # error: 9: Triton has no dicts, and NESO_STRICT_TRITON refuses
    d = {i: n for i in range(2)}  # error: 9: Triton has no dicts, and NESO_STRICT
    s = {1, 2}  # error: 9: Triton has no sets, and NESO_STRICT
    f = lambda a: a + n  # noqa: E731  # error: 9: Triton has no lambdas, and NESO_STRICT
    for v in (i for i in t):  # error: 14: Triton has no generator expressions, and NESO_STRICT
        pass
    if 0 < n < 5:  # error: 8: simultaneous multiple comparison is not supported, and NESO_STRICT
        pass
    tl.static_assert(2 in (1, 2))  # error: 22: Triton has no `in`, and NESO_STRICT
    tl.static_assert(3 not in (1, 2))  # error: 22: Triton has no `not in`, and NESO_STRICT
    c = [v for v in t if True]  # error: 9: Triton has no comprehensions with `if`, and NESO_STRICT
    c = [v + w for v in t for w in t]  # error: 9: Triton has no comprehensions of several loops, and NESO_STRICT
    c = [v + w for v, w in (t, t)]  # error: 9: Triton has no comprehensions of several names, and NESO_STRICT
    c = [n for i in range(2)]  # error: 9: Triton has no comprehensions over anything but a tuple, and NESO_STRICT


@triton.jit
def names(p, n):
    x = tl.arange(0, 8)
    t = (n, n + 1)
    a = b = n  # error: 5: Triton has no assignment to several targets, and NESO_STRICT
    [a, b] = n, 1  # error: 5: Triton has no list of targets, and NESO_STRICT
    a = n
    del a  # error: 5: Triton has no `del`, and NESO_STRICT
    for v in t:  # error: 14: Triton has no `for` over anything but range() and tl.static_range(), and NESO_STRICT
        pass
    a = abs(n)  # error: 9: Triton has no Python's abs() in kernels, and NESO_STRICT
    a = bool(1)  # error: 9: Triton has no Python's bool() in kernels, and NESO_STRICT
    for i, v in enumerate(t):  # error: 17: Triton has no Python's enumerate() in kernels, and NESO_STRICT
        pass
    a = plain(n)  # error: 9: Triton has no functions without a decorator in kernels, and NESO_STRICT
    a = Plain.value  # error: 9: Triton has no classes but aggregates and named tuples in kernels, and NESO_STRICT
    a = +n  # error: 9: Triton has no unary `+` of tensors, and NESO_STRICT
    y = x[...]  # error: 9: Triton has no `...` in subscripts of tiles, and NESO_STRICT
    m, i = tl.max(x, return_indices=True)  # error: 12: Triton has no positions of extrema without axis=, and NESO_STRICT


@triton.jit
def portable(p, n):
    x = tl.arange(0, 8)
    t = (n, n + 1)
    c = [v + 1 for v in t]
    if (w := n) > 0:
        n = w
    pair = Pair(n, len(t))
    k: tl.constexpr = chosen(4)
    tl.store(p + x[None, :] + x[:, None], min(max(pair.first, int(2.5)), k) + float(1) + tl.sort(x)[:, None] * 0)
    tl.static_assert(isinstance(n, tl.tensor) and hasattr(n, "dtype"))
    for i in tl.static_range(len(t)):
        tl.store(p + i, t[i] + c[i])
    tl.store(p, tl.sum(tl.topk(x, 4)) + tl.max(x, axis=0, return_indices=True)[1] + tl.cdiv(5, 2))
