# A function that is marked so, and a method: who drops its result is told.
# run: neso compile %s:kernel --signature "*i32,i32"
# exit: 1
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@triton.must_use_result("Say what for.")
@triton.jit
def cube(x):
    return x * x * x


@aggregate
class Square:
    x: tl.tensor

    @triton.constexpr_function
    def __init__(self, x):
        self.x = x

    @triton.must_use_result
    @triton.jit
    def compute(self):
        return self.x * self.x


@triton.jit
def kernel(p, n):
    cube(n)  # error: 5: The result of cube is not being used. Say what for.
    a = Square(n)
    a.compute()  # error: 5: The result of a.compute is not being used.
    tl.store(p, cube(n) + a.compute())
