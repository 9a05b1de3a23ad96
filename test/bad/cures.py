# What helps follows the diagnostic: of all in the file, in order.
# run: neso compile %s:kernel --signature "*fp32,i32,i32"
import triton
import triton.language as tl


@triton.jit
def length(n):
    return tl.arange(0, n)  # error: 12: tl.arange: 'end' must be an integer known when compiling, not int32  # note: -: a parameter that is known when compiling is declared so: n: tl.constexpr


@triton.jit
def kernel(p, n, BLOCK):
    i = tl.arange(0, 64)
    if i < n:  # error: 8: expected a condition of one element  # note: -: an `if` is for the whole program
        tl.store(p, 1)
    try:  # error: 5: `try` is not supported  # note: -: device_assert tells
        tl.store(p, 1)
    finally:
        tl.store(p, 0)
    tl.static_print(f"{n}")  # error: 23: a value in an f-string  # note: -: print, tl.device_print and assertions take f-strings
    for k in tl.static_range(BLOCK):  # error: 14: tl.static_range: 'end' must be an integer known when compiling  # note: -: declared so: BLOCK: tl.constexpr
        tl.store(p, k)
    tl.store(p, (1, 2, 3)[n])  # error: 17: an index must be known while compiling  # note: -: declared so: n: tl.constexpr
    tl.store(p, (1, 2, 3)[:n][0])  # error: 17: a bound of a slice must be known while compiling  # note: -: declared so: n: tl.constexpr
    squares = [k * k for k in range(n)]  # error: 15: a bound of an unrolled loop must be known  # note: -: declared so: n: tl.constexpr
    length(BLOCK)
