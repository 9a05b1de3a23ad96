# Parts of patterns without names: a class has as many as attributes with a place.
# run: neso compile %s:kernel --signature "*i32"
from dataclasses import dataclass

import triton
import triton.language as tl


@dataclass
class Pair:
    x: int
    y: int


class Kind:
    SMALL = 1


@triton.jit
def kernel(p):
    match Pair(1, 2):
        case Pair(x, y, z):  # error: 25: a pattern Pair(...) has at most 2 parts without a name
            tl.store(p, x + y + z)
    match Pair(1, 2):
        case Pair(1, y) as both:
            tl.store(p, both.x + y)
        case Kind(1):
            tl.store(p, 0)
