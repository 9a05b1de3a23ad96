# NESO_STRICT_TRITON refuses what Triton refuses.
# run: NESO_STRICT_TRITON=1 neso compile %s:kernel --signature "*fp32,i32"
# exit: 1
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@triton.jit
def named(**values):
    return values["n"]


@aggregate
class Pair:
    first: tl.tensor

    @triton.constexpr_function
    def __init__(self, first):
        self.first = first


@triton.jit
def kernel(p, n):
    for i in range(n):
        if i > 3:
            break  # error: 13: Triton has no `break`, and NESO_STRICT_TRITON refuses what it refuses
        else:
            continue  # error: 13: Triton has no `continue`, and NESO_STRICT_TRITON refuses what it refuses
    def inside():  # error: 5: Triton has no functions inside kernels without a decorator
        pass
    while n > 0:
        if n > 4:
            return  # error: 13: Cannot have `return` statements inside `while` or `for` statements in triton, and NESO_STRICT
        n -= 1
    first, *rest = (1, 2, 3)  # error: 5: starred assignment targets are not supported, and NESO_STRICT_TRITON refuses
    named(n=1)  # error: 5: JIT functions do not support **kwargs, and NESO_STRICT_TRITON refuses
    print("text", None)  # error: 5: Triton has no print of anything but a text, and then numbers and tiles
    tl.argmax(tl.arange(0, 4))  # error: 5: Triton has no positions of extrema without axis=, and NESO_STRICT_TRITON refuses
    import math  # error: 5: Triton has no `import` inside a kernel
    pair = Pair(n)
    pair.first = 1  # error: 5: Attribute assignment is not supported in triton, and NESO_STRICT_TRITON refuses
    not (0, 0)  # error: 5: Triton has no `not` of a tuple
    halves = tl.zeros([16, 16], tl.float16)
    sums = tl.dot(halves, halves, halves)  # error: 12: Triton has no accumulators of halves without out_dtype
    small = tl.zeros([16, 8], tl.float16)
    tl.dot(small, tl.trans(small))  # error: 5: tl.dot: Input shapes should have M >= 1, N >= 1 and K >= 16; K of fp16[16, 8] is 8
    halves ** 2  # error: 5: Triton has no operator ** of tensors, and NESO_STRICT_TRITON refuses
    halves @ halves  # error: 5: Triton has no operator @ of tensors, and NESO_STRICT_TRITON refuses
    for i in range(n):  # error: 5: Triton has no `else` of a loop, and NESO_STRICT_TRITON refuses
        pass
    else:
        pass
    tl.cat(tl.arange(0, 4), tl.arange(0, 8))  # error: 5: tl.cat: operands int32[4] and int32[8] do not go together
    tl.sort(halves, 0)  # error: 5: Triton has no sorting along another dimension than the last one
    min(1.0, -0.0)  # error: 5: Triton has no min of -0.0
