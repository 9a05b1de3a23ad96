# Calls: one function per types and constants, tuples and None, functions as values, aggregates with methods.
# run: neso compile %s:kernel --signature "*i32,i32" --emit ttir-raw
# run: neso compile %s:desc --signature "tensordesc<fp16[64, 32]>,*fp16,i32" --emit ttir-raw
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class Scaled:
    x: tl.tensor
    n: tl.constexpr

    def __init__(self, x, n):
        self.x = x
        self.n = tl.constexpr(n)

    @triton.jit
    def times(self, k):
        return Scaled(self.x * k * self.n, self.n)


@triton.jit
def plus(a, b=2, *, C: tl.constexpr = 5):
    return a + b * C


@triton.jit
def swap(a, b, op: tl.constexpr):
    return op(b, a), (a, None)


@triton.jit(noinline=True)
def nothing(a):
    tl.device_print("a", a)


@triton.constexpr_function
def log2(n):
    return len(bin(n)) - 3


@triton.jit
def kernel(p, n):
    # CHECK-LABEL: tt.func public @kernel
    a = Scaled(n, 4)
    # CHECK: scf.for {{.*}} -> (i32)
    # CHECK: tt.call @"functions.Scaled.times__functions.Scaled<i32, constexpr_type[4]>_i32__"(
    for i in range(n):
        a = a.times(i)
    # CHECK: tt.call @"functions.plus__i32__(1,)cconstexpr_2__(2,)cconstexpr_5_"(%n)
    # CHECK: tt.call @"functions.plus__i32_i32__(2,)cconstexpr_3_"(
    # CHECK: tt.call @"functions.plus__i32__(1,)cconstexpr_2__(2,)cconstexpr_5_"(%n)
    b = plus(n)
    c = plus(b, n, C=3)
    d = plus(n)
    # CHECK: tt.call @"functions.swap__i32__(1,)cconstexpr_3__(2,)cconstexpr_JITFunction(functions:plus)_"(%n) : (i32) -> (i32, i32)
    s, (t, u) = swap(n, 3, plus)
    # CHECK: tt.call @functions.nothing__i32__(
    nothing(c)
    # CHECK: "tt.reduce"
    # CHECK: arith.addi
    m = tl.reduce(tl.load(p + tl.arange(0, 1 << log2(16))), 0, lambda x, y: x + y)
    # CHECK-NOT: scf.if
    tl.store(p, a.x + b + c + d + s + t + m if u is None else 0)
    # CHECK: tt.func private @"functions.Scaled.times__
    # CHECK: tt.func private @"functions.plus__i32__(1,)cconstexpr_2__(2,)cconstexpr_5_"(%a: i32
    # CHECK: tt.func private @"functions.plus__i32_i32__(2,)cconstexpr_3_"(%a: i32
    # CHECK: tt.func private @"functions.swap__
    # CHECK: tt.func private @functions.nothing__i32__({{.*}} attributes {noinline = true}


@triton.jit
def desc(d, p, n):
    # CHECK: tt.func public @desc(%d: !tt.tensordesc<tensor<64x32xf16>> {{.*}}: i32 {{.*}}: i32 {{.*}}: i64 {{.*}}: i64 {{.*}}%p: !tt.ptr<f16> {{.*}}%n: i32
    # CHECK: tt.descriptor_load %d[
    tl.store(p + tl.arange(0, 64), tl.sum(d.load([n, 0]), 1))
