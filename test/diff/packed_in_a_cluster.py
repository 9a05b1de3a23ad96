# An internal error: elements that a function takes together lay in two CTAs of a cluster.
# run: difftest %s
# expect: success
# launch: 1 16 4 1 2 2
# buffer: p i32 32 11428875981742594961 -7 7
# buffer: o i32 2 11428875981742595269 -100 100
# buffer: w i32 8 11428875981742595270 -100 100
# buffer: c i32 16 11428875981742595271 -100 100
import triton
import triton.language as tl


@triton.jit
def pairs(a0, a1, b0, b1):
    if a0 > b1:
        return a1, b0
    return a0 + b1, a1 & b0


@triton.jit
def fours(a, b, c, d):
    return b, a + d, c, d - a


@triton.jit
def kernel(p, o, w, c):
    counts = tl.histogram(tl.load(p + tl.arange(0, 32)) & 1, 2).to(tl.int32)
    tl.store(o + tl.arange(0, 2), tl.map_elementwise(pairs, ~counts, counts, pack=2))
    rows = tl.load(p + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :])
    sums = tl.sum(rows, 0)
    at = tl.arange(0, 4)
    tl.store(w + at, tl.map_elementwise(fours, sums, pack=4))
    tl.store(w + 4 + at, tl.map_elementwise(fours, tl.sort(sums), pack=4))
    column = tl.arange(0, 8)[:, None]
    tl.store(c + column, tl.map_elementwise(fours, tl.load(p + column), pack=4))
    halves = tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :]
    tl.store(c + 8 + halves, tl.map_elementwise(fours, tl.load(p + halves), pack=4))
